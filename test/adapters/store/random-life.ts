import fc from 'fast-check'
import { expect } from 'vitest'
import type { EmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { LEASE_MS } from '../../../src/gateway/store/hold-store.ts'
import type { Charge, Hold } from '../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { expectTaken, holdShared } from './aspects/limits/shared.ts'
import { copyOf, expectBalanced, expectWasteBalanced, openHere } from './directory.ts'
import { type Clock, extension, type Shop, settlement, sumOf, waste } from './fixtures.ts'

/** A store, its requests, and what it acknowledged. */
export interface Life {
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

/** Begins with one request. */
export const beginLife = async (store: EmbeddedStore, shop: Shop, clock: Clock): Promise<Life> => ({
  ...{ store, shop, clock, settled: [], refunded: new Set(), wasted: [] },
  holds: [await holdShared(store, shop, 'req_000')],
})

/** Events of a store, and of one of its requests. */
const acts = {
  admit: async ({ store, shop, clock, holds }: Life) => {
    holds.push(await holdShared(store, shop, `req_${100 + holds.length}`, clock.at))
  },
  heartbeat: ({ store }: Life, hold: Hold, charge: Charge) =>
    store.holds.heartbeat([{ hold, soFar: settlement(hold, charge) }]),
  extend: async ({ store, holds }: Life, hold: Hold, spent: Charge) => {
    const answer = await store.holds.extend(extension(hold, spent))
    if ('hold' in answer) holds[holds.indexOf(hold)] = answer.hold
  },
  settle: async ({ store, settled, refunded }: Life, hold: Hold, charge: Charge) => {
    const counts = !refunded.has(hold.requestId)
    await store.holds.settle(settlement(hold, charge))
    if (counts) settled.push(hold.requestId)
  },
  refund: ({ store, refunded }: Life, hold: Hold) => {
    refunded.add(hold.requestId)
    return store.holds.refund(hold)
  },
  waste: async ({ store, wasted }: Life, hold: Hold, { tokens }: Charge) => {
    const attempt = 1 + (tokens % 3)
    const cause = `attempt ${attempt}`
    await store.ledger.recordWaste([{ ...waste(hold, attempt), cause }])
    wasted.push(`${hold.requestId} ${cause}`)
  },
  sweep: async ({ store, clock }: Life) => {
    clock.at += LEASE_MS / 3
    await store.holds.sweep()
  },
  flush: ({ store }: Life) => store.flush(),
}

const ACTS = [
  'admit',
  'admit',
  'heartbeat',
  'extend',
  'settle',
  'settle',
  'settle',
  'refund',
  'sweep',
  'flush',
  'waste',
] as const

export const lives = fc.array(
  fc.record({ act: fc.constantFrom(...ACTS), pick: fc.nat(99), wait: fc.boolean(), weight: fc.nat(30) }),
  { minLength: 10, maxLength: 40 },
)

type Step = typeof lives extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** Resolves once every act has. */
export async function live(life: Life, steps: readonly Step[]): Promise<void> {
  const calls: Promise<unknown>[] = []
  for (const { act, pick, wait, weight } of steps) {
    const hold = life.holds[pick % life.holds.length]
    const call = hold && acts[act](life, hold, { tokens: 10 + weight, cost: nanoUsd(10 + 2 * weight) })
    if (call) calls.push(call)
    if (wait) await call
  }
  await Promise.all(calls)
}

/** The files of a process that ended at this moment, and what it had acknowledged. */
export interface Crash {
  readonly copy: string
  readonly settled: readonly string[]
  readonly wasted: readonly string[]
}

export async function crashOf({ settled, wasted }: Life, path: string): Promise<Crash> {
  const acknowledged = { settled: [...settled], wasted: [...wasted] }
  return { ...acknowledged, copy: await copyOf(path) }
}

/** The next process has all that was acknowledged, and counters that are the sum of its rows. */
export async function expectKept({ copy, settled, wasted }: Crash, { shop, clock }: Life): Promise<void> {
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
