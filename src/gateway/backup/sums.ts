import { createHash } from 'node:crypto'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import { windowOf } from '../../policy/decision.ts'
import { callsOf } from '../../policy/tools.ts'
import { dayOfRow, wasteOf } from '../../records/ledger-row.ts'
import type { Sums as RowsSums } from '../../records/sums.ts'
import type { RecordKind, RowState, StoreRecord } from '../store/record.ts'
import { type Called, RowSums } from '../store/row-sums.ts'
import { LATER_SUMS, type LaterSums } from '../store/total-sums.ts'

/** Sums of a backup that are not those of its rows, or not those of one another. */
export interface WrongSums {
  readonly of: Compared
  /** In days since the epoch; of spend the first of its billing window. */
  readonly day: number
  /** The account, or the pool of failed attempts; absent where only days were compared. */
  readonly whose?: string
}

type Compared = 'total' | 'tools' | 'waste' | 'spend'

/**
 * Adds up all rows again and compares that with the sums that the store kept, in a few kilobytes whatever their number: for
 * each day not the sums themselves but one number of them all, in which each sum is multiplied by a number that is drawn by
 * its name. Two sides that differ in any sum have the same number once in 2⁶⁴ times. Records that are added again to sums of the
 * days that differ say which accounts do, with a number for each account.
 */
export class Sums {
  /** Rows before this day may have been removed. */
  readonly #since: number
  /** Each store keeps the spend of the windows from here on. */
  readonly #windows: EpochMs
  readonly #numbers = new Map<string, Compare>()
  /** Days to be compared by account; undefined where all days are compared. */
  readonly #closely: ReadonlySet<string> | undefined
  readonly #rows = new RowSums()
  /** Whether a month began on another day than the 1st: which of the days of the totals it has is not known then. */
  #isFiscal = false
  #firstRow = Number.POSITIVE_INFINITY
  #firstTotal = Number.POSITIVE_INFINITY

  /** Compares a store as it was at a moment, with all rows from `since` on; `closely` are days that differ. */
  constructor(at: EpochMs, since: EpochMs, closely?: readonly WrongSums[]) {
    this.#since = dayAt(since) + 1
    this.#windows = windowOf(windowOf(at).start - 1).start
    this.#closely = closely && new Set(closely.map(dayName))
  }

  add([kind, record]: StoreRecord): void {
    const add = ADDING[kind]
    // Each kind is added by its own function.
    if (add) add(this, record as never)
  }

