import { MOST_CROSSINGS } from '../../gateway/store/notice-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { AccountCounters } from '../../policy/counters/account-counters.ts'
import { type Crossing, crossedBy, type Watch } from '../../policy/notices.ts'
import type { WriteBehind } from './dirty-set.ts'
import { put, type Write } from './lmdb.ts'
import type { Records } from './records.ts'
import type { RuleCounters } from './rule-counters.ts'

/** The counters that watches are compared with. */
interface Counted {
  readonly account: string
  readonly counters: AccountCounters
  readonly rules: RuleCounters
}

/**
 * The thresholds that settlements crossed, each once in its window. Crossings that are not on disk yet stay in memory until one
 * commit writes them with their counters.
 */
export class Crossings implements WriteBehind {
  readonly #disk: Records['notices']
  readonly #most: number
  /** Thresholds crossed since the last commit, and those in the commit in flight, by the window in the order of their settlements. */
  #changed = new Map<string, readonly Crossing[]>()
  #writing = new Map<string, readonly Crossing[]>()
  #count: number | undefined

  constructor({ notices }: Pick<Records, 'notices'>, most = MOST_CROSSINGS) {
    this.#disk = notices
    this.#most = most
  }

  /** Writes down the thresholds that a settlement crossed; true if there are any. One that finds no room is announced by a later settlement. */
  note(watches: readonly Watch[], counted: Counted, at: EpochMs): boolean {
    let isCrossed = false
    for (const watch of watches) {
      const used = settledUse(watch, counted)
      // Most are below all thresholds, and ask no further.
      if (used === undefined || crossedBy(watch, used, 0) === undefined) continue
      const { name, end, about } = watch
      const above = this.#announced(watch)
      const percent = crossedBy(watch, used, above)
      if (percent === undefined || this.#waiting >= this.#most) continue
      const key = markOf(watch)
      const crossing = { name, end, about, at, percent, above, used }
      const waiting = this.#waiting
      this.#changed.set(key, [...(this.#changed.get(key) ?? []), crossing])
      this.#count = waiting + 1
      isCrossed = true
    }
    return isCrossed
  }

  /** Rows on disk and in memory. */
  get #waiting(): number {
    this.#count ??= Array.from(this.#disk.getKeys({ start: ROW, end: ROW_END })).length
    return this.#count
  }

  /** Notes that rows were removed from the disk. */
  removed(count: number): void {
    this.#count = Math.max(0, this.#waiting - count)
  }

  writes({ notices }: Records): Write[] {
    this.#writing = this.#changed
    this.#changed = new Map()
    return Array.from(this.#writing, ([key, crossed]) => [
      put(notices, key, String(crossed.at(-1)?.percent)),
      ...crossed.map(crossing => put(notices, rowOf(crossing), JSON.stringify(crossing))),
    ]).flat()
  }

  written(): void {
    this.#writing = new Map()
  }

  failed(): void {
    for (const [key, crossed] of this.#writing) this.#changed.set(key, [...crossed, ...(this.#changed.get(key) ?? [])])
    this.#writing = new Map()
  }

  /** The highest threshold that was announced in the window; 0 where none was. */
  #announced(watch: Watch): number {
    const key = markOf(watch)
    const unwritten = this.#changed.get(key) ?? this.#writing.get(key)
    return unwritten?.at(-1)?.percent ?? Number(this.#disk.get(key) ?? 0)
  }
}

/** The settled use in the cell of a watch; undefined where it counts no more. */
function settledUse({ counter, cell }: Watch, { account, counters, rules }: Counted): number | undefined {
  if (counter === 'spend') return counters.spend[cell]?.used
  if (counter === 'day') return counters.calendar.find(({ number }) => number === cell)?.requests
  return rules.find(account, counter)?.find(({ index }) => index === cell)?.used
}

/** Keys in the order of the ends of windows, after which they are removed. */
const markOf = ({ name, end }: Pick<Watch, 'name' | 'end'>): string => `${MARK}${padded(end)} ${name}`
const rowOf = ({ name, percent }: Crossing): string => `${ROW}${name} ${percent}`

/** Removes the marks of windows that ended long ago; only within a transaction. Returns how many there were. */
export function trimMarks({ notices }: Pick<Records, 'notices'>, at: EpochMs): number {
  const end = `${MARK}${padded(at - MARK_KEPT_MS)}`
  const keys = Array.from(notices.getKeys({ start: MARK, end, limit: MARKS_AT_ONCE }))
  for (const key of keys) notices.remove(key)
  return keys.length
}

const MARK_KEPT_MS: Millis = 86_400_000
const MARKS_AT_ONCE = 256

export const padded = (number: number): string => String(Math.max(0, number)).padStart(16, '0')

/** Where keys begin: marks, and rows that wait until they become notices. */
const MARK = 'mark '
export const ROW = 'row '
export const ROW_END = 'row!'
