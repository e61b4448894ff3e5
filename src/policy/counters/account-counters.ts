import type { EpochMs } from '../config.ts'
import type { Granted, Mutable, Pieces } from '../decision.ts'
import { CALENDAR_RULES, type CalendarReading, type CalendarRule, type RuleName } from '../limits/named-rules.ts'
import type { Readings } from '../limits/readings.ts'
import type { HeldRules } from '../limits/rule-claim.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../nano-usd.ts'

/** An account's use of its limits. Plain JSON, replaced as a whole, never changed in place. */
export interface AccountCounters {
  /** One-second buckets of the sliding minute, oldest first, at most 61. */
  readonly minute: readonly Bucket[]
  /** Counts by calendar window, in the order of CALENDAR_RULES. A missing one is zero. */
  readonly calendar: readonly CalendarCount[]
  /** Running requests. */
  readonly concurrent: number
  /** Spend by the start of the billing window. A request belongs to the window in which it was admitted. */
  readonly spend: Readonly<Record<EpochMs, Spend>>
}

export interface CalendarCount {
  /** The window: how many of its length there were since the epoch. */
  readonly number: number
  readonly requests: number
}

export interface Bucket {
  /** Seconds since the epoch. */
  readonly second: number
  readonly requests: number
  readonly tokens: number
}

export interface Spend {
  /** Settled. */
  readonly used: NanoUsd
  /** Held by running requests. */
  readonly held: NanoUsd
}

export const NO_SPEND: Spend = { used: ZERO_USD, held: ZERO_USD }

/** The hold of one request until it settles: `tokens` and `cost` are those of its present round. */
export interface Hold extends Granted {
  readonly requestId: string
  readonly account: string
  /** The bucket of the minute its present round was counted in. */
  readonly second: number
  /** Start of its billing window. */
  readonly window: EpochMs
  /** When it was admitted. */
  readonly at: EpochMs
  /** Extensions so far: 0 after the admission, one more for each further call of a model. */
  readonly round: number
  /** The charge of the earlier rounds. */
  readonly spent: Charge
  /** Its hold on the counters of rules; absent where no rule counts it. */
  readonly rules?: HeldRules
  /** Whether it holds of limits that accounts share in another place of the store, which some stores have. */
  readonly apart?: boolean
}

/** The charge of a request. */
export interface Charge {
  readonly tokens: number
  readonly cost: NanoUsd
  /** The prompt's part of the tokens. Absent: all. */
  readonly input?: number
  readonly pieces?: Pieces
}

/** The charge of a request that bought nothing. */
export const NOTHING: Charge = { tokens: 0, cost: ZERO_USD }

export const NO_COUNTERS: AccountCounters = { minute: [], calendar: [], concurrent: 0, spend: {} }

/** Seconds that count in the minute: the current one and 60 before it. */
export const MINUTE_BUCKETS = 61
/** A clock that went back further than this starts the minute anew instead of freezing it. */
const STEP_BACK_SECONDS = 120

const secondOf = (at: EpochMs): number => Math.floor(at / 1000)
/** The UTC day of a second since the epoch. */
export const dayOf = (second: number): number => Math.floor(second / 86_400)
/** The UTC day of a moment, in days since the epoch. */
export const dayAt = (at: EpochMs): number => dayOf(secondOf(at))

/**
 * The buckets that count at `at`: the current second and the 60 before it, which cover every span of 60 s.
 * When the clock stepped back, the newest bucket stays the current one.
 */
export function liveMinute(counters: AccountCounters, at: EpochMs): { second: number; buckets: readonly Bucket[] } {
  const { minute } = counters
  const newest = minute[minute.length - 1]?.second ?? 0
  const clock = secondOf(at)
  if (newest - clock > STEP_BACK_SECONDS) return { second: clock, buckets: [] }
  const second = Math.max(clock, newest)
  const oldest = second - MINUTE_BUCKETS + 1
  let stale = 0
  while (stale < minute.length && (minute[stale]?.second ?? oldest) < oldest) stale++
  return { second, buckets: stale === 0 ? minute : minute.slice(stale) }
}

/** When a second no longer counts in the sliding minute. */
export const minuteEnd = (second: number): EpochMs => (second + MINUTE_BUCKETS) * 1000

/** The last second that counts in the minute at `at`; 0 where none does. */
export const newestSecond = (counters: AccountCounters, at: EpochMs): number =>
  liveMinute(counters, at).buckets.at(-1)?.second ?? 0

