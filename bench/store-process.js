// Measures what a request costs when another process has the embedded store, as with `server.workers`: CPU µs of the calling
// process and of the store process, by the number of concurrent requests. `node bench/store-process.js [rounds]`, after a
// build. Each process has its own core; numbers are medians of rounds that measure the rows in turns.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRemoteStore } from '../dist/adapters/remote/store.js'
import { endOfTurn } from '../dist/gateway/turn.js'
import { version } from '../dist/server/version.js'
import { startStoreProcess } from '../dist/server/workers/store-child.js'
import { cores, cpuOf, moveTo } from './compare/processes.js'
import { median } from './compare/stats.js'
import { mint, request } from './store/request.js'

const ROUNDS = Number(process.argv[2] ?? 5)
const ROWS = [1, 8, 64, 256]
const ACCOUNTS = 50
const WARM = 30_000
/** Requests per round and concurrent request, and the maximum. */
const EACH = 500
const MOST = 50_000

const data = fileURLToPath(new URL('../data', import.meta.url))
mkdirSync(data, { recursive: true })
// Next to the sources: a temporary directory may be in memory, where a durable ledger costs nothing.
const directory = mkdtempSync(join(data, 'store-process-'))
const socket = join(directory, 'store.sock')
const memory = { stateDir: directory, mayBegin: false, remembers: true }
const child = await startStoreProcess(
  { kind: 'embedded', path: join(directory, 'store') },
  socket,
  memory,
  console.error,
)
const store = await openRemoteStore({ path: socket, version, lost: () => process.exit(1) })
try {
  moveTo(cores.contender, [process.pid])
  moveTo(cores.rest, [child.pid])
  for (let index = 0; index < ACCOUNTS; index++) await mint(store, index)
  await run(64, WARM)
  const rounds = new Map(ROWS.map(atOnce => [atOnce, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [atOnce, measured] of rounds) measured.push(await measure(atOnce))
  const figures = ['asker', 'store', 'thread', 'rate']
  const table = Array.from(rounds, ([atOnce, measured]) => [
    String(atOnce),
    ...figures.map(figure => median(measured.map(round => round[figure])).toFixed(figure === 'rate' ? 0 : 1)),
  ])
  const head = ['at once', 'asker, µs', 'store, µs', 'its main thread, µs', 'a second']
  for (const row of [head, ...table]) console.log(row.map((cell, at) => cell.padStart(head[at].length)).join('  '))
} finally {
  await store.close()
  await child.close()
  rmSync(directory, { recursive: true, force: true })
}

async function measure(atOnce) {
  const count = Math.min(MOST, EACH * atOnce)
  const before = [cpuOf([process.pid]), cpuOf([child.pid])]
  const begun = performance.now()
  await run(atOnce, count)
  const seconds = (performance.now() - begun) / 1000
  const after = [cpuOf([process.pid]), cpuOf([child.pid])]
  const [asker, all] = after.map(({ total }, at) => (total - before[at].total) / count)
  const main = String(child.pid)
  return {
    asker,
    store: all,
    thread: (after[1].threads.get(main) - before[1].threads.get(main)) / count,
    rate: count / seconds,
  }
}

/** Runs `count` requests, `atOnce` at a time. As in a worker, those of one turn continue together. */
async function run(atOnce, count) {
  let left = count
  const one = async () => {
    while (left-- > 0) {
      await request(store, left % ACCOUNTS)
      await endOfTurn()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
