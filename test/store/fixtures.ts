import type { Admission, Admitted, LedgerRow, Settlement, Store } from '../../src/gateway/store.ts'
import type { EpochMs, NanoUsd } from '../../src/policy/config.ts'
import type { Claims } from '../../src/policy/decision.ts'
import type { Charge, Hold } from '../../src/policy/standing.ts'
import { windowOf } from '../../src/policy/window.ts'

/** A Monday in the middle of a month, on a full second. */
export const NOON: EpochMs = Date.UTC(2025, 5, 16, 12)

/** A clock that stands still until it is told. */
export interface Clock {
  at: EpochMs
  readonly now: () => EpochMs
}

export function clockAt(at: EpochMs): Clock {
  const clock: Clock = { at, now: () => clock.at }
  return clock
}

interface Limits {
  readonly rpm?: number
  readonly tpm?: number
  readonly perDay?: number
  readonly maxConcurrent?: number
  readonly limit?: NanoUsd
  readonly input?: number
  readonly want?: number
  readonly min?: number
  readonly choices?: number
  readonly at?: EpochMs
}

/** Claims at 1 nano-USD a token in and 2 a token out: 10 in and 20 out by default, 50 nano-USD. */
export function claimsOf(limits: Limits = {}): Claims {
  const { rpm = 1000, tpm = 1_000_000, perDay, maxConcurrent, limit = 1_000_000, at = NOON } = limits
  const { input = 10, want = 20, min = want, choices = 1 } = limits
  return {
    requests: { limit: rpm },
    tokens: { limit: tpm, input },
    ...(perDay !== undefined && { day: { limit: perDay } }),
    ...(maxConcurrent !== undefined && { concurrency: { limit: maxConcurrent } }),
    spend: {
      limit,
      allotment: limit,
      overageEnabled: false,
      window: windowOf(at),
      items: 0,
      price: { input: 1000, output: 2000 },
    },
    output: { want, min, choices },
  }
}

/** An account with an active key. */
export interface Shop {
  readonly keyHash: string
  readonly account: string
  readonly plan: string
}

export async function openShop(store: Store, label = 'shop', plan = 'pro'): Promise<Shop> {
  const mint = { keyHash: `hash-of-${label}`, keyPrefix: 'svc_7Hq2…', label, plan, newAccount: `acct_${label}` }
  const { key } = await store.mintKey(mint)
  return { keyHash: key.hash, account: key.account, plan }
}

export const admission = (shop: Shop, requestId: string, claims: Claims = claimsOf()): Admission => ({
  ...shop,
  requestId,
  claims,
})

/** The hold of an admission that the test takes for granted. */
export async function admit(store: Store, shop: Shop, requestId: string, claims?: Claims): Promise<Hold> {
  const admitted = await store.admit(admission(shop, requestId, claims))
  if (admitted.outcome !== 'admitted') throw new Error(`${requestId} was not admitted: ${JSON.stringify(admitted)}`)
  return admitted.hold
}

export const outcomes = (answers: readonly Admitted[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(answers.map(({ outcome }) => outcome))].map(name => [
      name,
      answers.filter(({ outcome }) => outcome === name).length,
    ]),
  )

/** A settlement at what was held, or at what is said. */
export function settlement(hold: Hold, charge: Charge = hold): Settlement {
  return { hold, charge: { tokens: charge.tokens, cost: charge.cost }, row: rowOf(hold, charge.cost) }
}

export const rowOf = (hold: Hold, cost: NanoUsd): LedgerRow => ({
  requestId: hold.requestId,
  account: hold.account,
  plan: 'pro',
  asked: 'svc-auto',
  model: 'svc-core',
  pool: 'onprem-core',
  inputTokens: 10,
  outputTokens: 20,
  cost,
  kind: 'settle',
  estimated: false,
  admittedAt: hold.at,
  settledAt: hold.at + 800,
  revision: 'r1',
})

export async function ledgerOf(store: Store, account?: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for await (const row of store.readLedger(account)) rows.push(row)
  return rows
}

export const sumOf = (rows: readonly LedgerRow[]): NanoUsd => rows.reduce((sum, { cost }) => sum + cost, 0)
