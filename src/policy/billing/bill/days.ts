import type { EpochMs } from '../../config.ts'
import { type DayNumber, dayText, readDay, startOfDay } from '../../zone.ts'
import type { BillLine, LedgerUse, TokenKind } from './bill.ts'

/** How the ledger's usage is laid into days: by the zone whose midnights cut them, and by the begin or the end of requests. */
export interface Calendar {
  /** Absent: UTC. */
  readonly zone?: string
  readonly by: 'began' | 'ended'
}

/** Days of the ledger: UTC, by the admission. */
export const LEDGER_DAYS: Calendar = { by: 'began' }

/** Zones in which providers and their resellers close their days, then all whole hours. Equal days are tried once. */
const ZONES = [
  ...['America/Los_Angeles', 'America/Denver', 'America/Chicago', 'America/New_York', 'America/Sao_Paulo'],
  ...['Europe/London', 'Europe/Berlin', 'Europe/Helsinki', 'Asia/Kolkata', 'Asia/Shanghai', 'Asia/Tokyo'],
  ...['Australia/Sydney', 'Pacific/Auckland'],
  ...Array.from({ length: 12 }, (_, hour) => `Etc/GMT+${hour + 1}`),
  ...Array.from({ length: 14 }, (_, hour) => `Etc/GMT-${hour + 1}`),
]

/** Tokens by day, model and kind, in parts of the ledger. */
export interface LaidOut {
  /** Tokens of settled requests. */
  readonly used: Tokens
  readonly failed: Tokens
  /** The part of `used` whose backend reported no usage. */
  readonly estimated: Tokens
}

/** The keys are those of `cellKey`. */
export type Tokens = ReadonlyMap<string, number>

export const cellKey = (day: string, model: string, kind: TokenKind | undefined): string => `${day}\n${model}\n${kind}`

/** The first and the last day of a bill; undefined for a bill without lines. */
export function daysOf(lines: readonly BillLine[]): { first: DayNumber; last: DayNumber } | undefined {
  const days = lines.flatMap(({ day }) => readDay(day) ?? [])
  if (days.length === 0) return undefined
  return { first: days.reduce((a, b) => Math.min(a, b)), last: days.reduce((a, b) => Math.max(a, b)) }
}

/** Lays usage into the days of a bill. Usage outside of them is left out. */
export function layOut(
  uses: readonly LedgerUse[],
  { first, last }: { readonly first: DayNumber; readonly last: DayNumber },
  { zone, by }: Calendar,
): LaidOut {
  const starts = boundsOf(zone, first, last)
  const days = Array.from({ length: last - first + 1 }, (_, place) => dayText(first + place))
  const laid = {
    used: new Map<string, number>(),
    failed: new Map<string, number>(),
    estimated: new Map<string, number>(),
  }
  const add = (to: Map<string, number>, key: string, tokens: number) => to.set(key, (to.get(key) ?? 0) + tokens)
  for (const { model, kind, tokens, isFailed, isEstimated, [by]: at } of uses) {
    const day = days[lastBefore(starts, at)]
    if (day === undefined) continue
    const key = cellKey(day, model, kind)
    add(isFailed ? laid.failed : laid.used, key, tokens)
    if (isEstimated && !isFailed) add(laid.estimated, key, tokens)
  }
  return laid
}

/** The beginning of each day, and the end of the last one. */
function boundsOf(zone: string | undefined, first: DayNumber, last: DayNumber): readonly EpochMs[] {
  const name = `${zone} ${first} ${last}`
  const known = bounds.get(name)
  if (known) return known
  if (bounds.size >= MOST_BOUNDS) bounds.clear()
  const made = Array.from({ length: last - first + 2 }, (_, place) =>
    zone === undefined ? (first + place) * DAY_MS : startOfDay(zone, first + place),
  )
  bounds.set(name, made)
  return made
}

/** Each calendar of a bill asks for the same days several times, and midnights of a zone are slow to find. */
const bounds = new Map<string, readonly EpochMs[]>()
const MOST_BOUNDS = 100

const DAY_MS = 86_400_000

/** The place of the last bound at or before a moment; -1 before all of them. */
function lastBefore(starts: readonly EpochMs[], at: EpochMs): number {
  let low = -1
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle
  }
  return low
}

/** The calendars that a bill may follow, the ledger's own first. Zones whose midnights are those of an earlier one are left out. */
export function calendarsOf(first: DayNumber, last: DayNumber): readonly Calendar[] {
  const seen = new Set([String(boundsOf(undefined, first, last))])
  const zones = ZONES.filter(zone => {
    const starts = String(boundsOf(zone, first, last))
    return !seen.has(starts) && seen.add(starts)
  })
  return [
    LEDGER_DAYS,
    { by: 'ended' },
    ...zones.flatMap(
      zone =>
        [
          { zone, by: 'began' },
          { zone, by: 'ended' },
        ] as const,
    ),
  ]
}

/** How well the ledger in some calendar fits a bill: days and models that agree to the token, then tokens that differ. */
interface Fit {
  readonly agreeing: number
  /** The days and models that were compared, input and output apart. */
  readonly sides: number
  readonly apart: number
}

/**
 * Compares the input of all kinds, and the output, of each day and model: tokens that a bill has in another kind of input do not
 * count, nor do failed attempts, which a provider may bill or not.
 */
export function fitOf(billed: Tokens, { used, failed }: LaidOut): Fit {
  const rests = new Map<string, { rest: number; failed: number }>()
  const add = (tokens: Tokens, apply: (sum: { rest: number; failed: number }, count: number) => void) => {
    for (const [key, count] of tokens) {
      const [day, model, kind] = key.split('\n')
      const side = `${day}\n${model}\n${kind === 'output'}`
      const sum = rests.get(side) ?? { rest: 0, failed: 0 }
      apply(sum, count)
      rests.set(side, sum)
    }
  }
  add(billed, (sum, count) => {
    sum.rest += count
  })
  add(used, (sum, count) => {
    sum.rest -= count
  })
  add(failed, (sum, count) => {
    sum.failed += count
  })
  let agreeing = 0
  let apart = 0
  for (const sum of rests.values()) {
    const rest = sum.rest - Math.min(Math.max(sum.rest, 0), sum.failed)
    if (rest === 0) agreeing++
    apart += Math.abs(rest)
  }
  return { agreeing, sides: rests.size, apart }
}

/**
 * Whether one fit is clearly better than that of the ledger's own days: most models agree on most days, or, over three days and
 * more, less than half of the tokens are apart. One odd day never names a time zone.
 */
export const isBetter = (fit: Fit, own: Fit, days: number): boolean =>
  (fit.agreeing > own.agreeing + 1 && fit.agreeing * 2 >= fit.sides) || (days >= 3 && fit.apart * 2 < own.apart)

/** The order of fits, best first. */
export const compareFits = (a: Fit, b: Fit): number => b.agreeing - a.agreeing || a.apart - b.apart
