import type { Readings } from './readings.ts'
import type { LimitRule, LimitWindow, Measure } from './rule.ts'
import { writtenWindow } from './zoned-window.ts'

/**
 * The rules that a plan declares in a field of their own, such as `rpm`. Policy, texts and screens treat each as an ordinary rule
 * of the account for all models. Its row records two peculiarities: its counter is part of the account's record, and clients and
 * files use names of its own.
 *
 * Files and screens use this order. The counters of calendar windows are stored in the order of their rows, so a new row goes
 * after those of its kind.
 */
export const NAMED_RULES = [
  {
    name: 'rpm',
    measure: 'requests',
    per: 'minute',
    reading: 'requests',
    claim: 'requests',
    type: 'requests',
    meaning: 'Requests, in any 60 seconds or in the window that the message names.',
    column: 'RPM',
  },
  {
    name: 'tpm',
    measure: 'tokens',
    per: 'minute',
    reading: 'tokens',
    claim: 'tokens',
    type: 'tokens',
    meaning: 'Prompt and completion tokens, in the same way; max_tokens counts as used until the answer ends.',
    column: 'TPM',
  },
  {
    name: 'per_day',
    measure: 'requests',
    per: 'day',
    reading: 'day',
    claim: 'day',
    type: 'daily_limit',
    meaning: 'Requests in a day of `zone`, UTC by default; or what all guests together may spend in a UTC day.',
    column: null,
  },
  {
    name: 'max_concurrent',
    measure: 'concurrent',
    per: undefined,
    reading: 'concurrent',
    claim: 'concurrency',
    type: 'concurrency',
    meaning: 'Requests running at once.',
    column: null,
  },
  {
    name: 'monthly_usd',
    measure: 'usd',
    per: 'month',
    reading: 'used',
    claim: 'spend',
    type: 'quota_hold',
    meaning: 'Running requests have reserved the rest of the monthly quota; the unused part is released when they end.',
    column: null,
  },
] as const satisfies readonly Row[]

interface Row {
  /** Its field in a plan. */
  readonly name: string
  readonly measure: Measure
  readonly per: LimitWindow | undefined
  /** Its usage among the readings of an account. */
  readonly reading: keyof Readings
  /** Its name among the claims in a line of the decision log. */
  readonly claim: string
  /** The `type` of the 429 of a request that it refuses. */
  readonly type: string
  /** Meaning of the type, for the docs. */
  readonly meaning: string
  /** The title of its column on quota screens; null where they do not show it. */
  readonly column: string | null
}

type TableRow = (typeof NAMED_RULES)[number]
/** All but the quota, which has a price, grants and an overage. */
type CountRow = Exclude<TableRow, { readonly measure: 'usd' }>
type ColumnRow = Extract<CountRow, { readonly column: string }>
type CalendarRow = Extract<CountRow, { readonly per: CalendarWindow }>

export type RuleName = TableRow['name']
export type CountName = CountRow['name']
export type NamedType = TableRow['type']
export type CalendarReading = CalendarRow['reading']

/** A rule by its name. */
export interface NamedRule extends Pick<LimitRule, 'measure' | 'most' | 'per'> {
  readonly name: RuleName
}

/** One that counts requests or tokens. */
export interface CountRule extends NamedRule {
  readonly name: CountName
}

export const isNamed = (rule: LimitRule | NamedRule): rule is NamedRule => 'name' in rule

export const COUNT_RULES: readonly CountRow[] = NAMED_RULES.filter((row): row is CountRow => row.measure !== 'usd')

/** Those that quota screens have a column for. */
export const COLUMN_RULES: readonly ColumnRow[] = NAMED_RULES.filter((row): row is ColumnRow => row.column !== null)
export type ColumnRule = ColumnRow

const ROWS = Object.fromEntries(NAMED_RULES.map(row => [row.name, row])) as {
  readonly [Name in RuleName]: Extract<TableRow, { readonly name: Name }>
}

/** The table row of a named rule. */
export const rowOf = <Name extends RuleName>(name: Name): (typeof ROWS)[Name] => ROWS[name]

export function namedRule<Name extends RuleName>(name: Name, most: number): NamedRule & { readonly name: Name } {
  const { measure, per } = ROWS[name]
  return per === undefined ? { name, measure, most } : { name, measure, most, per }
}

/** The monthly quota: its number has the grants and the overage of an account. */
export const quotaOf = (most: number, per: LimitWindow = 'month'): NamedRule => ({
  name: 'monthly_usd',
  measure: 'usd',
  most,
  per,
})

/** The named rule of a type. */
export function ruleOfType(type: NamedType, most: number): NamedRule {
  const row = NAMED_RULES.find(each => each.type === type)
  if (!row) throw new Error(`no named rule refuses by ${type}`)
  return namedRule(row.name, most)
}

/** The name of a rule that has one: a plan may write it either way. */
export const nameOfRule = ({ measure, per, of = 'account', model }: LimitRule): RuleName | undefined =>
  of === 'account' && model === undefined
    ? NAMED_RULES.find(row => row.measure === measure && row.per === (per && writtenWindow(per)))?.name
    : undefined

/** The counted rules of a plan, in the order of the table. */
export const limitsOf = (most: Readonly<Partial<Record<CountName, number | undefined>>>): readonly CountRule[] =>
  COUNT_RULES.flatMap(({ name }) => {
    const number = most[name]
    return number === undefined ? [] : [namedRule(name, number)]
  })

/** Infinity where a plan has no such rule. */
export function mostOf(limits: readonly CountRule[], name: CountName): number {
  for (const rule of limits) if (rule.name === name) return rule.most
  return Number.POSITIVE_INFINITY
}

/** Windows that begin and end by the clock, UTC, in seconds. */
const CALENDAR_SECONDS = { day: 86_400 } as const

type CalendarWindow = keyof typeof CALENDAR_SECONDS

/** A rule of requests in a calendar window. */
export type CalendarRule = CalendarRow & { readonly seconds: number }

/** In the order in which their counters are stored. */
export const CALENDAR_RULES: readonly CalendarRule[] = NAMED_RULES.filter(
  (row): row is CalendarRow => row.per !== undefined && Object.hasOwn(CALENDAR_SECONDS, row.per),
).map(row => ({ ...row, seconds: CALENDAR_SECONDS[row.per] }))
