import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/embedded-store.ts'
import { StoreLocked } from '../../../src/adapters/embedded/store-directory.ts'
import { LEASE_MS } from '../../../src/gateway/store/hold-store.ts'
import type { Charge, Hold } from '../../../src/policy/counters/account-counters.ts'
import type { RuleClaim } from '../../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { expectTaken, holdShared } from './aspects/limits/shared.ts'
import { copyOf, expectBalanced, expectWasteBalanced, newDirectory, openHere, openWatched } from './directory.ts'
import { type Clock, claimsOf, clockAt, extension, NOON, type Shop, settlement, sumOf, waste } from './fixtures.ts'

const ROUNDS = 3
/** Blocks of 1,024 bytes in bash: what a store holds back, and room for a few thousand rows. */
const FULL_AT = 3000
const root = resolve(import.meta.dirname, '../../..')
let built: string

const now = () => Date.now()

/** Node 20 runs JavaScript only, so the child needs the store built; inside node_modules, where its imports resolve. */
beforeAll(async () => {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  built = await mkdtemp(join(cache, 'store-'))
  const project = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(root, 'src'), outDir: built, typeRoots: [join(root, 'node_modules/@types')] },
    files: [join(root, 'src/adapters/embedded/embedded-store.ts')],
    include: [],
  }
  await writeFile(join(built, 'tsconfig.json'), JSON.stringify(project))
  await writeFile(join(built, 'package.json'), JSON.stringify({ type: 'module' }))
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', built])
})

afterAll(async () => {
  await rm(built, { recursive: true })
})

const childFile = fileURLToPath(new URL('./crash.child.js', import.meta.url))
const childOf = (path: string): string[] => [process.execPath, childFile, built, path]

async function* linesOf(command: string, args: readonly string[]): AsyncGenerator<string, void, undefined> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exit = once(child, 'exit')
  try {
    yield* createInterface({ input: child.stdout })
  } finally {
    child.kill('SIGKILL')
    await exit
  }
}

/** A child's output before it was killed, a few hundred settlements in. */
async function settleUntilKilled(path: string): Promise<string[]> {
  const [command = '', ...args] = childOf(path)
  const settled: string[] = []
  for await (const line of linesOf(command, args)) {
    settled.push(line)
    if (settled.length === 1) await expect(openEmbeddedStore({ path, now })).rejects.toThrow(StoreLocked)
    if (settled.length === 300) break
  }
  return settled
}

/** Everything that was said to be settled is in the ledger once; what is left of the others is at their checkpoints. */
async function expectKept(path: string, settled: readonly string[]): Promise<void> {
  const store = await openEmbeddedStore({ path, now })
  const rows = await expectBalanced(store, 'acct_a')
  const rules = await store.holds.readRules('acct_a', { ...claimsOf(), rules: RULES })
  await store.close()

  const kept = new Set(rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId))
  const orphans = rows.filter(({ kind }) => kind === 'orphan')
  expect(settled.length).toBeGreaterThanOrEqual(100)
  expect(orphans.length).toBeGreaterThanOrEqual(4)
  expect(kept.size + orphans.length).toBe(rows.length)
  expect(settled.filter(requestId => !kept.has(requestId))).toEqual([])
  expect(orphans.filter(({ requestId, cost }) => kept.has(requestId) || cost !== 14)).toEqual([])
  expect(rules).toMatchObject([
    { used: sumOf(rows), held: 0 },
    { used: 0, held: 0 },
  ])
}

/** Those of the child. */
const RULES: readonly RuleClaim[] = [
  { rule: { measure: 'usd', most: 1e12, per: '90d', of: 'user' }, group: 'user:ada', field: 'usd/90d//' },
  { rule: { measure: 'concurrent', most: 1e12, of: 'user' }, group: 'user:ada', field: 'concurrent///' },
]

it('kill -9 loses no settlement that resolved, and the next process can open the store', async () => {
  const path = await newDirectory()

  for (let round = 1; round <= ROUNDS; round++) await expectKept(path, await settleUntilKilled(path))
})

