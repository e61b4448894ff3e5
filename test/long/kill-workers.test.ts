import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import type { ShownStanding } from '../../src/wire/admin/event.ts'
import type { LedgerRecord } from '../../src/wire/admin/ledger-record.ts'
import { expectBalanced } from '../adapters/store/directory.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { answer, type Backend, startBackend } from '../support/backend.ts'
import { between, sizeOf } from './harness/size.ts'

const KILLS = sizeOf('KILLS', 200, 3)
const WORKERS = 4
const CLIENTS = 24
/** The pool's max_concurrent. */
const AT_ONCE = 8

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

interface Usage {
  readonly data: readonly { readonly requests: number }[]
}

/** A lease of a hold is 30 s: the end of a worker is to end what it held at once. On a busy machine this takes a moment. */
const RELEASED_WITHIN = { timeout: 5000, interval: 50 }

/** JSON lines from a path. */
async function linesOf<Line>(tree: Tree, path: string): Promise<readonly Line[]> {
  const { text } = await tree.ask('GET', path)
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Line]))
}

/** Running requests and reservations of all accounts. */
async function openOf(tree: Tree): Promise<{ readonly underWay: number; readonly held: number }> {
  const standings = await linesOf<ShownStanding>(tree, '/admin/accounts')
  const sum = (of: (standing: ShownStanding) => number) => standings.reduce((total, each) => total + of(each), 0)
  return { underWay: sum(each => each.under_way), held: sum(each => Number(each.held_usd)) }
}

/** How many rows the ledger has of each kind. */
async function rowsOf(tree: Tree): Promise<Readonly<Record<string, number>>> {
  const rows = await linesOf<LedgerRecord>(tree, '/admin/ledger')
  return counted(rows.map(({ kind }) => [kind, 1]))
}

/** Row counts, from the metrics. */
async function rowsCounted(tree: Tree): Promise<Readonly<Record<string, number>>> {
  const { text } = await tree.ask('GET', '/metrics')
  const series = text.matchAll(/^svc_ledger_rows_total\{.*kind="(\w+)".*\} (\d+)$/gm)
  return counted([...series].map(([, kind = '', rows]) => [kind, Number(rows)]))
}

function counted(all: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const [kind, count] of all) sums[kind] = (sums[kind] ?? 0) + count
  return sums
}

/** Kills all workers at once, each with requests under way. Resolves with how long these count, in ms. */
async function killAllWorkers(tree: Tree, key: string): Promise<number> {
  backend.always(() => new Promise(() => {}))
  const cut = Array.from({ length: CLIENTS }, () => tree.chat(key).catch(() => {}))
  await vi.waitFor(async () => {
    const { underWay, held } = await openOf(tree)
    expect(underWay).toBeGreaterThanOrEqual(AT_ONCE)
    expect(held).toBeGreaterThan(0)
  }, PATIENCE)
  for (const pid of tree.pids('worker')) process.kill(pid, 'SIGKILL')
  const killedAt = performance.now()
  await vi.waitFor(async () => expect(await openOf(tree)).toEqual({ underWay: 0, held: 0 }), RELEASED_WITHIN)
  const releasedMs = performance.now() - killedAt
  await Promise.all(cut)
  return releasedMs
}

const PATIENCE = { timeout: 30_000, interval: 50 }

it(`${KILLS} kills of ${WORKERS} workers lose and double nothing, pass no limit, make no counter fall, and hold nothing`, async () => {
  let [running, most] = [0, 0]
  backend.always(async context => {
    running++
    most = Math.max(most, running)
    await sleep(between(1, 20))
    running--
    return answer({ content: 'Hi' })(context)
  })
  const pool = `max_concurrent: ${AT_ONCE}, queue_timeout: 20s`
  const tree = await startTree(WORKERS, yamlOf(backend.url, undefined, { pool }))
  onTestFinished(() => void tree.end())
  const key = await tree.mint('pro', 'ada')
  const served: string[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      try {
        const response = await tree.chat(key, {}, AbortSignal.timeout(10_000))
        await response.text()
        if (response.status === 200) served.push(response.headers.get('x-request-id') ?? '')
      } catch {
        await sleep(5)
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  const falls: string[] = []
  let before = new Map<string, number>()
  for (let n = 0; n < KILLS; n++) {
    await sleep(between(200, 2000))
    const pids = tree.pids('worker')
    process.kill(pids[Math.floor(Math.random() * pids.length)] ?? 0, 'SIGKILL')
    const now = countersOf((await tree.ask('GET', '/metrics')).text)
    for (const [series, value] of before) if ((now.get(series) ?? 0) < value) falls.push(series)
    before = now
    await vi.waitFor(() => expect(tree.pids('worker')).toHaveLength(WORKERS), PATIENCE)
  }
  isOver = true
  await Promise.all(clients)
  const settled = async () => ((await tree.ask('GET', '/admin/usage?by=model')).body as Usage).data[0]?.requests ?? 0
  expect(await settled()).toBeGreaterThanOrEqual(served.length)
  const releasedMs = await killAllWorkers(tree, key)
  // Rows are counted where they are written: no worker that is killed takes any with it.
  await vi.waitFor(async () => expect(await rowsCounted(tree)).toEqual(await rowsOf(tree)), PATIENCE)
  expect(await tree.drain()).toBe(0)

  const store = await openEmbeddedStore({ path: join(tree.directory, 'store'), now: Date.now })
  onTestFinished(() => store.close())
  const [account] = await store.accounts.findByLabel('ada')
  const rows = await expectBalanced(store, account?.account ?? '')
  const ids = rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId)
  const known = new Set(ids)
  expect([ids.length, served.filter(id => !known.has(id))]).toEqual([known.size, []])
  expect(falls).toEqual([])
  // A backend hears a moment later than main that a worker is gone.
  expect(most).toBeLessThanOrEqual(AT_ONCE)
  console.log(
    `kill -9 workers: ${KILLS} kills, ${served.length} answers, ${rows.length} rows; of ${WORKERS} killed at once nothing was held after ${Math.round(releasedMs)} ms`,
  )
})

/** Each series of a counter, but processor time, which is read and not counted. */
function countersOf(text: string): Map<string, number> {
  const counters = new Set([...text.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name))
  const lines = text.split('\n').filter(line => counters.has(/^\w+/.exec(line)?.[0] ?? ''))
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
