import type { Database } from 'lmdb'
import type { RowState } from '../../gateway/store/record.ts'
import { addTotals, LATER_SUMS, type LaterSums, NO_SUMS } from '../../gateway/store/total-sums.ts'
import { chargesWithout } from '../../policy/billing/charges.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { callsOf } from '../../policy/tools.ts'
import { inOrder, listOf, type MaybeName } from '../../records/fields.ts'
import {
  BILL,
  type Bill,
  dayOfRow,
  type LEDGER_ROW,
  type LedgerRow,
  ROW_FIELDS,
  wasteOf,
} from '../../records/ledger-row.ts'
import type { Sums } from '../../records/sums.ts'
import { put, type Write } from './lmdb.ts'

/** A ledger row with the fields that only the store needs. */
export type StoredRow = Omit<RowState, 'attempt'>

/** A row to be written. */
export interface Entry {
  readonly key: string
  readonly row: StoredRow
  /** 0 when the request has a row already. */
  readonly requests: 0 | 1
  /** The sums of a late row that exceed those of its orphan. */
  readonly later?: LaterSums
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

/** Copies the fields that are present. False if there are none. */
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

export function totalKey(row: LedgerRow): TotalKey {
  const { account, plan, model, key } = row
  const day = dayOfRow(row)
  return key === undefined ? [day, account, plan, model] : [day, account, plan, model, key]
}

export const wasteTotalKey = (row: LedgerRow): WasteKey => [dayOfRow(row), wasteOf(row)]

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

/** The sums that new rows add to the totals of one kind. */
export class Tally<K extends TotalKey | WasteKey> {
  /** Sums by the account or pool of their keys: few have more than one key. */
  readonly #sums = new Map<string, Added<K>[]>()

  add(key: K, row: Omit<Sums, 'requests'>, requests: number, later: LaterSums = row): Added<K> {
    const { inputTokens, outputTokens, cost } = row
    const added = this.#addedTo(key)
    const { sums } = added
    // All of these are numbers, whatever their units.
    const others: Partial<Record<(typeof LATER_SUMS)[number], number>> = sums
    sums.requests += requests
    sums.inputTokens += inputTokens
    sums.outputTokens += outputTokens
    sums.cost = addNanoUsd(sums.cost, cost)
    for (const name of LATER_SUMS) {
      const sum = later[name]
      if (sum !== undefined) others[name] = (others[name] ?? 0) + sum
    }
    return added
  }

  /** The writes of all changed totals: the sums are added to what `before` has. */
  writes(totals: Database<Sums, K>, before: (key: K) => Sums | undefined): Write[] {
    const writes: Write[] = []
    for (const added of this.#sums.values())
      for (const { key, sums } of added) writes.push(put(totals, key, addTotals(before(key) ?? NO_SUMS, sums)))
    return writes
  }

  *[Symbol.iterator](): Iterator<Added<K>> {
    for (const added of this.#sums.values()) yield* added
  }

  #addedTo(key: K): Added<K> {
    const of = this.#sums.get(key[1])
    for (const other of of ?? []) if (sameKey(key, other.key)) return other
    const added: Added<K> = { key, sums: { ...NO_SUMS }, tools: undefined }
    if (of) of.push(added)
    else this.#sums.set(key[1], [added])
    return added
  }
}

/** The additions of rows to one total, and to the totals of the tools beside it. */
interface Added<K> {
  readonly key: K
  readonly sums: Mutable<Sums>
  /** Calls and what they cost, by the names of tools and charges. Most rows have charges of the same few names. */
  tools: Map<string, AddedTool> | undefined
}

interface AddedTool {
  calls: number
  cost: NanoUsd
}

/**
 * The additions of tool calls to their totals; rows that do not say what their calls cost add none. Charges are counted
 * there too, under their own names, which say what they cost.
 */
export function addTools(added: Added<TotalKey>, { tools, toolCosts, charges }: ToolUse): void {
  if (!charges && !(tools && toolCosts)) return
  added.tools ??= new Map()
  for (const name in charges) {
    const quantity = charges[name]
    if (quantity) addTool(added.tools, name, quantity, ZERO_USD)
  }
  if (!tools || !toolCosts) return
  for (const name in tools) addTool(added.tools, name, tools[name] ?? 0, toolCosts[name] ?? ZERO_USD)
}

function addTool(tools: Map<string, AddedTool>, name: string, calls: number, cost: NanoUsd): void {
  const added = tools.get(name)
  if (!added) {
    tools.set(name, { calls, cost })
    return
  }
  added.calls += calls
  added.cost = addNanoUsd(added.cost, cost)
}

/** The writes of all changed totals of tools. */
export function toolWrites(tally: Tally<TotalKey>, totals: Database<Sums, ToolKey>): Write[] {
  const writes: Write[] = []
  for (const { key, tools } of tally)
    for (const [tool, { calls, cost }] of tools ?? []) {
      const [day, account, plan, model, ...ofKey] = key
      const toolKey: ToolKey = [day, account, plan, model, tool, ...ofKey]
      const before = totals.get(toolKey) ?? NO_SUMS
      writes.push(put(totals, toolKey, addTotals(before, { ...NO_SUMS, requests: calls, cost })))
    }
  return writes
}

function sameKey(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let part = 0; part < a.length; part++) if (a[part] !== b[part]) return false
  return true
}
