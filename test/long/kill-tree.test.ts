import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../src/adapters/redis/store.ts'
import type { Store } from '../../src/gateway/store/store.ts'
import { expectBalanced } from '../adapters/store/directory.ts'
import { ledgerOf } from '../adapters/store/fixtures.ts'
import { brief, expectKept, type Killed, killInTurn } from '../server/workers/kills-in-turn.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { sizeOf } from './harness/size.ts'

/** How often each process is killed. */
const ROUNDS = sizeOf('ROUNDS', 20)
const WORKERS = 4
const CLIENTS = 12
/** A lease of 30 s, and a sweep every 5 s after it: docs/decisions/005. */
const RELEASED_WITHIN = { timeout: 45_000, interval: 1000 }

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
  backend.always(brief)
})
afterAll(() => backend.close())

async function accountIn(store: Store): Promise<string> {
  const [found] = await store.accounts.findByLabel('ada')
  return found?.account ?? ''
}

const figures = ({ served, failures }: Killed) =>
  `${served.length} answers, and ${JSON.stringify(Object.fromEntries(failures))}`

it(`${ROUNDS} kills of main, of each worker and of the process of the store lose and double nothing`, async () => {
  const yaml = yamlOf(backend.url, directory => `embedded:${directory}/store`)
  const killed = await killInTurn({ workers: WORKERS, yaml, rounds: ROUNDS, clients: CLIENTS })
  onTestFinished(() => void killed.tree.end())
  expect(await killed.tree.drain()).toBe(0)

  const store = await openEmbeddedStore({ path: join(killed.tree.directory, 'store'), now: Date.now })
  onTestFinished(() => store.close())
  expectKept(killed, await expectBalanced(store, await accountIn(store)))
  console.log(`kills in turn, embedded: ${figures(killed)}`)
})

describeRedis('on Redis', () => {
  it(`${ROUNDS} kills of main, of each worker and of Redis lose and double nothing, and end what was held`, async () => {
    const redis = await startRedis({ durable: true })
    onTestFinished(() => redis.stop())
    const killed = await killInTurn({
      ...{ workers: WORKERS, yaml: yamlOf(backend.url, () => redis.url), rounds: ROUNDS, clients: CLIENTS },
      killRedis: () => redis.restart(),
    })
    onTestFinished(() => void killed.tree.end())

    const options = { url: redis.url, prefix: 'svc', stateDir: join(killed.tree.directory, 'reader') }
    const store = await openRedisStore({ ...options, alarm: () => {}, answerMs: 15_000 })
    onTestFinished(() => store.close())
    const account = await accountIn(store)
    // Settlements of a worker that lost Redis wait in its spool.
    await vi.waitFor(async () => expectKept(killed, await ledgerOf(store, account)), { timeout: 15_000 })
    await vi.waitFor(() => expectBalanced(store, account), RELEASED_WITHIN)
    console.log(`kills in turn, Redis: ${figures(killed)}`)
  })
})
