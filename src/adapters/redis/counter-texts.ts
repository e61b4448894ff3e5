import type { EpochMs } from '../../policy/config.ts'
import {
  type AccountCounters,
  type Bucket,
  type CalendarCount,
  MINUTE_BUCKETS,
  NO_COUNTERS,
  newestSecond,
  readingsOf,
} from '../../policy/counters/account-counters.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { Judged } from '../../policy/record.ts'
import { NumbersText } from './places.ts'

// The counters of an account as redis/holds/counters.lua keeps them. `node scripts/generate.js` writes the functions by which
// scripts read and write these texts, and the constants of the ring, into redis/holds/counts.lua, share.lua and bucket.lua.

/** The oldest second that counts, the sums of the minute, the first calendar window and its requests, and how many run. */
export const COUNTS_TEXT = new NumbersText({
  oldest: 0,
  sumRequests: 1,
  sumTokens: 2,
  window: 3,
  requests: 4,
  concurrent: 5,
})

/** The share of a running request in what all guests spend, and the day in which it counts. */
export const SHARE_TEXT = new NumbersText({ day: 0, cost: 1 })

/**
 * How many digits each number of a bucket has, in this order. Buckets lie in a ring, so that each is as wide as any other: a new
 * member of a bucket does not compile until it is here, and needs a ring of its own.
 */
export const BUCKET_DIGITS: Readonly<Record<keyof Bucket, number>> = { second: 10, requests: 7, tokens: 12 }

const WIDTHS = Object.entries(BUCKET_DIGITS) as readonly (readonly [keyof Bucket, number])[]
const BUCKET_WIDTH: number = WIDTHS.reduce((sum, [, width]) => sum + width, 0)

/** A second that the clock passed twice may have given back more tokens than it has. */
const BUCKETS = new RegExp(WIDTHS.map(([, width]) => `(-\\d{${width - 1}}|\\d{${width}})`).join(''), 'g')

const bucketText = (bucket: Bucket): string => WIDTHS.map(([name, width]) => digits(bucket[name], width)).join('')

const digits = (number: number, width: number): string =>
  number < 0 ? `-${String(-number).padStart(width - 1, '0')}` : String(number).padStart(width, '0')

/** Second, requests and tokens of each bucket. */
export const readMinute = (text: string): NonNullable<Judged['minute']> =>
  readBuckets(text).map(({ second, requests, tokens }) => [second, requests, tokens])

const readBuckets = (text: string): readonly Bucket[] =>
  Array.from(text.matchAll(BUCKETS), ([, ...numbers]) => bucketOf(numbers))

function bucketOf(texts: readonly string[]): Bucket {
  const bucket: Partial<Record<keyof Bucket, number>> = {}
  for (const [place, [name]] of WIDTHS.entries()) bucket[name] = Number(texts[place])
  return bucket as Bucket
}

/** The counters of an account as Redis keeps them. */
export interface StoredCounters {
  /** The bucket of the newest second. */
  readonly head: string | null | undefined
  /** A text of COUNTS_TEXT. */
  readonly counts: string | null | undefined
  /** The other calendar windows, each with its requests. */
  readonly calendar: string | null | undefined
  /** Buckets of other seconds, in any order. */
  readonly ring: string | null
}

/** The counters at a moment, but for the spend. */
export function readCounts(stored: StoredCounters, at: EpochMs): Readings & { readonly newest: number } {
  const counters = { ...NO_COUNTERS, ...readCounters(stored) }
  return { ...readingsOf(counters, at, at), newest: newestSecond(counters, at) }
}

/** The counters of an account without its spend. A second that was read twice counts as it was read last. */
export function readCounters({ head, counts, calendar, ring }: StoredCounters): Omit<AccountCounters, 'spend'> {
  const { oldest, window, requests, concurrent } = COUNTS_TEXT.readOrZero(counts ?? '')
  const buckets = new Map(readBuckets(`${head ?? ''}${ring ?? ''}`).map(bucket => [bucket.second, bucket]))
  const minute = [...buckets.values()].filter(({ second }) => second >= oldest).sort((a, b) => a.second - b.second)
  const others = Array.from((calendar ?? '').matchAll(/(\d+) (\d+)/g), ([, number, requests]): CalendarCount => {
    return { number: Number(number), requests: Number(requests) }
  })
  return { minute, calendar: [{ number: window, requests }, ...others], concurrent }
}

/** The texts of counters, but for the spend. `ring` has each bucket with the place at which it begins. */
export function countersTexts({ minute, calendar, concurrent }: Omit<AccountCounters, 'spend'>) {
  const newest = minute.at(-1)?.second ?? 0
  const live = minute.filter(({ second }) => second > newest - MINUTE_BUCKETS)
  const sum = (of: (bucket: Bucket) => number) => live.reduce((all, bucket) => all + of(bucket), 0)
  const [first = { number: 0, requests: 0 }, ...others] = calendar
  const ring: { readonly at: number; readonly text: string }[] = live
    .slice(0, -1)
    .map(bucket => ({ at: (bucket.second % MINUTE_BUCKETS) * BUCKET_WIDTH, text: bucketText(bucket) }))
  return {
    head: live.slice(-1).map(bucketText).join(''),
    counts: COUNTS_TEXT.textOf({
      oldest: Math.max(0, newest - MINUTE_BUCKETS + 1),
      sumRequests: sum(({ requests }) => requests),
      sumTokens: sum(({ tokens }) => tokens),
      window: first.number,
      requests: first.requests,
      concurrent,
    }),
    calendar: others.map(({ number, requests }) => `${number} ${requests}`).join(' '),
    ring,
  }
}
