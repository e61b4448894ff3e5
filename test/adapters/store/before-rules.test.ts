import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createClient } from '@keyv/redis'
import { expect, it, onTestFinished } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { beginCounters } from '../../../src/gateway/store/begin-counters.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { Config } from '../../../src/policy/config.ts'
import type { LimitWindow, Measure } from '../../../src/policy/limits/rule.ts'
import type { RuleClaim } from '../../../src/policy/limits/rule-claim.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { newDirectory } from './directory.ts'
import { admission, type Clock, claimsOf, clockAt, LAPSED, ledgerOf, NOON, type Shop, settlement } from './fixtures.ts'

const here = new URL('before-rules/', import.meta.url)
const ada: Shop = { keyHash: 'hash-of-ada', account: 'acct_ada', terms: { override: 'pro' } }

/** The data of `write.js`: two requests on each of three days, one that runs with a checkpoint, and one without. */
async function expectKept(store: Store, clock: Clock): Promise<void> {
  expect(await store.keys.findCaller(ada.keyHash)).toMatchObject({ account: ada.account, terms: ada.terms })
  clock.at += LAPSED
  await store.holds.sweep()
  expect((await ledgerOf(store)).map(({ requestId, kind, cost }) => [requestId, kind, cost])).toEqual([
    ...['req_7_1', 'req_7_2', 'req_8_1', 'req_8_2', 'req_9_1', 'req_9_2'].map(id => [id, 'settle', 50]),
    ['req_9_3', 'orphan', 18],
  ])
  expect(await store.accounts.readUsage(ada.account)).toMatchObject({ used: 318, held: 0, day: 4, concurrent: 0 })

  const rules = [ruleOf('usd', 'month'), ruleOf('tokens', 'day'), ruleOf('requests', '30d'), ruleOf('usd', 'hour')]
  const claims = { ...claimsOf(), rules }
  const asked = admission(ada, 'req_9_5', claims)
  const missing = await store.holds.admit(asked)
  if ('denial' in missing || missing.outcome !== 'counters-missing') throw new Error(JSON.stringify(missing))
  await beginCounters(CONFIG, store, { ...missing, account: ada.account, claims: rules })
  const admitted = await store.holds.admit(asked)

  expect(admitted).toMatchObject({ rules: [{ used: 318 }, { used: 74 }, { used: 7 }, { used: 0 }] })
  if ('hold' in admitted) await store.holds.settle(settlement(admitted.hold))
  expect(await store.accounts.readUsage(ada.account)).toMatchObject({ used: 368, held: 0 })
}

const CONFIG = { models: new Map(), plans: new Map() } as unknown as Config

const ruleOf = (measure: Measure, per: LimitWindow): RuleClaim => ({
  rule: { measure, most: 1e9, per },
  group: 'account',
  field: `${measure}/${per}//`,
})

it('an embedded store of before opens whole, and limits of any window begin with its ledger', async () => {
  const path = join(await newDirectory(), 'store')
  await mkdir(path)
  await writeFile(join(path, 'data.mdb'), gunzipSync(await readFile(new URL('embedded.mdb.gz', here))))
  const clock = clockAt(NOON)
  const store = await openEmbeddedStore({ path, now: clock.now })
  onTestFinished(() => store.close())

  await expectKept(store, clock)
})

describeRedis('a store of before', () => {
  const server = useRedis()

  it('in Redis opens whole, and limits of any window begin with its ledger', async () => {
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const lines = (await readFile(new URL('redis.ndjson', here), 'utf8')).trim().split('\n')
    for (const line of lines) await client.sendCommand(JSON.parse(line) as string[])
    const clock = clockAt(NOON)
    const options = { url: server().url, prefix: 'before', alarm: () => {}, now: clock.now, answerMs: 15_000 }
    const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
    onTestFinished(() => store.close())

    await expectKept(store, clock)
  })
})
