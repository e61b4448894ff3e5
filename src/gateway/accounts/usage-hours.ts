import type { EpochMs, Millis } from '../../policy/config.ts'
import { dayOfRow, type LedgerRow, wasteOf } from '../../records/ledger-row.ts'
import type { Total, WasteTotal } from '../../records/sums.ts'
import { LONGEST_ADMISSION_MS } from '../store/archive-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { RowSums } from '../store/row-sums.ts'
import { addTotals, addWaste, type LaterSums, NO_SUMS, NO_WASTE } from '../store/total-sums.ts'
import { idAt, momentOf } from './keys.ts'

/** The sums of one account, plan, model and key in one UTC hour, by its first moment. */
export interface HourTotal extends Total {
  readonly hour: EpochMs
  /** The values of the labels that are asked for. */
  readonly labels?: Readonly<Record<string, string>>
  /** Set where sessions are asked for. */
  readonly session?: string
}

/** The cost of failed attempts at one pool in one UTC hour. */
export interface HourWaste extends WasteTotal {
  readonly hour: EpochMs
}

export interface HoursQuery {
  /** The first moment of the first hour. */
  readonly since: EpochMs
  /** The first moment after the last one. */
  readonly until: EpochMs
  readonly account?: string
  /** The id of a key. */
  readonly key?: string
  /** Labels that tell sums apart. */
  readonly labels?: readonly string[]
  /** Whether sessions do: then fewer requests are read, since each may have a sum of its own. */
  readonly sessions?: boolean
}

export interface UsageOfHours {
  readonly totals: readonly HourTotal[]
  readonly waste: readonly HourWaste[]
  /** The first hour that was read whole: later than asked for where it has more requests than one report reads. */
  readonly since: EpochMs
}

/**
 * Adds up rows of the ledger by the hour of their admission, since stores keep sums by day alone. It reads the newest
 * 200,000 requests at most, for labels 2 million, and leaves out an hour whose beginning it did not reach.
 */
export async function readHours(
  ledger: Pick<LedgerStore, 'readPast'>,
  { since, until, labels = [], sessions = false, ...owner }: HoursQuery,
): Promise<UsageOfHours> {
  const sums = new HourSums(labels, sessions)
  const looks = labels.length > 0 && !sessions ? MOST_LOOKS_BY_LABEL : MOST_LOOKS
  let before: string | undefined = idAt(until + 1)
  for (let look = 0; look < looks && before !== undefined; look++) {
    const { requests, next } = await ledger.readPast({ ...owner, since, until, before, limit: REQUESTS_A_LOOK })
    for (const rows of requests) sums.add(rows)
    before = next
  }
  // An id is made up to a minute before its request is admitted.
  const reached = before === undefined ? since : hourAfter(momentOf(before) + LONGEST_ADMISSION_MS)
  return sums.from(Math.max(since, reached))
}

/** Sums of rows by hour and by all that reports tell apart. */
class HourSums {
  readonly #totals = new Map<string, HourTotal>()
  readonly #waste = new Map<string, HourWaste>()
  readonly #labels: readonly string[]
  readonly #sessions: boolean

  constructor(labels: readonly string[], sessions: boolean) {
    this.#labels = labels
    this.#sessions = sessions
  }

  /** The rows of one request, in their order. */
  add(rows: readonly LedgerRow[]): void {
    const counted = new RowSums()
    for (const row of rows) {
      if (row.kind === 'waste') this.#addWaste(row)
      else {
        const { requests, later } = counted.of(row)
        this.#addCharge(row, requests, later)
      }
    }
  }

  from(since: EpochMs): UsageOfHours {
    const isWhole = ({ hour }: { readonly hour: EpochMs }) => hour >= since
    return {
      totals: [...this.#totals.values()].filter(isWhole),
      waste: [...this.#waste.values()].filter(isWhole),
      since,
    }
  }

  #addCharge(row: LedgerRow, requests: number, later: LaterSums): void {
    const { account, plan, model, key, admittedAt, inputTokens, outputTokens, cost } = row
    const day = dayOfRow(row)
    const hour = hourOf(admittedAt)
    const labels = this.#labels.map(label => row.labels?.[label])
    const session = this.#sessions ? row.session : undefined
    const name = JSON.stringify([hour, account, plan, model, key, labels, session])
    const named = {
      ...(labels.length > 0 && row.labels && { labels: row.labels }),
      ...(session !== undefined && { session }),
    }
    const of = { hour, day, account, plan, model, ...(key !== undefined && { key }), ...named }
    const added = { ...later, requests, inputTokens, outputTokens, cost }
    const sums = addTotals(this.#totals.get(name) ?? NO_SUMS, added)
    this.#totals.set(name, { ...of, ...sums })
  }

  #addWaste(row: LedgerRow): void {
    const { admittedAt } = row
    const pool = wasteOf(row)
    const hour = hourOf(admittedAt)
    const name = JSON.stringify([hour, pool])
    const sums = addWaste(this.#waste.get(name) ?? NO_WASTE, { ...row, attempts: 1 })
    this.#waste.set(name, { hour, day: dayOfRow(row), pool, ...sums })
  }
}

const HOUR: Millis = 3_600_000
const hourOf = (at: EpochMs): EpochMs => Math.floor(at / HOUR) * HOUR
const hourAfter = (at: EpochMs): EpochMs => Math.ceil(at / HOUR) * HOUR

const REQUESTS_A_LOOK = 20_000
const MOST_LOOKS = 10
const MOST_LOOKS_BY_LABEL = 100
