import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { ARCHIVE_STATE } from '../../../src/wire/admin/archive-state.ts'
import { PAST_REQUESTS } from '../../../src/wire/admin/past-request.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { describePostgres, usePostgres } from '../../support/postgres.ts'
import { startTree } from './tree.ts'

const DAY_MS = 86_400_000
const OLD = 5

/** A store with requests of three days ago. */
async function oldStore(): Promise<string> {
  const path = await newDirectory()
  const at = Date.now() - 3 * DAY_MS
  const store = await openEmbeddedStore({ path, now: () => at })
  const shop = await openShop(store)
  for (let number = 0; number < OLD; number++) {
    const hold = await admit(store, shop, newRequestId(at + number, randomBytes), claimsOf({ at }))
    await store.holds.settle(settlement(hold))
  }
  await store.close()
  return path
}

describePostgres('a gateway of two workers with an archive', () => {
  const server = usePostgres()

  it('takes rows there once, by one of its processes, and each of them reads both places', async () => {
    vi.stubEnv('WAREHOUSE_PASSWORD', 'secret')
    const backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    onTestFinished(() => backend.close())
    const store = await oldStore()
    const database = await server().createDatabase()
    const tree = await startTree(
      2,
      directory => `
version: 1
server: { listen: 127.0.0.1:0, admin: 127.0.0.1:0, state_dir: ${directory} }
store: embedded:${store}
ledger:
  archive: { to: "postgres://owner@127.0.0.1:${server().port}/${database}", password: "\${WAREHOUSE_PASSWORD}", keep: 1d }
plans:
  pro: { models: all, rpm: 100k, tpm: 900M, monthly_usd: 500 }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: svc-core
pools:
  onprem: { site: on-premises, model: test-model, replicas: ["${backend.url}"] }
`,
    )
    onTestFinished(async () => void (await tree.end()))
    const key = await tree.mint('pro', 'ada')
    await vi.waitFor(
      async () => {
        const state = readAs(ARCHIVE_STATE, (await tree.ask('GET', '/admin/archive')).body)
        expect(state).toMatchObject({ archived_rows: OLD, waiting_rows: 0, last_error: null, here: true })
      },
      { timeout: 60_000, interval: 200 },
    )

    expect(await server().query('SELECT request_id FROM svc_ledger', [], database)).toHaveLength(OLD)
    const answers = await Promise.all(Array.from({ length: 8 }, () => tree.chat(key)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const past = readAs(PAST_REQUESTS, (await tree.ask('GET', '/admin/requests?since=30d')).body)
    expect(past.data).toHaveLength(OLD + 8)
    const ownOf = async () =>
      (await (await fetch(`${tree.url}/v1/requests`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
        readonly data: readonly unknown[]
      }
    const lists = await Promise.all(Array.from({ length: 8 }, ownOf))
    expect(lists.map(({ data }) => data.length)).toEqual(Array(8).fill(8))
  }, 60_000)
})
