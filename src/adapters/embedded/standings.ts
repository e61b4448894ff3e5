import { nanoUsd } from '../../policy/nano-usd.ts'
import { type Bucket, newStanding, type Spend, type Standing } from '../../policy/standing.ts'

interface Disk {
  read(account: string): Standing | undefined
  /** Whether the disk has what the memory has. */
  isWritten(account: string): boolean
}

/** Standings of accounts: in memory, because admission must not wait. All of it is synchronous. */
export class Standings {
  readonly #disk: Disk
  readonly #max: number
  readonly #standings = new Map<string, Standing>()

  /** Keeps `max` accounts in memory, and more only while they have requests under way or writes to come. */
  constructor(disk: Disk, max: number) {
    this.#disk = disk
    this.#max = max
  }

  get size(): number {
    return this.#standings.size
  }

  /** An account with requests under way is in memory, so one that is read has none. */
  of(account: string): Standing {
    return this.#standings.get(account) ?? withoutHolds(this.#disk.read(account) ?? newStanding)
  }

  put(account: string, standing: Standing): void {
    this.#standings.set(account, withoutPast(standing))
    this.#forgetSome()
  }

  /** Forgets accounts at rest, the oldest first; those still at work go to the end of the line. */
  #forgetSome(): void {
    let looks = LOOKS
    for (const [account, standing] of this.#standings) {
      if (this.#standings.size <= this.#max || looks-- === 0) return
      this.#standings.delete(account)
      if (standing.open > 0 || !this.#disk.isWritten(account)) this.#standings.set(account, standing)
    }
  }
}

/** Holds are records of their own; what a standing on disk says of them may be older or newer than those. */
function withoutHolds(standing: Standing): Standing {
  const spend = Object.entries(standing.spend).map(([window, { used }]) => [window, { used, held: 0 }])
  return { ...standing, open: 0, spend: Object.fromEntries(spend) }
}

/** Without the oldest windows, where there are too many; those that hold something stay. */
function withoutPast(standing: Standing): Standing {
  let windows = 0
  for (const _window in standing.spend) windows++
  if (windows <= WINDOWS_KEPT) return standing
  const newestFirst = Object.entries(standing.spend).sort(([a], [b]) => Number(b) - Number(a))
  const kept = newestFirst.filter(([, { held }], place) => place < WINDOWS_KEPT || held > 0)
  return { ...standing, spend: Object.fromEntries(kept) }
}

/** Accounts looked at when one too many is in memory, so that no single request pays for all of them. */
const LOOKS = 8
/**
 * Billing windows of one account, the newest. They are counted, and their age is not asked, since a clock that is ahead
 * for one request would make the present month old. Older windows are in the totals.
 */
const WINDOWS_KEPT = 8

/** The counters of an account as an array, for the reason that PackedRow has. */
export type PackedStanding = readonly [
  /** Second, requests and tokens of each bucket, one after the other. */
  minute: readonly number[],
  day: number,
  dayRequests: number,
  open: number,
  /** Start, used and held of each window, one after the other. */
  spend: readonly number[],
]

export function packStanding({ minute, day, open, spend }: Standing): PackedStanding {
  const buckets: number[] = []
  for (const { second, requests, tokens } of minute) buckets.push(second, requests, tokens)
  const windows: number[] = []
  for (const window in spend) {
    const of = spend[window]
    if (of) windows.push(Number(window), of.used, of.held)
  }
  return [buckets, day.number, day.requests, open, windows]
}

export function unpackStanding(packed: PackedStanding | Standing): Standing {
  if ('minute' in packed) return packed
  const [buckets, number, requests, open, windows] = packed
  const minute: Bucket[] = []
  for (let at = 0; at < buckets.length; at += 3)
    minute.push({ second: buckets[at] ?? 0, requests: buckets[at + 1] ?? 0, tokens: buckets[at + 2] ?? 0 })
  const spend: Record<number, Spend> = {}
  for (let at = 0; at < windows.length; at += 3)
    spend[windows[at] ?? 0] = { used: nanoUsd(windows[at + 1] ?? 0), held: nanoUsd(windows[at + 2] ?? 0) }
  return { minute, day: { number, requests }, open, spend }
}
