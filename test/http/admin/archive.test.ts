import { afterEach, beforeEach, expect, it } from 'vitest'
import { ARCHIVE_STATE } from '../../../src/wire/admin/archive-state.ts'
import { PAST_REQUESTS } from '../../../src/wire/admin/past-request.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describePostgres, usePostgres } from '../../support/postgres.ts'

const DAY_MS = 86_400_000

let backend: Backend
let test: TestGateway

async function start(ledger: string): Promise<void> {
  test = await startTestGateway({
    onprem: [backend],
    yaml: `ledger: ${ledger}`,
    env: { ...ENV, WAREHOUSE_PASSWORD: 'secret' },
  })
}

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const ask = (path: string) => fetch(`${test.admin}${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
const stateOf = async () => readAs(ARCHIVE_STATE, await (await ask('/admin/archive')).json())

/** Turns of the archiver, until one took so many rows. */
async function archived(rows: number): Promise<void> {
  let state = await stateOf()
  while (state.archived_rows < rows && state.last_error === null) {
    test.clock.advance(10_000)
    state = await stateOf()
  }
  expect(state).toMatchObject({ archived_rows: rows, last_error: null, here: true })
}

describePostgres('a gateway with an archive', () => {
  const server = usePostgres()

  it('serves, lists and exports rows of PostgreSQL and of the store as one ledger, also after a restart', async () => {
    const database = await server().createDatabase()
    const to = `postgres://owner@127.0.0.1:${server().port}/${database}`
    await start(`{ archive: { to: "${to}", password: "\${WAREHOUSE_PASSWORD}", keep: 1d } }`)
    const key = await test.key('pro', 'ada')
    for (let number = 0; number < 3; number++) {
      expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
      test.clock.advance(1000)
    }
    test.clock.advance(3 * DAY_MS)
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    await archived(3)

    expect(await server().query('SELECT DISTINCT account, model FROM svc_ledger', [], database)).toHaveLength(1)
    const metrics = await (await ask('/metrics')).text()
    expect(metrics).toContain(`svc_archived_rows_total{to="postgres://127.0.0.1:${server().port}/${database}"} 3`)
    expect(metrics).toMatch(/svc_archive_lag_seconds\{[^}]*\} 0\n/)
    test = await test.restart()
    const past = readAs(PAST_REQUESTS, await (await ask('/admin/requests?since=30d')).json())
    expect(past.data).toHaveLength(4)
    expect(past.next).toBeNull()
    const ids = past.data.map(({ request_id }) => request_id).reverse()
    const lines = (await (await ask('/admin/ledger?since=30d')).text()).trimEnd().split('\n')
    expect(lines.map(line => (JSON.parse(line) as { request_id: string }).request_id)).toEqual(ids)
    const [oldest = ''] = ids
    expect(await (await ask(`/admin/requests/${oldest}`)).json()).toMatchObject({ ledger: [{ request_id: oldest }] })
    const own = await fetch(`${test.url}/v1/requests`, { headers: { authorization: `Bearer ${key}` } })
    expect(await own.json()).toMatchObject({ data: { length: 4 }, next: null })
  })

  it('while PostgreSQL is away it serves, is ready, and lists what is young', async () => {
    await start('{ archive: { to: "postgres://owner@127.0.0.1:1/nowhere", keep: 1d } }')
    const key = await test.key('pro', 'ada')
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    test.clock.advance(3 * DAY_MS)
    let state = await stateOf()
    while (state.last_error === null) {
      test.clock.advance(10_000)
      state = await stateOf()
    }

    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    expect((await fetch(`${test.url}/readyz`)).status).toBe(200)
    expect(await test.ledger().catch(String)).toContain('127.0.0.1:1')
    expect(state).toMatchObject({ waiting_rows: 1, archived_rows: 0 })
    expect(state.lag_seconds).toBeGreaterThan(86_400)
    expect(test.alarms.join()).toContain('the archive of the ledger takes no rows')
    test = await test.restart()
    const past = readAs(PAST_REQUESTS, await (await ask('/admin/requests?since=30d')).json())
    expect(past.data).toHaveLength(1)
    expect((await ask('/admin/ledger?since=30d')).status).toBe(503)
  })
})

inNpmTest.it(
  'a gateway lists and exports rows of a directory and of the store as one ledger, and clients see those of the store',
  async () => {
    await start('{ archive: { to: "file:./rows", keep: 1d } }')
    const key = await test.key('pro', 'ada')
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    test.clock.advance(3 * DAY_MS)
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    await archived(1)

    expect(await stateOf()).toMatchObject({ read_back: true })
    const past = readAs(PAST_REQUESTS, await (await ask('/admin/requests?since=30d')).json())
    expect(past.data).toHaveLength(2)
    const [, oldest = ''] = past.data.map(({ request_id }) => request_id)
    const lines = (await (await ask('/admin/ledger?since=30d')).text()).trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(await (await ask(`/admin/requests/${oldest}`)).json()).toMatchObject({ ledger: [{ request_id: oldest }] })
    // Without what the process remembers of its own requests.
    test = await test.restart()
    const own = await fetch(`${test.url}/v1/requests`, { headers: { authorization: `Bearer ${key}` } })
    expect(await own.json()).toMatchObject({ data: { length: 1 }, next: null })
  },
)

inNpmTest.it(
  'a list of requests says that rows which left for an endpoint are not in it, where it reaches so far back',
  async () => {
    await start('{ archive: { to: "https://127.0.0.1:1/rows?secret=x", keep: 1d } }')
    const past = async (query: string) => readAs(PAST_REQUESTS, await (await ask(`/admin/requests?${query}`)).json())

    expect((await past('since=30d')).not_read).toBe('https://127.0.0.1:1/rows')
    expect((await past('since=20h')).not_read).toBeUndefined()
  },
)
