import {
  type Admission,
  type Admitted,
  type Extended,
  type Extension,
  LEASE_MS,
  type Settlement,
} from '../../../src/gateway/store/hold-store.ts'
import type { KeyRecord, Mint } from '../../../src/gateway/store/key-store.ts'
import type { AccountTotalsQuery, TotalsQuery, Waste } from '../../../src/gateway/store/ledger-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { EpochMs, Millis } from '../../../src/policy/config.ts'
import { type Charge, type Hold, NOTHING } from '../../../src/policy/counters/account-counters.ts'
import { type Claims, windowOf } from '../../../src/policy/decision.ts'
import type { Terms } from '../../../src/policy/facts.ts'
import { limitsOf } from '../../../src/policy/limits/named-rules.ts'
import { type NanoUsd, nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { AuditRow } from '../../../src/records/audit.ts'
import type { Bill, LedgerRow } from '../../../src/records/ledger-row.ts'
import type { Total, WasteTotal } from '../../../src/records/sums.ts'

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

export interface Limits {
  readonly rpm?: number
  readonly tpm?: number
  readonly perDay?: number
  readonly maxConcurrent?: number
  readonly limit?: number
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
    limits: limitsOf({ rpm, tpm, per_day: perDay, max_concurrent: maxConcurrent }),
    input,
    spend: {
      limit: nanoUsd(limit),
      allotment: nanoUsd(limit),
      overageEnabled: false,
      window: windowOf(at),
      items: 0,
      price: { input: nanoUsd(1000), output: nanoUsd(2000) },
    },
    output: { want, min, choices },
  }
}

/** Longer than a lease: a hold that gave no sign of life since is the sweeper's. */
export const LAPSED: Millis = LEASE_MS + 5000

/** An account with an active key. */
export interface Shop {
  readonly keyHash: string
  readonly account: string
  readonly terms: Terms
}

/** How an operator mints a key for a label. */
export const mintOf = (label: string, key: string, override = 'pro'): Mint => ({
  key: { hash: `hash-${key}`, prefix: `svc_${key}…` },
  owner: { label, override, newAccount: `acct_${key}` },
  most: MOST_KEYS,
  by: 'operator',
})

/** How many keys an account may have. */
export const MOST_KEYS = 50

/** The key of a mint that the test takes for granted. */
export async function mintKey(store: Store, mint: Mint): Promise<KeyRecord> {
  const minted = await store.keys.mint(mint)
  if (!('key' in minted)) throw new Error(`the mint was refused: ${minted.outcome}`)
  return minted.key
}

export async function openShop(store: Store, label = 'shop', plan = 'pro'): Promise<Shop> {
  const key = { hash: `hash-of-${label}`, prefix: 'svc_7Hq2…' }
  const owner = { label, override: plan, newAccount: `acct_${label}` }
  return shopOf(await mintKey(store, { key, owner, most: MOST_KEYS, by: 'operator' }))
}

/** A device with its key. */
export async function openGuest(store: Store, device = 'phone'): Promise<Shop> {
  const key = { hash: `hash-of-${device}`, prefix: 'svc_9xYz…' }
  return shopOf(await store.keys.mintGuest({ account: `dev_${device}`, key }))
}

const shopOf = ({ hash, account, terms }: KeyRecord): Shop => ({ keyHash: hash, account, terms })

export const admission = (shop: Shop, requestId: string, claims: Claims = claimsOf()): Admission => ({
  ...shop,
  requestId,
  claims,
})

/** The hold of an admission that the test takes for granted. */
export async function admit(store: Store, shop: Shop, requestId: string, claims?: Claims): Promise<Hold> {
  return (await admitted(store, shop, requestId, claims)).hold
}

/** Admits a request, given an earlier view of the account. */
export async function admitted(store: Store, shop: Shop, requestId: string, claims?: Claims) {
  const answer = await store.holds.admit(admission(shop, requestId, claims))
  if (!('hold' in answer)) throw new Error(`${requestId} was not admitted: ${JSON.stringify(answer)}`)
  return answer
}

export const outcomes = (answers: readonly Admitted[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(answers.map(outcomeOf))].map(name => [
      name,
      answers.filter(answer => outcomeOf(answer) === name).length,
    ]),
  )

