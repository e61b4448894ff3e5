import fc from 'fast-check'
import type { Settlement } from '../../../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { Hold } from '../../../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import { admit, type Clock, claimsOf, LAPSED, NOON, type Shop, settlement, waste } from '../../fixtures.ts'

export const DAY_MS = 86_400_000

interface Use {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cost: number
  readonly calls: Readonly<Record<string, number>>
}

/** The price of a call. */
const PRICES: Readonly<Record<string, number>> = { docs_search: 7, calculator: 0, constructor: 11 }

const use: fc.Arbitrary<Use> = fc.record({
  input: fc.integer({ min: 1, max: 10 }),
  output: fc.integer({ min: 0, max: 20 }),
  cached: fc.integer({ min: 0, max: 1 }),
  cost: fc.integer({ min: 0, max: 40 }),
  calls: fc.dictionary(fc.constantFrom(...Object.keys(PRICES)), fc.integer({ min: 1, max: 5 }), {
    noNullPrototype: true,
  }),
})

const FATES = ['settled', 'refunded', 'swept', 'late', 'taken back', 'wasted'] as const

/** A request of some day, and what became of it. */
export const asked = fc.record({
  model: fc.constantFrom('svc-core', 'svc-pro'),
  key: fc.constantFrom(undefined, 'key_1'),
  day: fc.integer({ min: 0, max: 2 }),
  fate: fc.constantFrom(...FATES),
  use,
  /** The usage in its checkpoint. */
  soFar: use,
})

type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never

/** Sends a request, and lets happen to it what it says. */
export async function play(store: Store, clock: Clock, shop: Shop, id: string, one: Asked): Promise<void> {
  clock.at = Math.max(clock.at, NOON + one.day * DAY_MS)
  const { holds } = store
  const hold = await admit(store, shop, id, claimsOf({ at: clock.at, rpm: 1e6, limit: 1e12 }))
  const whole = settlementOf(hold, one, one.use)
  if (one.fate === 'wasted') await store.ledger.recordWaste([waste(hold)])
  if (one.fate === 'settled' || one.fate === 'wasted') return holds.settle(whole)
  if (one.fate === 'refunded') return holds.refund(hold)
  await holds.heartbeat([{ hold, soFar: settlementOf(hold, one, one.soFar) }])
  clock.at += LAPSED
  await holds.sweep()
  if (one.fate === 'late') await holds.settle(whole)
  if (one.fate === 'taken back') await holds.refund(hold)
}

function settlementOf(hold: Hold, { model, key }: Asked, { input, output, cached, cost, calls }: Use): Settlement {
  const toolCosts = Object.fromEntries(
    Object.entries(calls).map(([name, made]) => [name, nanoUsd(made * (PRICES[name] ?? 0))]),
  )
  const paid = Object.values(toolCosts).reduce((sum: number, each) => sum + each, cost)
  const { bill, ...rest } = settlement(hold)
  const used = { inputTokens: input, outputTokens: output, cost: nanoUsd(paid), model }
  const called = Object.keys(calls).length > 0 && { tools: calls, toolCosts }
  const charges = { [`input@${priceOf(calls)}`]: input, 'output@1500': output, 'allowance@5000': 1 }
  const more = { charges, ...(cached > 0 && { cachedTokens: cached }), ...called, ...(key !== undefined && { key }) }
  return { ...rest, bill: { ...bill, ...used, ...more } }
}

/** A price that differs between a checkpoint and the end of a request, now and then. */
const priceOf = (calls: Use['calls']): number => 1000 * (1 + (Object.keys(calls).length % 2))