  /** Those that differ, after all records. */
  wrong(): readonly WrongSums[] {
    // Other rows of the first row's day may be gone where a total is older.
    const whole = Math.max(this.#since, this.#firstRow + (this.#firstTotal < this.#firstRow ? 1 : 0))
    const wrong: WrongSums[] = []
    for (const { number, ...sums } of this.#numbers.values())
      if (number !== 0n && (sums.of === 'spend' ? !this.#isFiscal : sums.day >= whole)) wrong.push(sums)
    return wrong.sort((a, b) => a.day - b.day)
  }

  /** Adds a sum that the store kept. */
  kept(sums: Required<WrongSums>, name: string, numbers: readonly number[]): void {
    this.#add(sums, name, numbers, 1)
    if (sums.of === 'total') this.#firstTotal = Math.min(this.#firstTotal, sums.day)
  }

  row(row: RowState): void {
    const { kind } = row
    const day = dayOfRow(row)
    this.#firstRow = Math.min(this.#firstRow, day)
    if (kind === 'waste') this.#add({ of: 'waste', day, whose: wasteOf(row) }, '', numbersOf(row, 1, row), -1)
    else this.#charge(row, day)
  }

  #charge(row: RowState, day: number): void {
    const { requests, later, called, repeated } = this.#rows.of(row)
    this.#add({ of: 'total', day, whose: row.account }, nameOf(row), numbersOf(row, requests, later), -1)
    this.#tools(row, called, 1)
    if (repeated) this.#tools(row, repeated, -1)
  }

  spent(account: string, window: EpochMs, cost: number, sign: 1 | -1): void {
    if (new Date(window).getUTCDate() !== 1) this.#isFiscal = true
    if (window >= this.#windows) this.#add({ of: 'spend', day: dayAt(window), whose: account }, '', [cost], sign)
  }

  #tools(row: RowState, { tools, toolCosts, charges }: Called, sign: 1 | -1): void {
    for (const [name, quantity] of Object.entries(charges ?? {}))
      this.#add(toolSums(row), `${nameOf(row)} ${name}`, [sign * quantity, 0], -1)
    // Those that do not say what they cost are in no sum.
    if (!tools || !toolCosts) return
    for (const [tool, calls] of Object.entries(tools)) {
      const numbers = [sign * calls, sign * callsOf(toolCosts, tool)]
      this.#add(toolSums(row), `${nameOf(row)} ${tool}`, numbers, -1)
    }
  }

  #add({ of, day, whose }: Required<WrongSums>, name: string, numbers: readonly number[], sign: 1 | -1): void {
    if (!(Math.abs(day) < LAST_DAY)) throw new RangeError('no store has such a day')
    const dayKey = dayName({ of, day })
    if (this.#closely && !this.#closely.has(dayKey)) return
    const digest = createHash('shake256', { outputLength: 8 * numbers.length })
      .update(`${of} ${whose} ${name}`)
      .digest()
    let sum = 0n
    for (const [place, number] of numbers.entries())
      if (number !== 0) sum += BigInt(number) * digest.readBigUInt64LE(8 * place)
    const key = this.#closely ? `${dayKey} ${whose}` : dayKey
    if (!this.#closely && this.#numbers.size > MOST_DAYS) throw new RangeError('no store has so many days')
    const compare = this.#numbers.get(key) ?? { of, day, ...(this.#closely && { whose }), number: 0n }
    compare.number = BigInt.asUintN(64, compare.number + BigInt(sign) * sum)
    this.#numbers.set(key, compare)
  }
}

/** A kept sum less the sum of its rows: 0 where both are equal. */
interface Compare extends WrongSums {
  number: bigint
}

/** The last day that a Date can hold. */
const LAST_DAY = 100_000_000
/** Four sums a day, for longer than a store lives. */
const MOST_DAYS = 1_000_000

const dayName = ({ of, day }: WrongSums): string => `${of} ${day}`

const toolSums = (row: RowState) => ({ of: 'tools', day: dayOfRow(row), whose: row.account }) as const

interface Named {
  readonly plan: string
  readonly model: string
  readonly key?: string
}

const nameOf = ({ plan, model, key = '' }: Named): string => `${plan} ${model} ${key}`

type Numbers = Omit<RowsSums, 'requests'>

const numbersOf = (sums: Numbers, count: number, later: LaterSums): number[] => [
  ...[count, sums.inputTokens, sums.outputTokens, sums.cost],
  ...LATER_SUMS.map(name => later[name] ?? 0),
]

type Adding = {
  readonly [Kind in RecordKind]?: (sums: Sums, record: Extract<StoreRecord, readonly [Kind, unknown]>[1]) => void
}

const ADDING: Adding = {
  row: (sums, row) => sums.row(row),
  total: (sums, total) => {
    const { account, day, cost, requests } = total
    sums.kept({ of: 'total', day, whose: account }, nameOf(total), numbersOf(total, requests, total))
    sums.spent(account, windowOf(day * DAY_MS).start, cost, 1)
  },
  tools: (sums, tools) => {
    const { account, day, tool, calls, cost } = tools
    sums.kept({ of: 'tools', day, whose: account }, `${nameOf(tools)} ${tool}`, [calls, cost])
  },
  waste: (sums, waste) => {
    const { pool, day, attempts } = waste
    sums.kept({ of: 'waste', day, whose: pool }, '', numbersOf(waste, attempts, waste))
  },
  counters: (sums, { account, used }) => {
    for (const [window, cost] of Object.entries(used)) sums.spent(account, Number(window), cost, -1)
  },
}

const DAY_MS = 86_400_000