/** The outcome of a request, in one word. */
export const outcomeOf = (answer: Admitted | Extended): string => ('denial' in answer ? 'refused' : answer.outcome)

/** The amounts taken by a request: its rounds so far, and the whole present one. */
export const takenBy = ({ tokens, cost, spent }: Hold): Charge => ({
  tokens: spent.tokens + tokens,
  cost: nanoUsd(spent.cost + cost),
})

/** A settlement at what was taken, or at what is said. */
export function settlement(hold: Hold, charge: Charge = takenBy(hold)): Settlement {
  return { hold, tokens: charge.tokens, bill: billOf(hold, charge) }
}

function billOf(hold: Hold, { tokens, cost }: Charge): Bill {
  const inputTokens = Math.min(10, tokens)
  return {
    requestId: hold.requestId,
    account: hold.account,
    plan: 'pro',
    asked: 'svc-auto',
    model: 'svc-core',
    pool: 'onprem-core',
    inputTokens,
    outputTokens: tokens - inputTokens,
    cost,
    estimated: false,
    admittedAt: hold.at,
    revision: 'r1',
  }
}

/** The row of a settlement that came at `settledAt`; of a late one, what it adds to what was charged before. */
export function rowOf(
  { hold, bill }: Settlement,
  settledAt: EpochMs = hold.at,
  kind: LedgerRow['kind'] = 'settle',
  was: Settlement = settlement(hold, NOTHING),
): LedgerRow {
  return {
    ...bill,
    inputTokens: bill.inputTokens - was.bill.inputTokens,
    outputTokens: bill.outputTokens - was.bill.outputTokens,
    cost: nanoUsd(bill.cost - was.bill.cost),
    kind,
    settledAt,
  }
}

/** An attempt of a request that was wasted, at the price of another pool than the one that is charged for. */
export function waste(hold: Hold, attempt = 1, charge: Charge = { tokens: 15, cost: nanoUsd(9) }): Waste {
  return { attempt, bill: { ...billOf(hold, charge), pool: 'cloud-core', estimated: true }, cause: 'status 500' }
}

export const wasteRowOf = ({ bill, cause }: Waste, settledAt: EpochMs = bill.admittedAt): LedgerRow => ({
  ...bill,
  kind: 'waste',
  settledAt,
  cause,
})

/** The rows that somebody was charged. */
export const charged = (rows: readonly LedgerRow[]): LedgerRow[] => rows.filter(({ kind }) => kind !== 'waste')
/** The rows that nobody was. */
export const wasted = (rows: readonly LedgerRow[]): LedgerRow[] => rows.filter(({ kind }) => kind === 'waste')

export const wasteOf = (store: Store, query?: TotalsQuery): Promise<WasteTotal[]> => all(store.ledger.readWaste(query))

/** Asks for the next round of a request, after it spent what is said. */
export function extension(hold: Hold, spent: Charge, limits: Limits = {}): Extension {
  return { hold, round: hold.round + 1, soFar: settlement(hold, spent), claims: claimsOf({ at: hold.at, ...limits }) }
}

/** The hold of an extension that the test takes for granted. */
export async function extend(store: Store, hold: Hold, spent: Charge, limits?: Limits): Promise<Hold> {
  const extended = await store.holds.extend(extension(hold, spent, limits))
  if (!('hold' in extended)) throw new Error(`${hold.requestId} was not extended: ${JSON.stringify(extended)}`)
  return extended.hold
}

export const ledgerOf = (store: Store, account?: string): Promise<LedgerRow[]> =>
  all(store.ledger.readRows(account === undefined ? {} : { account }))

export const auditOf = (store: Store, query?: { account?: string; since?: EpochMs }): Promise<AuditRow[]> =>
  all(store.accounts.readAudit(query))

/** Totals in an order of their own. */
export async function totalsOf(store: Store, query?: AccountTotalsQuery): Promise<Total[]> {
  const nameOf = ({ day, account, plan, model, key }: Total) => [day, account, plan, model, key].join(' ')
  return (await all(store.ledger.readTotals(query))).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

export const sumOf = (rows: readonly { readonly cost: NanoUsd }[]): NanoUsd =>
  nanoUsd(rows.reduce((sum, { cost }) => sum + cost, 0))