/** The use of each limit at `at`, in the billing window that starts at `window`. */
export const readingsOf = (counters: AccountCounters, window: EpochMs, at: EpochMs): Readings =>
  readingsIn(counters, liveMinute(counters, at), window)

/** Reads counters whose minute was found live. */
export function readingsIn(
  counters: AccountCounters,
  { second, buckets }: { second: number; buckets: readonly Bucket[] },
  window: EpochMs,
): Readings {
  let requests = 0
  let tokens = 0
  for (const bucket of buckets) {
    requests += bucket.requests
    tokens += bucket.tokens
  }
  const spend = counters.spend[window]
  return {
    requests,
    tokens,
    day: requestsIn(counters, DAY, second),
    concurrent: counters.concurrent,
    used: spend?.used ?? ZERO_USD,
    held: spend?.held ?? ZERO_USD,
  }
}

/** How much of a named rule is used. A lookup by a computed name, as `readings[name]`, makes a judgement a tenth slower. */
export function usedOf(readings: Readings, name: RuleName): number {
  switch (name) {
    case 'rpm':
      return readings.requests
    case 'tpm':
      return readings.tokens
    case 'per_day':
      return readings.day
    case 'max_concurrent':
      return readings.concurrent
    case 'monthly_usd':
      return readings.used
  }
}

/** One request more in every calendar window of a second. */
const addToCalendar = (before: readonly CalendarCount[], second: number): readonly CalendarCount[] =>
  CALENDAR_RULES.map((limit, place) => {
    const number = numberOf(limit, second)
    const count = before[place]
    return { number, requests: count?.number === number ? count.requests + 1 : 1 }
  })

/** The requests in the calendar window of a second, by the place of its limit. */
function requestsIn({ calendar }: AccountCounters, place: number, second: number): number {
  const count = calendar[place]
  const limit = CALENDAR_RULES[place]
  return count && limit && count.number === numberOf(limit, second) ? count.requests : 0
}

const numberOf = ({ seconds }: CalendarRule, second: number): number => Math.floor(second / seconds)

const DAY = CALENDAR_RULES.findIndex(({ reading }) => reading === 'day')

/** Counts of the calendar windows of a second, from what is read of them. */
export const calendarOf = (
  readings: Readonly<Record<CalendarReading, number>>,
  second: number,
): readonly CalendarCount[] =>
  CALENDAR_RULES.map(limit => ({ number: numberOf(limit, second), requests: readings[limit.reading] }))

/** The counters after a request was admitted with `hold`, which must come from `holdOf` at the same counters. */
export function take(counters: AccountCounters, hold: Hold): AccountCounters {
  const { buckets } = liveMinute(counters, hold.at)
  return {
    minute: addToBucket(buckets, hold.second, 1, hold.tokens),
    calendar: addToCalendar(counters.calendar, hold.second),
    concurrent: counters.concurrent + 1,
    spend: addToSpend(counters.spend, hold.window, ZERO_USD, hold.cost),
  }
}

/** A hold for `granted`, in the bucket that is current at `at`. */
export function holdOf(
  counters: AccountCounters,
  granted: Granted,
  request: { requestId: string; account: string; window: EpochMs },
  at: EpochMs,
  rules?: HeldRules,
): Hold {
  const { output, tokens, cost } = granted
  const { requestId, account, window } = request
  const { second } = liveMinute(counters, at)
  const hold: Mutable<Hold> = {
    requestId,
    account,
    window,
    output,
    tokens,
    cost,
    second,
    at,
    round: 0,
    spent: NOTHING,
  }
  if (rules) hold.rules = rules
  return hold
}

/**
 * A hold that goes on with another round, `granted` at `at`; `spent` is what the request weighed so far. The rounds
 * before are put right in the bucket they were counted in, the new one counts in the current one.
 */
export function extend(
  counters: AccountCounters,
  hold: Hold,
  spent: Charge,
  granted: Granted,
  at: EpochMs,
  rules?: HeldRules,
): { counters: AccountCounters; hold: Hold } {
  const { tokens, cost } = spent
  const over = release(counters, hold, spent, at)
  const { second, buckets } = liveMinute(over, at)
  return {
    counters: {
      minute: addToBucket(buckets, second, 0, granted.tokens),
      calendar: over.calendar,
      concurrent: counters.concurrent,
      spend: addToSpend(over.spend, hold.window, nanoUsd(-spent.cost), addNanoUsd(spent.cost, granted.cost)),
    },
    hold: { ...hold, ...granted, second, round: hold.round + 1, spent: { tokens, cost }, ...(rules && { rules }) },
  }
}

