import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedStore } from '../../src/adapters/embedded/embedded-store.ts'
import { openRedisStore } from '../../src/adapters/redis/redis-store.ts'
import type { Store } from '../../src/gateway/store/store.ts'
import { expectBalanced } from '../adapters/store/directory.ts'
import { askOnce, brief, expectKept } from '../server/workers/kills-in-turn.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis, type RedisServer, startRedis } from '../support/redis/redis.ts'
import { sizeOf, spread } from './harness/size.ts'

const KILLS = sizeOf('KILLS', 12)
const CLIENTS = sizeOf('CLIENTS', 100)
const MOVES = sizeOf('MOVES', 6)
/** What the gateway says before it goes on to the next step, by which a kill meets each of them. */
const STEPS = ['rows are copied, and', 'ms to copy', 'requests wait', 'moved'] as const
/** A kill comes so long after a step, or sooner. */
const AFTER_MS = 120
/** Requests wait for 2 s at the most; the rest is what a request takes here beside all the others. */
const LONGEST_MS = 2000 + 1500
/** A gateway that was killed is one of the fleet for so long, and what it held of limits is held. */
const LEASE = { timeout: 60_000, interval: 1000 }

type Kind = 'embedded' | 'redis'
const other = (kind: Kind): Kind => (kind === 'embedded' ? 'redis' : 'embedded')

describeRedis('a gateway whose store is moved', () => {
  let backend: Backend
  let redis: RedisServer
  beforeAll(async () => {
    backend = await startBackend()
    backend.always(brief)
  })
  afterAll(() => backend.close())
  beforeEach(async () => {
    redis = await startRedis({ durable: true })
    onTestFinished(() => redis.stop())
  })

  const yamlOn = (kind: Kind) =>
    yamlOf(backend.url, directory => (kind === 'embedded' ? `embedded:${directory}/store` : redis.url))
  const urlOf = (kind: Kind, tree: Tree) => (kind === 'embedded' ? `embedded:${tree.directory}/store` : redis.url)

  it(`has all that was acknowledged in one store after ${KILLS} kills, whatever the move was at`, async () => {
    let kind: Kind = 'embedded'
    let tree = await startTree(1, yamlOn(kind))
    onTestFinished(() => void tree.end())
    const load = loadOn(() => tree, await tree.mint('pro', 'ada'), 8)
    const ends: string[] = []

    for (let kill = 0; kill < KILLS; kill++) {
      const step = STEPS[kill % STEPS.length] ?? 'moved'
      await load.more(40)
      await killAt(tree, urlOf(other(kind), tree), step)
      const started = await startWhereItIs(tree, kind)
      ends.push(`${kind} ${step}: ${started.kind}`)
      tree = started.tree
      kind = started.kind
    }
    await load.more(40)
    const killed = { tree, unclean: [], ...(await load.end()) }
    await tree.drain()

    const store = await openAs(kind, tree)
    onTestFinished(() => store.close())
    const [found] = await store.accounts.findByLabel('ada')
    await eventuallyFree(store, found?.account ?? '')
    expectKept(killed, await expectBalanced(store, found?.account ?? ''))
    console.log(`kills of a move: ${killed.served.length} answers; ${ends.join(', ')}`)
  })

  it(`has ${CLIENTS} clients wait for 2 s at the most, and answers each of them, in ${MOVES} moves there and back`, async () => {
    let kind: Kind = 'embedded'
    const tree = await startTree(1, yamlOn(kind))
    onTestFinished(() => void tree.end())
    const load = loadOn(() => tree, await tree.mint('pro', 'ada'), CLIENTS)
    const [paused, late] = [[] as number[], [] as string[]]

    for (let move = 0; move < MOVES; move++) {
      await load.more(CLIENTS)
      const end = (await migrate(tree, urlOf(other(kind), tree), () => {})).at(-1)
      const { paused_ms } = (end?.moved ?? {}) as { readonly paused_ms?: number }
      // A machine that others use may be too slow for it; then all goes on as it was.
      if (paused_ms === undefined) late.push(String(end?.failed))
      else {
        paused.push(paused_ms)
        kind = other(kind)
      }
    }
    await load.more(CLIENTS)
    const { served, failures, longestMs } = await load.end()
    await tree.drain()

    const store = await openAs(kind, tree)
    onTestFinished(() => store.close())
    const [found] = await store.accounts.findByLabel('ada')
    expect(Object.fromEntries(failures)).toEqual({})
    expect(late.filter(reason => !/was not done in 1600 ms|would wait too long/.test(reason))).toEqual([])
    expect(paused).not.toEqual([])
    expectKept({ tree, served, failures, unclean: [] }, await expectBalanced(store, found?.account ?? ''))
    console.log(
      `moves under load: ${served.length} answers to ${CLIENTS} clients, none failed; ${late.length} moves were too late (${[...new Set(late)].join(', ')}); paused ms ${spread(paused)}; longest answer ${Math.round(longestMs)} ms`,
    )
    expect(longestMs).toBeLessThan(LONGEST_MS)
  })

  /** Kills the gateway a moment after a step of its move. One that is over before is killed then. */
  async function killAt(tree: Tree, to: string, step: string): Promise<void> {
    const kill = async () => {
      await sleep(randomInt(AFTER_MS))
      tree.process.kill('SIGKILL')
    }
    let killing: Promise<void> | undefined
    await eventually(async () => {
      const lines = await migrate(tree, to, line => {
        if (line.includes(step)) killing ??= kill()
      }).catch(() => [])
      // Its predecessor, which was killed, is in the fleet for a while.
      if (String(lines.at(-1)?.failed).includes('other gateways')) throw new Error('not yet')
    }, LEASE)
    await (killing ?? kill())
    await tree.ended
  }

  /** By the file that names the store of before, or else by one that names the other: one of both serves. */
  async function startWhereItIs(before: Tree, kind: Kind): Promise<{ readonly tree: Tree; readonly kind: Kind }> {
    try {
      return { tree: await startTree(1, yamlOn(kind), before), kind }
    } catch (error) {
      expect(String(error)).toContain('all that it had moved to')
      return { tree: await startTree(1, yamlOn(other(kind)), before), kind: other(kind) }
    }
  }

  function openAs(kind: Kind, tree: Tree): Promise<Store> {
    return kind === 'embedded'
      ? openEmbeddedStore({ path: join(tree.directory, 'store'), now: Date.now })
      : openRedisStore({
          ...{ url: redis.url, prefix: 'svc', stateDir: join(tree.directory, 'reader') },
          ...{ alarm: () => {}, answerMs: 15_000 },
        })
  }
})

