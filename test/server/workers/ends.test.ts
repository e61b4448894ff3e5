import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/embedded-store.ts'
import type { LedgerRow } from '../../../src/gateway/store/ledger-store.ts'
import { expectBalanced } from '../../adapters/store/directory.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { freePort } from '../../support/free-port.ts'
import { startTree, type Tree } from './tree.ts'

/** More in `KILLS=100 npx vitest run test/server/workers`. */
const KILLS = Number(process.env.KILLS ?? 3)
const CLIENTS = 6

let backend: Backend
let tree: Tree
let key: string

const yaml = (port: number) => (directory: string) =>
  `
version: 1
server: { listen: 127.0.0.1:${port}, admin: 127.0.0.1:0, state_dir: ${directory} }
store: embedded:${directory}/store
limits: { shed_load: false }
plans:
  pro: { models: all, rpm: 100k, tpm: 900M, monthly_usd: 500 }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
aliases: { auto: svc-core }
default_model: auto
pools:
  onprem: { site: on-premises, model: test-model, replicas: ["${backend.url}"] }
`

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

beforeEach(async () => {
  backend.always(answer({ content: 'Hi' }))
  // Not any port: while no worker listens the port is free, and the next one would get another.
  tree = await startTree(2, yaml(await freePort()))
  onTestFinished(() => void tree.end())
  key = await tree.mint('pro', 'ada')
})

/** What is left in the store of a gateway that ended. */
async function rowsLeft(): Promise<readonly LedgerRow[]> {
  const store = await openEmbeddedStore({ path: join(tree.directory, 'store'), now: Date.now })
  const [account] = await store.accounts.findByLabel('ada')
  const rows = await expectBalanced(store, account?.account ?? '')
  await store.close()
  return rows
}

const children = () => [...tree.pids('worker'), ...tree.pids('store')]
const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('drains: what runs is answered, and nothing is left of any process', async () => {
  backend.always(async context => {
    await sleep(300)
    return answer({ content: 'Hi' })(context)
  })
  const [all, before] = [children(), backend.requests.length]
  const running = [tree.chat(key), tree.chat(key), tree.chat(key)]
  await vi.waitFor(() => expect(backend.requests.length).toBe(before + 3), { timeout: 10_000 })

  expect(await tree.drain()).toBe(0)

  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(all.filter(isThere)).toEqual([])
  expect(await rowsLeft()).toHaveLength(3)
})

it('ends with 5 where the store was killed, and the workers end with it', async () => {
  const all = children()
  const [store = 0] = tree.pids('store')

  process.kill(store, 'SIGKILL')

  expect(await tree.ended).toBe(5)
  await vi.waitFor(() => expect(all.filter(isThere)).toEqual([]), { timeout: 10_000 })
})

it('leaves no process behind where main was killed, and the store as it was', async () => {
  expect((await tree.chat(key)).status).toBe(200)
  const all = children()

  tree.process.kill('SIGKILL')

  await vi.waitFor(() => expect(all.filter(isThere)).toEqual([]), { timeout: 10_000 })
  expect(await rowsLeft()).toHaveLength(1)
})

it(`loses and doubles nothing where workers are killed under load, ${KILLS} times`, async () => {
  const served: string[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      try {
        const response = await tree.chat(key, {}, AbortSignal.timeout(3000))
        await response.text()
        if (response.status === 200) served.push(response.headers.get('x-request-id') ?? '')
      } catch {
        // Its worker was killed, with its connection or while that was handed over.
        await sleep(5)
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  for (let n = 0; n < KILLS; n++) {
    const from = served.length
    await vi.waitFor(() => expect(served.length).toBeGreaterThan(from + 20), { timeout: 20_000 })
    const [victim = 0] = tree.pids('worker')
    process.kill(victim, 'SIGKILL')
    await vi.waitFor(() => expect(tree.pids('worker')).toHaveLength(2), { timeout: 20_000 })
  }
  isOver = true
  await Promise.all(clients)
  expect(await tree.drain()).toBe(0)

  const rows = await rowsLeft()
  const settled = rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId)
  expect(new Set(settled).size).toBe(settled.length)
  expect(served.filter(requestId => !settled.includes(requestId))).toEqual([])
  expect(served.length).toBeGreaterThan(20 * KILLS)
})