/**
 * The counters after a hold ended, at `at`, at what the request weighed. Tokens are corrected in the bucket they were
 * counted in; once that has left the minute only an excess counts, in the current one.
 * The request itself, and its place in the day, are not given back. Where `hold` is a remainder, `was` is what was charged before.
 */
export function release(
  counters: AccountCounters,
  hold: Hold,
  charge: Charge,
  at: EpochMs,
  was: Charge = NOTHING,
): AccountCounters {
  const excess = presentOf(hold, charge) - presentOf(hold, was) - hold.tokens
  const used = subtractNanoUsd(charge.cost, was.cost)
  return {
    minute: correctTokens(counters, hold.second, excess, at),
    calendar: counters.calendar,
    concurrent: Math.max(0, counters.concurrent - 1),
    spend: addToSpend(counters.spend, hold.window, used, nanoUsd(-hold.spent.cost - hold.cost)),
  }
}

/**
 * The counters with an orphan that still runs. `hold` is what it held, or the remainder of that where it was charged. No limit is
 * judged. Tokens count again in the bucket they were counted in, while that is in the minute.
 */
export function resume(counters: AccountCounters, hold: Hold, at: EpochMs): AccountCounters {
  const { buckets } = liveMinute(counters, at)
  const isLive = indexOfBucket(buckets, hold.second) >= 0
  return {
    minute: isLive ? addToBucket(buckets, hold.second, 0, hold.tokens) : buckets,
    calendar: counters.calendar,
    concurrent: counters.concurrent + 1,
    spend: addToSpend(counters.spend, hold.window, ZERO_USD, addNanoUsd(hold.spent.cost, hold.cost)),
  }
}

/**
 * The counters after a request that holds nothing any more turned out to weigh `charge`, where it was charged `was`
 * before: at an orphan's last checkpoint, or nothing when its hold is not known at all.
 */
export function amend(
  counters: AccountCounters,
  hold: Hold,
  was: Charge,
  charge: Charge,
  at: EpochMs,
): AccountCounters {
  return {
    minute: correctTokens(counters, hold.second, presentOf(hold, charge) - presentOf(hold, was), at),
    calendar: counters.calendar,
    concurrent: counters.concurrent,
    spend: addToSpend(counters.spend, hold.window, subtractNanoUsd(charge.cost, was.cost), ZERO_USD),
  }
}

/** The tokens of the present round. Earlier rounds were counted in buckets of their own, and are not taken out of this one. */
export const presentOf = ({ spent }: Hold, { tokens }: Charge): number => Math.max(0, tokens - spent.tokens)

function correctTokens(counters: AccountCounters, counted: number, excess: number, at: EpochMs): readonly Bucket[] {
  if (excess === 0) return counters.minute
  const { second, buckets } = liveMinute(counters, at)
  if (indexOfBucket(buckets, counted) >= 0) return addToBucket(buckets, counted, 0, excess)
  return excess > 0 ? addToBucket(buckets, second, 0, excess) : buckets
}

function addToBucket(minute: readonly Bucket[], second: number, requests: number, tokens: number): readonly Bucket[] {
  const index = indexOfBucket(minute, second)
  const bucket = minute[index]
  if (!bucket) return [...minute, { second, requests, tokens }]
  const added = minute.slice()
  added[index] = { second, requests: bucket.requests + requests, tokens: bucket.tokens + tokens }
  return added
}

/** -1 if there is none. The search is mostly for the newest one. */
function indexOfBucket(minute: readonly Bucket[], second: number): number {
  let index = minute.length - 1
  while (index >= 0 && minute[index]?.second !== second) index--
  return index
}

/** Copied name by name: a spread with a computed name costs ten times that. */
function addToSpend(
  before: AccountCounters['spend'],
  window: EpochMs,
  used: NanoUsd,
  held: NanoUsd,
): AccountCounters['spend'] {
  const after: Record<EpochMs, Spend> = {}
  for (const other in before) {
    const spend = before[other]
    if (spend) after[other] = spend
  }
  const spend = before[window]
  after[window] = spend ? { used: addNanoUsd(spend.used, used), held: addNanoUsd(spend.held, held) } : { used, held }
  return after
}