/** Resolves with the lines of the answer, each of which `seen` gets as it comes. */
async function migrate(tree: Tree, to: string, seen: (line: string) => void) {
  const response = await fetch(`${tree.admin}/admin/store/migrate`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-admin-token', 'content-type': 'application/json' },
    body: JSON.stringify({ to, replace: true }),
  })
  const lines: Record<string, unknown>[] = []
  const reader = createInterface({ input: Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) })
  reader.on('line', line => {
    seen(line)
    lines.push(JSON.parse(line))
  })
  await once(reader, 'close')
  return lines
}

/** Clients that ask one request after the other, streams and whole answers by turns. */
function loadOn(tree: () => Tree, key: string, clients: number) {
  const served: string[] = []
  const failures = new Map<string, number>()
  let isOver = false
  let longestMs = 0
  const client = async (number: number) => {
    for (let n = number; !isOver; n++) {
      const began = performance.now()
      const { id, end } = await askOnce(tree(), key, n % 2 === 0)
      longestMs = Math.max(longestMs, performance.now() - began)
      if (end === 'whole') served.push(id)
      else failures.set(end, (failures.get(end) ?? 0) + 1)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    more: (count: number) => {
      const before = served.length
      return eventually(() => expect(served.length).toBeGreaterThan(before + count), LEASE)
    },
    end: async () => {
      isOver = true
      await running
      return { served, failures, longestMs }
    },
  }
}

/** What killed gateways held is let go of by a sweep, of which a store without gateways has none. */
async function eventuallyFree(store: Store, account: string): Promise<void> {
  await eventually(async () => {
    await store.holds.sweep()
    expect(await store.accounts.readSpend(account)).toMatchObject({ held: 0 })
  }, LEASE)
}
