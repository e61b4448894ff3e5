import type { Database } from 'lmdb'
import type { RowState } from '../../gateway/store/store-record.ts'
import { addTotals, NO_SUMS, type TotalSums } from '../../gateway/store/total-sums.ts'
import { chargesWithout } from '../../policy/billing/charges.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import type { Mutable } from '../../policy/decision.ts'
import { addNanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import { callsOf } from '../../policy/tools.ts'
import { inOrder, listOf, type MaybeName } from '../../records/fields.ts'
import { BILL, type Bill, type LEDGER_ROW, type LedgerRow, ROW_FIELDS } from '../../records/ledger-row.ts'
import { put, type Write } from './lmdb.ts'

/** A ledger row with the fields that only the store needs. */
export type StoredRow = Omit<RowState, 'attempt'>

/** A row to be written. */
export interface Entry {
  readonly key: string
  readonly row: StoredRow
  /** 0 when the request has a row already. */
  readonly requests: 0 | 1
  /** The cached tokens that a late row has more than its orphan. */
  readonly cached?: CachedTokens
  /** The hosted tool calls that a late row has more than its orphan. */
  readonly tools?: ToolUse
}

/** Calls of hosted tools and what they cost, by name, and the charges of tokens and items. */
export type ToolUse = Pick<Bill, 'tools' | 'toolCosts' | 'charges'>

/** The key of the first row of a request is its id. The row of a late settlement sorts right after it, and then its waste. */
export const lateKey = (requestId: string): string => `${requestId}+late`
export const wasteKey = (requestId: string, attempt: number): string =>
  `${requestId}+waste${String(attempt).padStart(4, '0')}`

/** Each settlement makes one: a literal takes a hundredth of the time of a copy of the bill that gets two more fields. */
export function entryOf(bill: Bill, kind: 'settle' | 'orphan' | 'late', settledAt: EpochMs): Entry {
  const row: Mutable<StoredRow> = {
    requestId: bill.requestId,
    account: bill.account,
    plan: bill.plan,
    asked: bill.asked,
    model: bill.model,
    pool: bill.pool,
    inputTokens: bill.inputTokens,
    outputTokens: bill.outputTokens,
    cost: bill.cost,
    estimated: bill.estimated,
    admittedAt: bill.admittedAt,
    revision: bill.revision,
    kind,
    settledAt,
  }
  copyGiven(bill, BILL_OTHERS, row)
  return { key: kind === 'late' ? lateKey(bill.requestId) : bill.requestId, row, requests: 1 }
}

/** A row as an array: half the size of an object, which names its members each time, and packed in a quarter of the time. */
export type PackedRow = readonly [
  requestId: string,
  account: string,
  plan: string,
  asked: string,
  model: string,
  pool: string,
  inputTokens: number,
  outputTokens: number,
  cost: number,
  estimated: boolean,
  admittedAt: number,
  revision: string,
  kind: StoredRow['kind'],
  settledAt: number,
  others: Others | null,
]

/** The fields that not all rows have. */
type Others = Pick<StoredRow, OtherName>
type OtherName = MaybeName<typeof LEDGER_ROW> | StoreOnly
type StoreOnly = Exclude<keyof StoredRow, keyof LedgerRow>

/** Files have them in this order, and behind them those that were declared since. */
const OTHERS = inOrder<OtherName>(
  ['cachedTokens', 'cacheWriteTokens', 'rule', 'tools', 'toolCosts', 'cause', 'tokens', 'pieces', 'shared', 'key'],
  [
    ...ROW_FIELDS.filter(({ isOptional }) => isOptional).map(({ member }) => member as MaybeName<typeof LEDGER_ROW>),
    ...(Object.keys({ tokens: 0, pieces: 0, shared: 0 } satisfies Record<StoreOnly, 0>) as StoreOnly[]),
  ],
)

const BILL_OTHERS = listOf(BILL)
  .filter(({ isOptional }) => isOptional)
  .map(({ member }) => member as MaybeName<typeof BILL>)

export const packRow = (row: StoredRow): PackedRow => [
  row.requestId,
  row.account,
  row.plan,
  row.asked,
  row.model,
  row.pool,
  row.inputTokens,
  row.outputTokens,
  row.cost,
  row.estimated,
  row.admittedAt,
  row.revision,
  row.kind,
  row.settledAt,
  othersOf(row),
]

function othersOf(row: StoredRow): Others | null {
  const others: Others = {}
  return copyGiven(row, OTHERS, others) ? others : null
}

/** Copies the fields that are there. False where none is. */
function copyGiven<Name extends OtherName>(from: Others, names: readonly Name[], to: Others): boolean {
  let isGiven = false
  for (const name of names) {
    const value = from[name]
    if (value === undefined) continue
    ;(to as Record<string, unknown>)[name] = value
    isGiven = true
  }
  return isGiven
}

export function unpackRow(packed: PackedRow): StoredRow {
  const [requestId, account, plan, asked, model, pool, inputTokens, outputTokens, cost, estimated, ...rest] = packed
  const [admittedAt, revision, kind, settledAt, others] = rest
  const { rule, tools, ...last } = others ?? {}
  return {
    requestId,
    account,
    plan,
    asked,
    model,
    pool,
    inputTokens,
    outputTokens,
    cost: nanoUsd(cost),
    estimated,
    admittedAt,
    revision,
    ...(rule !== undefined && { rule }),
    ...(tools && { tools }),
    kind,
    settledAt,
    ...last,
  }
}

/** Without what only the store needs. */
export function ledgerRowOf({ tokens: _tokens, pieces: _pieces, shared: _shared, ...row }: StoredRow): LedgerRow {
  return row
}

/** Without a key for sign-ins, and in totals of older gateways. */
export type TotalKey = [day: number, account: string, plan: string, model: string, ...key: string[]]
export type WasteKey = [day: number, pool: string]
/** The place of a tool's totals; sign-ins have no key. */
export type ToolKey = [day: number, account: string, plan: string, model: string, tool: string, ...key: string[]]

export const totalKey = ({ admittedAt, account, plan, model, key }: LedgerRow): TotalKey =>
  key === undefined ? [dayAt(admittedAt), account, plan, model] : [dayAt(admittedAt), account, plan, model, key]

export const wasteTotalKey = ({ admittedAt, pool }: LedgerRow): WasteKey => [dayAt(admittedAt), pool]

const toolKey = ({ admittedAt, account, plan, model, key }: LedgerRow, tool: string): ToolKey =>
  key === undefined
    ? [dayAt(admittedAt), account, plan, model, tool]
    : [dayAt(admittedAt), account, plan, model, tool, key]

/**
 * The additions of tool calls to their totals; rows that do not say what their calls cost add none. Charges are counted
 * there too, under their own names, which say what they cost.
 */
export function addTools(tally: Tally<ToolKey>, row: LedgerRow, { tools, toolCosts, charges }: ToolUse = row): void {
  if (charges)
    for (const [name, quantity] of Object.entries(charges))
      if (quantity !== 0) tally.add(toolKey(row, name), FREE, quantity)
  if (!tools || !toolCosts) return
  for (const [tool, calls] of Object.entries(tools))
    tally.add(toolKey(row, tool), { ...NO_TOKENS, cost: toolCosts[tool] ?? ZERO_USD }, calls)
}

const NO_TOKENS = { inputTokens: 0, outputTokens: 0 }
const FREE = { ...NO_TOKENS, cost: ZERO_USD }

/** The calls and charges of `a` without those of `b`. */
export function toolsWithout(a: ToolUse, b: ToolUse): ToolUse {
  const was = b.toolCosts ? b : {}
  const names = [...new Set([...Object.keys(a.tools ?? {}), ...Object.keys(was.tools ?? {})])]
  const costOf = ({ toolCosts = {} }: ToolUse, name: string) => nanoUsd(callsOf(toolCosts, name))
  const differences = names.map(name => ({
    name,
    calls: callsOf(a.tools ?? {}, name) - callsOf(was.tools ?? {}, name),
    cost: subtractNanoUsd(costOf(a, name), costOf(was, name)),
  }))
  return {
    tools: Object.fromEntries(differences.map(({ name, calls }) => [name, calls])),
    toolCosts: Object.fromEntries(differences.map(({ name, cost }) => [name, cost])),
    charges: chargesWithout(a.charges ?? {}, b.charges ?? {}),
  }
}

/** The sums that new rows add to the totals of one kind. Of tools the calls are counted, where others have requests. */
export class Tally<K extends TotalKey | WasteKey | ToolKey> {
  /** Sums by the account or pool of their keys: few have more than one key. */
  readonly #sums = new Map<string, Added<K>[]>()

  add(key: K, row: Omit<TotalSums, 'requests'>, requests: number, cached: CachedTokens = row): void {
    const { inputTokens, outputTokens, cost } = row
    const sums = this.#sumsOf(key)
    sums.requests += requests
    sums.inputTokens += inputTokens
    sums.outputTokens += outputTokens
    sums.cost = addNanoUsd(sums.cost, cost)
    if (!isCached(cached)) return
    sums.cachedTokens = (sums.cachedTokens ?? 0) + (cached.cachedTokens ?? 0)
    sums.cacheWriteTokens = (sums.cacheWriteTokens ?? 0) + (cached.cacheWriteTokens ?? 0)
  }

  /** The writes of all changed totals: the sums are added to what `before` has. */
  writes(totals: Database<TotalSums, K>, before: (key: K) => TotalSums | undefined): Write[] {
    const writes: Write[] = []
    for (const added of this.#sums.values())
      for (const { key, sums } of added) writes.push(put(totals, key, addTotals(before(key) ?? NO_SUMS, sums)))
    return writes
  }

  #sumsOf(key: K): Mutable<TotalSums> {
    const of = this.#sums.get(key[1])
    for (const { key: other, sums } of of ?? []) if (sameKey(key, other)) return sums
    const sums: Mutable<TotalSums> = { ...NO_SUMS }
    if (of) of.push({ key, sums })
    else this.#sums.set(key[1], [{ key, sums }])
    return sums
  }
}

interface Added<K> {
  readonly key: K
  readonly sums: Mutable<TotalSums>
}

function sameKey(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let part = 0; part < a.length; part++) if (a[part] !== b[part]) return false
  return true
}

/** Most rows are not. */
const isCached = ({ cachedTokens, cacheWriteTokens }: CachedTokens): boolean =>
  cachedTokens !== undefined || cacheWriteTokens !== undefined
