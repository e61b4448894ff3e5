import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openRemoteStore } from '../../../src/adapters/remote/store.ts'
import { LEASE_MS } from '../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { version } from '../../../src/server/version.ts'
import type { StoreChild } from '../../../src/server/workers/store-child.ts'
import { expectBalanced } from '../../adapters/store/directory.ts'
import { compiledBy } from '../../cli/compiled.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { eventually } from '../../support/eventually.ts'

/** More in `KILLS=100 npx --no vitest run test/server/workers`. */
const KILLS = Number(process.env.KILLS ?? 6)
const WORKERS = 3
const IN_FLIGHT = 16

let built: string
let directory: string
let child: StoreChild
let store: Store
let account: string
const workers: Worker[] = []
const settled = new Set<string>()
const refunded = new Set<string>()

interface Worker {
  readonly process: ChildProcess
  /** How many settlements it was acknowledged. */
  acknowledged: number
  readonly ended: Promise<unknown>
}

beforeEach(async () => {
  built = compiledBy(process.ppid).gateway
  directory = await mkdtemp(join(tmpdir(), 'workers-'))
  settled.clear()
  refunded.clear()
  await open()
  const minted = await store.keys.mint({
    key: { hash: 'hash', prefix: 'svc_7Hq2…' },
    owner: { label: 'ada', override: 'pro', newAccount: 'acct_a' },
    most: 1,
    by: 'operator',
  })
  if (minted.outcome !== 'minted') throw new Error(minted.outcome)
  account = minted.key.account
})

afterEach(async () => {
  for (const worker of workers.splice(0)) worker.process.kill('SIGKILL')
  await store.close().catch(() => {})
  await child.close()
  await removeFolder(directory)
})

async function open(): Promise<void> {
  const socket = join(directory, 'store.sock')
  // Compiled: node runs no TypeScript.
  const { startStoreProcess } = (await import(
    join(built, 'server/workers/store-child.js')
  )) as typeof import('../../../src/server/workers/store-child.ts')
  child = await startStoreProcess(
    { kind: 'embedded', path: join(directory, 'data') },
    socket,
    { stateDir: directory, mayBegin: false, remembers: true },
    () => {},
  )
  store = await openRemoteStore({ path: socket, version, lost: () => {}, answerMs: 10_000 })
}

function startWorker(slot: number): Worker {
  const program = fileURLToPath(new URL('./worker.child.js', import.meta.url))
  const args = [program, built, join(directory, 'store.sock'), `w${slot}`, `${IN_FLIGHT}`, account]
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const lines = createInterface({ input: started.stdout })
  const worker: Worker = { process: started, acknowledged: 0, ended: once(lines, 'close') }
  lines.on('line', line => {
    const [what, requestId = ''] = line.split(' ')
    if (what === 'settled') settled.add(requestId)
    if (what === 'refunded') refunded.add(requestId)
    worker.acknowledged++
  })
  workers[slot] = worker
  return worker
}

/** Once it was acknowledged some more. */
async function goOn(worker: Worker, more = 100): Promise<void> {
  const from = worker.acknowledged
  await eventually(() => expect(worker.acknowledged).toBeGreaterThan(from + more))
}

async function kill(worker: Worker): Promise<void> {
  worker.process.kill('SIGKILL')
  await worker.ended
}

/** A hold that nobody ends counts until its lease is over. */
const BEFORE_A_LEASE = { timeout: LEASE_MS - 5000, interval: 20 }

/** Every request that was acknowledged has one row, refunded ones have none, and nothing is held. */
async function expectKept(): Promise<void> {
  await eventually(async () => expect((await store.accounts.readUsage(account))?.concurrent).toBe(0), BEFORE_A_LEASE)
  const rows = await expectBalanced(store, account)
  const ids = rows.map(({ requestId }) => requestId)
  expect(new Set(ids).size).toBe(ids.length)
  const byId = new Map(rows.map(row => [row.requestId, row]))
  expect([...settled].filter(id => byId.get(id)?.kind !== 'settle' || byId.get(id)?.cost !== 30_000)).toEqual([])
  expect([...refunded].filter(id => byId.has(id))).toEqual([])
  expect(rows.filter(({ kind }) => kind === 'orphan').every(({ cost }) => cost === 12_000)).toBe(true)
}

it(`a worker that is killed ends what it held at once, ${KILLS} times, and no other worker notices`, async () => {
  for (let slot = 0; slot < WORKERS; slot++) startWorker(slot)
  for (let n = 0; n < KILLS; n++) {
    const [victim, other] = [workers[n % WORKERS], workers[(n + 1) % WORKERS]]
    if (!victim || !other) throw new Error('there is no worker')
    await goOn(victim)
    await kill(victim)
    await goOn(other)
    startWorker(n % WORKERS)
  }
  await Promise.all(workers.map(worker => goOn(worker, 10)))

  await Promise.all(workers.map(kill))

  await expectKept()
  expect(settled.size).toBeGreaterThan(100 * KILLS)
})

it('a store that is killed with its workers has lost nothing that was acknowledged when it is started again', async () => {
  for (let n = 0; n < Math.max(1, KILLS / 3); n++) {
    for (let slot = 0; slot < WORKERS; slot++) startWorker(slot)
    await Promise.all(workers.map(worker => goOn(worker)))

    process.kill(child.pid, 'SIGKILL')
    // Without the store a worker ends itself.
    await Promise.all(workers.map(({ ended }) => ended))
    await child.ended
    await expect(store.holds.sweep()).rejects.toThrow('ended')

    await open()
    await expectKept()
  }
})

it('the process of the store ends with the one that started it, and leaves the directory to the next', async () => {
  const worker = startWorker(0)
  await goOn(worker)
  await kill(worker)

  await store.close()
  expect(await child.close()).toBe(true)

  await open()
  await expectKept()
})
