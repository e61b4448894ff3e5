import {
  type AccountCounters,
  type Bucket,
  type CalendarCount,
  NO_COUNTERS,
  type Spend,
} from '../../policy/counters/account-counters.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { namesIn, type Places } from '../../records/places.ts'

interface Disk {
  read(account: string): AccountCounters | undefined
  /** Whether the record on disk is as new as the one in memory. */
  isWritten(account: string): boolean
}

/** The counters of accounts, in memory, because admission must not wait for the disk. All calls are synchronous. */
export class CounterCache {
  readonly #disk: Disk
  readonly #max: number
  readonly #counters = new Map<string, AccountCounters>()

  /** Keeps `max` accounts in memory, and more only while they have running requests or writes to come. */
  constructor(disk: Disk, max: number) {
    this.#disk = disk
    this.#max = max
  }

  get size(): number {
    return this.#counters.size
  }

  /** The counters of an account. Accounts with running requests are always in memory, so that one read from disk has none. */
  of(account: string): AccountCounters {
    return this.#counters.get(account) ?? withoutHolds(this.#disk.read(account) ?? NO_COUNTERS)
  }

  put(account: string, counters: AccountCounters): void {
    this.#counters.set(account, withoutPast(counters))
    this.#forgetSome()
  }

  /** Forgets accounts without requests and unwritten changes, the oldest first; others go to the end of the queue. */
  #forgetSome(): void {
    let looks = LOOKS
    for (const [account, counters] of this.#counters) {
      if (this.#counters.size <= this.#max || looks-- === 0) return
      this.#counters.delete(account)
      if (counters.concurrent > 0 || !this.#disk.isWritten(account)) this.#counters.set(account, counters)
    }
  }
}

/** Counters without holds: holds are records of their own, and those counted on disk may be older or newer. */
function withoutHolds(counters: AccountCounters): AccountCounters {
  const spend = Object.entries(counters.spend).map(([window, { used }]) => [window, { used, held: 0 }])
  return { ...counters, concurrent: 0, spend: Object.fromEntries(spend) }
}

/** Drops the oldest windows where there are too many; windows with holds stay. */
function withoutPast(counters: AccountCounters): AccountCounters {
  let windows = 0
  for (const _window in counters.spend) windows++
  if (windows <= WINDOWS_KEPT) return counters
  const newestFirst = Object.entries(counters.spend).sort(([a], [b]) => Number(b) - Number(a))
  const kept = newestFirst.filter(([, { held }], place) => place < WINDOWS_KEPT || held > 0)
  return { ...counters, spend: Object.fromEntries(kept) }
}

/** So many accounts are examined when one too many is in memory: no single request pays for a long search. */
const LOOKS = 8
/**
 * So many newest billing windows of an account are kept. They are counted, because by age a clock that is ahead for one
 * request would make the present month old. Older windows are in the totals.
 */
const WINDOWS_KEPT = 8

/** The counters of an account as an array, which is smaller and faster, as with PackedRow. */
export type PackedCounters = readonly [
  /** The numbers of each bucket, one bucket after the other. */
  minute: readonly number[],
  day: number,
  dayRequests: number,
  concurrent: number,
  /** The start, and what is used and held, of each window. */
  spend: readonly number[],
  /** The numbers of each further calendar window. Older gateways write none. */
  calendar?: readonly number[],
]

/**
 * The place of each number among those of its record. Records follow one another without a mark between, so that a new member
 * does not compile until it is here, and needs another place in PackedCounters, since files have records without it.
 */
const BUCKET: Places<keyof Bucket> = { second: 0, requests: 1, tokens: 2 }
const CALENDAR_COUNT: Places<keyof CalendarCount> = { number: 0, requests: 1 }
const SPEND: Places<keyof Spend | 'window'> = { window: 0, used: 1, held: 2 }

const BUCKET_NAMES = namesIn(BUCKET)
const CALENDAR_NAMES = namesIn(CALENDAR_COUNT)
const SPEND_NAMES = namesIn(SPEND)

export function packCounters({ minute, calendar, concurrent, spend }: AccountCounters): PackedCounters {
  const buckets: number[] = []
  for (const bucket of minute) for (const name of BUCKET_NAMES) buckets.push(bucket[name])
  const windows: number[] = []
  for (const window in spend) {
    const of = spend[window]
    if (of) for (const name of SPEND_NAMES) windows.push(name === 'window' ? Number(window) : of[name])
  }
  const [day = NO_COUNT, ...others] = calendar
  const packed = [buckets, day.number, day.requests, concurrent, windows] as const
  const further = others.flatMap(count => CALENDAR_NAMES.map(name => count[name]))
  return further.length === 0 ? packed : [...packed, further]
}

const NO_COUNT: CalendarCount = { number: 0, requests: 0 }

export function unpackCounters(packed: PackedCounters): AccountCounters {
  const [buckets, number, requests, concurrent, windows, others = []] = packed
  const minute: Bucket[] = []
  for (const at of starts(buckets, BUCKET_NAMES)) {
    const bucket: Required<Bucket> = {
      second: buckets[at + BUCKET.second] ?? 0,
      requests: buckets[at + BUCKET.requests] ?? 0,
      tokens: buckets[at + BUCKET.tokens] ?? 0,
    }
    minute.push(bucket)
  }
  const spend: Record<number, Spend> = {}
  for (const at of starts(windows, SPEND_NAMES)) {
    const [used, held] = [windows[at + SPEND.used] ?? 0, windows[at + SPEND.held] ?? 0]
    const of: Required<Spend> = { used: nanoUsd(used), held: nanoUsd(held) }
    spend[windows[at + SPEND.window] ?? 0] = of
  }
  const calendar: CalendarCount[] = [{ number, requests }]
  for (const at of starts(others, CALENDAR_NAMES)) {
    const [number = 0, requests = 0] = [others[at + CALENDAR_COUNT.number], others[at + CALENDAR_COUNT.requests]]
    const count: Required<CalendarCount> = { number, requests }
    calendar.push(count)
  }
  return { minute, calendar, concurrent, spend }
}

/** Where each record begins among numbers that follow one another. */
function* starts(numbers: readonly number[], names: readonly string[]): Generator<number> {
  for (let at = 0; at < numbers.length; at += names.length) yield at
}
