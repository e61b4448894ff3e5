import { writtenWindow, type ZonedWindow } from './zoned-window.ts'

/**
 * A limit of any measure, window and scope, as a plan, a key or an operator writes it: at most so much in each window.
 * Plain JSON, which is how stores and the admin API have it.
 */
export interface LimitRule {
  readonly measure: Measure
  /** Nano-USD of `usd`, else a count; at least 1. */
  readonly most: number
  /** Absent for `concurrent`, which has no window. */
  readonly per?: LimitWindow
  /** Who shares it; absent: the account. */
  readonly of?: LimitScope
  /** The model that it counts, or the models of a tier: `tier:premium`. Absent: all. */
  readonly model?: string
  /** The output tokens of the last turn of a session, which are set aside within the limit and granted once. */
  readonly lastTurn?: number
  /** The share of the limit, in percent, from which requests of a session end with a notice to the model. */
  readonly warn?: number
}

/** The quantities of requests that limits count. */
export const MEASURES = [
  'requests',
  'tokens',
  'input_tokens',
  'output_tokens',
  'images',
  'seconds',
  'usd',
  'concurrent',
] as const

export type Measure = (typeof MEASURES)[number]

/** Whether a further round of a request takes more of it. */
export const GROWS: Readonly<Record<Measure, boolean>> = {
  requests: false,
  tokens: true,
  input_tokens: true,
  output_tokens: true,
  images: false,
  seconds: false,
  usd: true,
  concurrent: false,
}

/**
 * `minute` slides, and so do days that are counted: `30d`. All others begin and end by the clock: seconds and hours of UTC, the longer
 * ones of the calendar that the files have, which is UTC unless they say otherwise; weeks on Monday. Only claims and counters name it.
 */
export type LimitWindow = (typeof NAMED_WINDOWS)[number] | `${number}d` | IdleWindow | ZonedWindow

/** The window of a session: it ends once the session had no request for so long. */
export type IdleWindow = `idle:${number}${'s' | 'm' | 'h'}`

export const NAMED_WINDOWS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter'] as const

/** The longest window that slides, in days: counters are kept no longer. */
export const MOST_DAYS = 90

export const isLimitWindow = (text: string): text is LimitWindow =>
  (NAMED_WINDOWS as readonly string[]).includes(text) || slidingDays(text) !== undefined || isIdle(text)

/** The days of a window that slides by days; undefined for all others. */
export function slidingDays(window: string): number | undefined {
  const days = /^([1-9]\d?)d$/.exec(window)?.[1]
  return days !== undefined && Number(days) <= MOST_DAYS ? Number(days) : undefined
}

const IDLE_UNITS = { s: 1, m: 60, h: 3600 } as const
const IDLE_WINDOW = /^idle:([1-9]\d{0,6})([smh])$/

/** The seconds without a request that end a window of a session; undefined for all other windows. */
export function idleSeconds(window: string): number | undefined {
  const [, amount, unit] = IDLE_WINDOW.exec(window) ?? []
  if (amount === undefined) return undefined
  const seconds = Number(amount) * IDLE_UNITS[unit as keyof typeof IDLE_UNITS]
  return seconds <= MOST_DAYS * 86_400 ? seconds : undefined
}

export const isIdle = (window: string | undefined): window is IdleWindow =>
  window !== undefined && idleSeconds(window) !== undefined

/** The window of a session that ends after so many seconds without a request, in the largest unit that is exact. */
export function idleWindow(seconds: number): IdleWindow {
  if (seconds % 3600 === 0) return `idle:${seconds / 3600}h`
  return seconds % 60 === 0 ? `idle:${seconds / 60}m` : `idle:${seconds}s`
}

/** A window as commands and names of limits have it: `per day`, or `idle 24h`. */
export const windowWords = (per: LimitWindow): string =>
  isIdle(per) ? per.replace(':', ' ') : `per ${writtenWindow(per)}`

/**
 * `user` is the end user that a request names in `user`, of its account; requests without one share a limit, and so do those
 * that name no session. `plan` are all accounts on the plan, `org` all accounts of an organization, `everybody` all requests of
 * the gateway.
 */
export const LIMIT_SCOPES = ['account', 'key', 'user', 'session', 'plan', 'org', 'everybody'] as const

/** `label:project` is each value of a label, of an organization, or else of an account. */
export type LimitScope = (typeof LIMIT_SCOPES)[number] | `label:${string}`

/** A scope without the name of its label. */
export type ScopeKind = (typeof LIMIT_SCOPES)[number] | 'label'

const LABEL_PREFIX = 'label:'
const LABEL_SCOPE = /^label:[a-z][a-z0-9_]{0,31}$/

/** The scopes in words, for lists of them. */
export const SCOPE_WORDS: readonly string[] = [...LIMIT_SCOPES, 'label:NAME']

export const isLimitScope = (text: string): text is LimitScope =>
  (LIMIT_SCOPES as readonly string[]).includes(text) || LABEL_SCOPE.test(text)