it('a full disk ends settlements with StoreUnavailable, and neither the process nor what was settled', async () => {
  const path = await newDirectory()
  const settled: string[] = []

  const limited = ['-c', `ulimit -f ${FULL_AT}; exec "$0" "$@"`, ...childOf(path)]
  for await (const line of linesOf('bash', limited)) settled.push(line)

  expect(settled.pop()).toBe('StoreUnavailable')
  await expectKept(path, settled)
})

interface World {
  readonly store: EmbeddedStore
  readonly shop: Shop
  readonly clock: Clock
  readonly holds: Hold[]
  /** Requests whose settlement resolved, and was not preceded by a refund. */
  readonly settled: string[]
  readonly refunded: Set<string>
  /** Requests and attempts whose waste resolved. */
  readonly wasted: string[]
}

/** Events of a store, and of one of its requests. */
const acts = {
  admit: async ({ store, shop, holds }: World) => {
    holds.push(await holdShared(store, shop, `req_${100 + holds.length}`))
  },
  heartbeat: ({ store }: World, hold: Hold, charge: Charge) =>
    store.holds.heartbeat([{ hold, soFar: settlement(hold, charge) }]),
  extend: async ({ store, holds }: World, hold: Hold, spent: Charge) => {
    const answer = await store.holds.extend(extension(hold, spent))
    if ('hold' in answer) holds[holds.indexOf(hold)] = answer.hold
  },
  settle: async ({ store, settled, refunded }: World, hold: Hold, charge: Charge) => {
    const counts = !refunded.has(hold.requestId)
    await store.holds.settle(settlement(hold, charge))
    if (counts) settled.push(hold.requestId)
  },
  refund: ({ store, refunded }: World, hold: Hold) => {
    refunded.add(hold.requestId)
    return store.holds.refund(hold)
  },
  waste: async ({ store, wasted }: World, hold: Hold, { tokens }: Charge) => {
    const attempt = 1 + (tokens % 3)
    const cause = `attempt ${attempt}`
    await store.ledger.recordWaste([{ ...waste(hold, attempt), cause }])
    wasted.push(`${hold.requestId} ${cause}`)
  },
  sweep: async ({ store, clock }: World) => {
    clock.at += LEASE_MS / 3
    await store.holds.sweep()
  },
  flush: ({ store }: World) => store.flush(),
}

const names = [
  'admit',
  'admit',
  'heartbeat',
  'extend',
  'settle',
  'settle',
  'refund',
  'sweep',
  'flush',
  'waste',
] as const
const step = fc.record({ act: fc.constantFrom(...names), pick: fc.nat(99), wait: fc.boolean(), weight: fc.nat(30) })

it('whenever it crashes, nothing that resolved is lost, and `used` and what guests share are the sum of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
      const clock = clockAt(NOON)
      const { path, store, disk, files, shop } = await openWatched(clock.now)
      const holds = [await holdShared(store, shop, 'req_000')]
      const world: World = { store, shop, clock, holds, settled: [], refunded: new Set(), wasted: [] }
      // The files change with a commit and at no other time.
      const crashes: { copy: string; settled: readonly string[]; wasted: readonly string[] }[] = []
      disk.commit = async writes => {
        await files.commit(writes)
        crashes.push({ copy: await copyOf(path), settled: [...world.settled], wasted: [...world.wasted] })
      }

      const calls: Promise<unknown>[] = []
      for (const { act, pick, wait, weight } of steps) {
        const hold = world.holds[pick % world.holds.length]
        const call = hold && acts[act](world, hold, { tokens: 10 + weight, cost: nanoUsd(10 + 2 * weight) })
        if (call) calls.push(call)
        if (wait) await call
      }
      await Promise.all(calls)
      await store.flush()

      for (const { copy, settled, wasted } of crashes) {
        const after = await openHere(copy, clock.now)
        const rows = await expectBalanced(after, shop.account)
        await expectTaken(after, shop, sumOf(rows))
        const rowsOfWaste = await expectWasteBalanced(after)
        await after.close()
        const written = new Set(rowsOfWaste.map(({ requestId, cause }) => `${requestId} ${cause}`))
        expect(wasted.filter(one => !written.has(one))).toEqual([])
        const kept = new Set(rows.map(({ requestId }) => requestId))
        expect(settled.filter(requestId => !kept.has(requestId))).toEqual([])
      }
    }),
    { numRuns: 15 },
  )
})
