import {
  type AccountCounters,
  type Bucket,
  type CalendarCount,
  NO_COUNTERS,
  type Spend,
} from '../../policy/counters/account-counters.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'

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
  /** Second, requests and tokens of each bucket, one after the other. */
  minute: readonly number[],
  day: number,
  dayRequests: number,
  concurrent: number,
  /** Start, used and held of each window, one after the other. */
  spend: readonly number[],
  /** Number and requests of each further calendar window. Older gateways write none. */
  calendar?: readonly number[],
]

export function packCounters({ minute, calendar, concurrent, spend }: AccountCounters): PackedCounters {
  const buckets: number[] = []
  for (const { second, requests, tokens } of minute) buckets.push(second, requests, tokens)
  const windows: number[] = []
  for (const window in spend) {
    const of = spend[window]
    if (of) windows.push(Number(window), of.used, of.held)
  }
  const [day = NO_COUNT, ...others] = calendar
  const packed = [buckets, day.number, day.requests, concurrent, windows] as const
  return others.length === 0 ? packed : [...packed, others.flatMap(({ number, requests }) => [number, requests])]
}

const NO_COUNT: CalendarCount = { number: 0, requests: 0 }

export function unpackCounters(packed: PackedCounters): AccountCounters {
  const [buckets, number, requests, concurrent, windows, others = []] = packed
  const minute: Bucket[] = []
  for (let at = 0; at < buckets.length; at += 3)
    minute.push({ second: buckets[at] ?? 0, requests: buckets[at + 1] ?? 0, tokens: buckets[at + 2] ?? 0 })
  const spend: Record<number, Spend> = {}
  for (let at = 0; at < windows.length; at += 3)
    spend[windows[at] ?? 0] = { used: nanoUsd(windows[at + 1] ?? 0), held: nanoUsd(windows[at + 2] ?? 0) }
  const calendar: CalendarCount[] = [{ number, requests }]
  for (let at = 0; at < others.length; at += 2)
    calendar.push({ number: others[at] ?? 0, requests: others[at + 1] ?? 0 })
  return { minute, calendar, concurrent, spend }
}