/** The label whose values have a count each; undefined for all other scopes. */
export const labelOf = (of: LimitScope = 'account'): string | undefined =>
  of.startsWith(LABEL_PREFIX) ? of.slice(LABEL_PREFIX.length) : undefined

export const kindOf = (of: LimitScope = 'account'): ScopeKind =>
  labelOf(of) === undefined ? (of as ScopeKind) : 'label'

/** The consequences of a scope. Each place that treats scopes differently asks this table. */
interface Scope {
  /** Whether sums of the ledger tell how much of it was used. */
  readonly isInLedger: boolean
  /** Whether accounts share it, so that its counters are begun ahead of a request. */
  readonly isOfMany: boolean
  /** Whether clients may see how much of it is used: not where that tells what strangers use. */
  readonly isShown: boolean
  /** Whether it is many counts of one account, none of which is meant where the account is looked at. */
  readonly isOfEach: boolean
  /** Whether requests of all plans count in it, although only those of a plan that has the limit keep it. */
  readonly isOfAllPlans: boolean
  /** Who may set such a limit besides a plan. */
  readonly setFor: readonly ('account' | 'org' | 'service')[]
}

const SCOPES: Readonly<Record<ScopeKind, Scope>> = {
  account: {
    ...{ isInLedger: true, isOfMany: false, isShown: true, isOfEach: false, isOfAllPlans: false },
    setFor: ['account', 'service'],
  },
  key: {
    ...{ isInLedger: true, isOfMany: false, isShown: true, isOfEach: false, isOfAllPlans: false },
    setFor: ['account'],
  },
  user: {
    ...{ isInLedger: false, isOfMany: false, isShown: true, isOfEach: true, isOfAllPlans: false },
    setFor: ['account', 'service'],
  },
  session: {
    ...{ isInLedger: false, isOfMany: false, isShown: true, isOfEach: true, isOfAllPlans: false },
    setFor: ['account', 'service'],
  },
  label: {
    ...{ isInLedger: false, isOfMany: false, isShown: true, isOfEach: true, isOfAllPlans: true },
    setFor: ['account', 'org'],
  },
  plan: {
    ...{ isInLedger: true, isOfMany: true, isShown: false, isOfEach: false, isOfAllPlans: false },
    setFor: [],
  },
  org: {
    ...{ isInLedger: true, isOfMany: true, isShown: true, isOfEach: false, isOfAllPlans: true },
    setFor: ['org'],
  },
  everybody: {
    ...{ isInLedger: true, isOfMany: true, isShown: false, isOfEach: false, isOfAllPlans: true },
    setFor: [],
  },
}

export const scopeOf = ({ of }: Pick<LimitRule, 'of'>): Scope => SCOPES[kindOf(of)]

/** The scopes of limits that operators set for these, the one where a limit does not say first. */
export const scopesFor = (owner: Scope['setFor'][number]): readonly string[] =>
  (Object.keys(SCOPES) as ScopeKind[])
    .filter(kind => SCOPES[kind].setFor.includes(owner))
    .sort((one, other) => Number(other === owner) - Number(one === owner))
    .map(kind => (kind === 'label' ? 'label:NAME' : kind))

/** Rules without a scope apply to their owner. */
export const sharedBy = (of: LimitScope, rules: readonly LimitRule[] = []): readonly LimitRule[] =>
  rules.map(rule => (rule.of === undefined ? { ...rule, of } : rule))

/** The count of a rule, without what it allows. */
export type CountedRule = Omit<LimitRule, 'most' | 'lastTurn' | 'warn'>

/** The count of a rule as a text, whatever the number: rules that count the same have the same text. */
export const countedBy = ({ measure, per, of, model }: CountedRule): string =>
  `${measure}/${per === undefined ? '' : writtenWindow(per)}/${of ?? 'account'}/${model ?? ''}`

/** The parts of a model that a rule looks at. */
export interface RuledModel {
  readonly name: string
  readonly tier: string
}

/** Whether a rule counts requests for a model. */
export const countsModel = ({ model }: Pick<LimitRule, 'model'>, { name, tier }: RuledModel): boolean =>
  model === undefined || model === name || model === `tier:${tier}`

/** The `type` of the 429 of a rule, by its measure. */
export const RULE_TYPES = {
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'tokens',
  output_tokens: 'tokens',
  images: 'images',
  seconds: 'seconds',
  usd: 'spend',
  concurrent: 'concurrency',
} as const satisfies Readonly<Record<Measure, string>>

export type RuleType = (typeof RULE_TYPES)[Measure] | 'session_limit'

/** The count of a rule as commands take it: `tokens per day of key for svc-core`. */
export const ruleName = ({ measure, per, of, model }: LimitRule): string =>
  [
    measure,
    ...(per === undefined ? [] : [windowWords(per)]),
    ...(of === undefined || of === 'account' ? [] : ['of', of]),
    ...(model === undefined ? [] : ['for', model]),
  ].join(' ')
