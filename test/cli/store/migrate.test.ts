import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { registerStore } from '../../../src/cli/store/store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, ledgerOf, openGuest, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { blocksOf } from '../../docs/page.ts'
import { freePort } from '../../support/free-port.ts'
import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { runCommand } from '../run-command.ts'

let directory: string
beforeEach(async () => {
  directory = await newDirectory()
  const store = await openEmbeddedStore({ path: join(directory, 'one'), now: Date.now })
  const shop = await openShop(store)
  await openGuest(store)
  await store.accounts.changeTerms({ account: shop.account, change: { overage: true }, by: 'operator' })
  const [changed] = await store.accounts.findByLabel('shop')
  const terms = changed?.terms ?? shop.terms
  const claims = claimsOf({ at: Date.now() })
  for (const id of ['req_1', 'req_2'])
    await store.holds.settle(settlement(await admit(store, { ...shop, terms }, id, claims)))
  await store.close()
  await writeFile(join(directory, 'config.yaml'), await configOf('embedded:./one'))
})

const configOf = async (store: string) => `version: 1
server: { public_url: http://localhost:8080, admin: "127.0.0.1:${await freePort()}", state_dir: ./state }
store: ${store}
plans: { free: { models: all, rpm: 5, tpm: 40k, monthly_usd: 1 } }
models: { small: { kind: chat, tier: basic, serve: [onprem], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } } }
aliases: { auto: small }
default_model: auto
pools: { onprem: { site: on-premises, model: small, replicas: ["http://127.0.0.1:9/v1"] } }
`

const migrate = (...args: readonly string[]) =>
  runCommand(registerStore, ['store', 'migrate', ...args], {
    cwd: directory,
    env: { SVCCTL_CONFIG: join(directory, 'config.yaml'), SVCCTL_ADMIN: '' },
  })

async function expectSame(store: Store): Promise<void> {
  expect((await ledgerOf(store)).map(({ requestId, cost }) => [requestId, cost])).toEqual([
    ['req_1', 50],
    ['req_2', 50],
  ])
  expect(await store.keys.findCaller('hash-of-shop')).toMatchObject({ terms: { override: 'pro', overage: true } })
  expect(await store.keys.findGuest('dev_phone')).toMatchObject({ status: 'active' })
  expect(await store.accounts.readUsage('acct_shop')).toMatchObject({ used: 100, held: 0, day: 2, requests: 2 })
  await store.close()
}

it('a store is copied into another one, and stays as it is', async () => {
  expect(await migrate('embedded:', 'embedded:two')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/two has 2 accounts, 2 keys, 2 ledger rows, 2 audit rows/),
  })
  for (const name of ['one', 'two'])
    await expectSame(await openEmbeddedStore({ path: join(directory, name), now: Date.now }))
})

it('what is no store, the same store, and a store with data are refused', async () => {
  expect(await migrate('embedded:', 'mysql://there')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a store'),
  })
  expect(await migrate('embedded:', './config.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the same store'),
  })
  await migrate('embedded:', 'embedded:two')
  expect(await migrate('embedded:', 'embedded:two')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has data'),
  })
})

it('settlements that wait for Redis are not left behind', async () => {
  await mkdir(join(directory, 'state', 'spool'), { recursive: true })
  await writeFile(join(directory, 'state', 'spool', 'spool.ndjson'), '{}\n')

  expect(await migrate('redis://127.0.0.1:9', 'embedded:two')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('settlements wait for the store'),
  })
})

describeRedis('with Redis', () => {
  const server = useRedis()

  it('a store goes into Redis and back, with keys, spend, limits, audit and all', async () => {
    const { url } = server()
    expect(await migrate('embedded:', url)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 ledger rows') })
    await expectSame(await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 }))

    await writeFile(join(directory, 'redis.yaml'), await configOf(url))
    const busy = await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 })
    const member = {
      id: 'g1',
      name: 'host:1',
      version: '1',
      revision: 'r1',
      admin: 'http://host',
      since: 0,
      inFlight: 0,
    }
    await busy.fleet.announce(member, 60_000)
    expect(await migrate('redis.yaml', 'embedded:back', '-c', join(directory, 'redis.yaml'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/gateways use .* \(host:1\): stop them first/),
    })
    await busy.fleet.leave('g1')
    await busy.close()
    expect(await migrate('redis.yaml', 'embedded:back', '-c', join(directory, 'redis.yaml'))).toMatchObject({ code: 0 })
    await expectSame(await openEmbeddedStore({ path: join(directory, 'back'), now: Date.now }))
  })
})

describeRedis('with a Redis that is empty', () => {
  const server = useRedis()

  it('a store goes into Redis and back, as docs/operations/migrate-a-store.md has it', async () => {
    await writeFile(join(directory, 'next.yaml'), await configOf(server().url))
    const page = blocksOf('docs/operations/migrate-a-store.md').find(({ text }) =>
      text.startsWith('svcctl store migrate embedded:'),
    )
    const calls = (page?.text ?? '').split('\n').map(line => line.replace(/\s+#.*/, '').split(' '))

    expect(calls.map(call => call.slice(0, 3))).toEqual(Array(2).fill(['svcctl', 'store', 'migrate']))
    for (const [, , , ...args] of calls) expect(await migrate(...args)).toMatchObject({ code: 0 })
    await expectSame(await openEmbeddedStore({ path: join(directory, 'data'), now: Date.now }))
  })
})

describeRedis('with a Redis Cluster', { timeout: 60_000 }, () => {
  const cluster = useCluster()
  const server = useRedis()
  const opened = (url: string) => openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 })

  it('a store goes into the cluster, from there into a Redis by itself, and back to the disk', async () => {
    const { url } = cluster()
    expect(await migrate('embedded:', url)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 ledger rows') })
    await expectSame(await opened(url))

    await writeFile(join(directory, 'cluster.yaml'), await configOf(url))
    const from = ['-c', join(directory, 'cluster.yaml')]
    expect(await migrate('cluster.yaml', server().url, ...from)).toMatchObject({ code: 0 })
    await expectSame(await opened(server().url))
    expect(await migrate('cluster.yaml', 'embedded:back', ...from)).toMatchObject({ code: 0 })
    await expectSame(await openEmbeddedStore({ path: join(directory, 'back'), now: Date.now }))
    expect(await migrate('embedded:', url)).toMatchObject({ code: 1, stderr: expect.stringContaining('has data') })
  })
})
