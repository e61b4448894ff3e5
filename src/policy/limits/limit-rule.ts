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

/** `minute` slides, and so do days that are counted: `30d`. All others begin and end by the clock, UTC; weeks on Monday. */
export type LimitWindow = (typeof NAMED_WINDOWS)[number] | `${number}d`

export const NAMED_WINDOWS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const

/** The longest window that slides, in days: counters are kept no longer. */
export const MOST_DAYS = 90

export const isLimitWindow = (text: string): text is LimitWindow =>
  (NAMED_WINDOWS as readonly string[]).includes(text) || slidingDays(text) !== undefined

/** The days of a window that slides by days; undefined for all others. */
export function slidingDays(window: string): number | undefined {
  const days = /^([1-9]\d?)d$/.exec(window)?.[1]
  return days !== undefined && Number(days) <= MOST_DAYS ? Number(days) : undefined
}

/**
 * `user` is the end user that a request names in `user`, of its account; requests without one share a limit. `plan` are
 * all accounts on the plan, `org` all accounts of an organization, `everybody` all requests of the gateway.
 */
export const LIMIT_SCOPES = ['account', 'key', 'user', 'plan', 'org', 'everybody'] as const

export type LimitScope = (typeof LIMIT_SCOPES)[number]

/** Rules without a scope apply to their owner. */
export const sharedBy = (of: LimitScope, rules: readonly LimitRule[] = []): readonly LimitRule[] =>
  rules.map(rule => (rule.of === undefined ? { ...rule, of } : rule))

/** The count of a rule as a text, whatever the number: rules that count the same have the same text. */
export const countedBy = ({ measure, per, of, model }: Omit<LimitRule, 'most'>): string =>
  `${measure}/${per ?? ''}/${of ?? 'account'}/${model ?? ''}`

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

export type RuleType = (typeof RULE_TYPES)[Measure]

/** The count of a rule as commands take it: `tokens per day of key for svc-core`. */
export const ruleName = ({ measure, per, of, model }: LimitRule): string =>
  [
    measure,
    ...(per === undefined ? [] : ['per', per]),
    ...(of === undefined || of === 'account' ? [] : ['of', of]),
    ...(model === undefined ? [] : ['for', model]),
  ].join(' ')
