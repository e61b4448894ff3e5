import { counted } from '../counted.ts'
import type { LimitRule } from './limit-rule.ts'
import type { Readings } from './readings.ts'

/**
 * The limits that a plan may have: a row has all that is particular to one. Stores, the decision log, denials, `show`,
 * `explain`, `plan` and the quota screens are made from the rows. The order is that of files and screens. Counters of
 * calendar windows are stored in the order of their rows, so that a new row goes behind those of its kind.
 */
export const LIMITS = [
  {
    name: 'rpm',
    measure: 'requests',
    window: 'minute',
    scope: 'account',
    unit: 'count',
    reading: 'requests',
    claim: 'requests',
    type: 'requests',
    waitMs: null,
    refusal: most => `The plan allows ${counted(most, 'request')} a minute.`,
    meaning: 'Requests, in any 60 seconds or in the window that the message names.',
    explained: 'requests',
    column: 'RPM',
  },
  {
    name: 'tpm',
    measure: 'tokens',
    window: 'minute',
    scope: 'account',
    unit: 'count',
    reading: 'tokens',
    claim: 'tokens',
    type: 'tokens',
    waitMs: null,
    refusal: most => `The plan allows ${counted(most, 'token')} a minute.`,
    meaning: 'Prompt and completion tokens, likewise; max_tokens counts as used until the answer ends.',
    explained: 'tokens',
    column: 'TPM',
  },
  {
    name: 'per_day',
    measure: 'requests',
    window: 'day',
    scope: 'account',
    unit: 'count',
    reading: 'day',
    claim: 'day',
    type: 'daily_limit',
    waitMs: null,
    refusal: most => `The plan allows ${counted(most, 'request')} a day (UTC).`,
    meaning: 'Requests in a day, UTC; or what all guests together may spend in it.',
    explained: 'in the day',
    column: null,
  },
  {
    name: 'max_concurrent',
    measure: 'concurrent',
    window: 'none',
    scope: 'account',
    unit: 'count',
    reading: 'concurrent',
    claim: 'concurrency',
    type: 'concurrency',
    waitMs: 1000,
    refusal: most => `The plan allows ${counted(most, 'request')} at once.`,
    meaning: 'Requests running at once.',
    explained: 'running',
    column: null,
  },
  {
    name: 'monthly_usd',
    measure: 'usd',
    window: 'month',
    scope: 'account',
    unit: 'usd',
    reading: 'used',
    claim: 'spend',
    type: 'quota_hold',
    waitMs: 2000,
    refusal: () => 'Running requests have reserved the rest of the monthly quota.',
    meaning:
      'Running requests have reserved the rest of the monthly quota; what they do not use is free again when they end.',
    explained: 'used',
    column: null,
  },
] as const satisfies readonly Row[]

interface Row {
  /** Its field in a plan. */
  readonly name: string
  /** What a request takes of it: itself, its tokens, a place among the running, its cost. */
  readonly measure: 'requests' | 'tokens' | 'concurrent' | 'usd'
  /** `minute` slides, days and months are those of UTC; what runs has none. */
  readonly window: 'minute' | CalendarWindow | 'month' | 'none'
  /** Who shares it. */
  readonly scope: 'account'
  readonly unit: 'count' | 'usd'
  /** What is used of it, among the readings of an account. */
  readonly reading: keyof Readings
  /** Its name among the claims in a line of the decision log. */
  readonly claim: string
  /** The `type` of the 429 of a request that it refuses. */
  readonly type: string
  /** How long such a request waits where only other requests make room: when they end is unknown. Null where time makes room. */
  readonly waitMs: number | null
  /** What the 429 says. */
  readonly refusal: (most: number) => string
  /** What the type means, in documents. */
  readonly meaning: string
  /** What `explain` says behind `3 of 20`. */
  readonly explained: string
  /** The title of its column on quota screens; null where they do not show it. */
  readonly column: string | null
}

type TableRow = (typeof LIMITS)[number]
export type LimitType = TableRow['type']
/** All but the quota, which is judged with prices. */
type CountRow = Exclude<TableRow, { readonly measure: 'usd' }>
export type CountLimitName = CountRow['name']

/** A row of the table. */
export interface Limit extends Row {
  readonly name: TableRow['name']
  readonly type: LimitType
}

/** A row of a limit of requests, tokens, or requests that run. */
export interface CountLimit extends Limit {
  readonly name: CountLimitName
  readonly claim: CountRow['claim']
}

export const COUNT_LIMITS: readonly CountLimit[] = (LIMITS as readonly Limit[]).filter(isCount)

/** Whether a limit is one of requests, tokens, or requests that run. */
export function isCount(limit: Limit): limit is CountLimit {
  return limit.measure !== 'usd'
}

/** A limit that quota screens have a column for. */
export interface ColumnLimit extends CountLimit {
  readonly name: ColumnRow['name']
  readonly reading: ColumnRow['reading']
  readonly column: string
}

type ColumnRow = Extract<CountRow, { readonly column: string }>

export const COLUMN_LIMITS: readonly ColumnLimit[] = LIMITS.filter((limit): limit is ColumnRow => limit.column !== null)

/** A limit of one plan: at most so many. */
export interface PlanLimit {
  readonly limit: CountLimit
  readonly most: number
}

/** The limits of a plan, in the order of the table. */
export const limitsOf = (most: Readonly<Partial<Record<CountLimitName, number | undefined>>>): readonly PlanLimit[] =>
  COUNT_LIMITS.flatMap(limit => {
    const number = most[limit.name]
    return number === undefined ? [] : [{ limit, most: number }]
  })

/** Infinity where a plan has no such limit. */
export function mostOf(limits: readonly PlanLimit[], name: CountLimitName): number {
  for (const { limit, most } of limits) if (limit.name === name) return most
  return Number.POSITIVE_INFINITY
}

/** The row of a type. */
export function limitOfType(type: LimitType): Limit {
  const found = LIMITS.find(limit => limit.type === type)
  if (!found) throw new Error(`no limit refuses by ${type}`)
  return found
}

/** The limit of the table that a rule means: a plan may write it either way. */
export const namedLimit = ({ measure, per, of = 'account', model }: LimitRule): Limit | undefined =>
  model === undefined
    ? LIMITS.find(
        ({ measure: counted, window, scope }) => counted === measure && window === (per ?? 'none') && scope === of,
      )
    : undefined

/** Windows that begin and end by the clock, UTC, in seconds. */
const CALENDAR_SECONDS = { day: 86_400 } as const

type CalendarWindow = keyof typeof CALENDAR_SECONDS

/** A limit of requests in a calendar window. */
export interface CalendarLimit extends CountLimit {
  readonly reading: CalendarReading
  /** The length of its window. */
  readonly seconds: number
}

type CalendarRow = Extract<CountRow, { readonly window: CalendarWindow }>
export type CalendarReading = CalendarRow['reading']

/** In the order in which their counters are stored. */
export const CALENDAR_LIMITS: readonly CalendarLimit[] = LIMITS.filter((limit): limit is CalendarRow =>
  isCalendar(limit.window),
).map(limit => ({ ...limit, seconds: CALENDAR_SECONDS[limit.window] }))

function isCalendar(window: Row['window']): window is CalendarWindow {
  return Object.hasOwn(CALENDAR_SECONDS, window)
}

/** When the window ends that a second is in; undefined for windows that are not of the calendar. */
export const endOfWindow = (window: Row['window'], second: number): number | undefined => {
  if (!isCalendar(window)) return undefined
  const seconds = CALENDAR_SECONDS[window]
  return (Math.floor(second / seconds) + 1) * seconds * 1000
}
