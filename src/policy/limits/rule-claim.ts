import type { Calendar } from '../calendar.ts'
import type { Labels } from '../label-values.ts'
import {
  countsModel,
  isIdle,
  type LimitRule,
  type LimitWindow,
  labelOf,
  type Measure,
  type RuledModel,
  scopeOf,
} from './rule.ts'
import { windowIn } from './zoned-window.ts'

/** A rule that a request has to keep, and the counter that it takes of. */
export interface RuleClaim extends CounterName {
  readonly rule: LimitRule
}

/**
 * A counter of rules. Those of one group are read and written together: `account` has those of an account and of its
 * keys, `user:…` those of one of its end users, `session` those of its sessions, `label:project=web` those of a value of a label;
 * `plan:…`, `org:…`, `org:acme label:project=web` and `everybody` belong to no account.
 */
export interface CounterName {
  readonly group: string
  /** `usd/day/key_x/svc-core`: measure, window, key or session, and model, the last three empty where the rule has none. */
  readonly field: string
}

/** The group with the counters of all sessions of an account. */
export const SESSIONS = 'session'

/** Whether accounts share the counters of a group. */
export const isSharedGroup = (group: string): boolean =>
  group !== 'account' && group !== SESSIONS && !group.startsWith('user:') && !group.startsWith('label:')

export const measureOfField = (field: string): Measure => field.slice(0, field.indexOf('/')) as Measure

/** The key that owns the counter; undefined if keys share it. */
export function keyOfField(field: string): string | undefined {
  const [, per, owner] = field.split('/', 3)
  return isIdle(per) ? undefined : owner || undefined
}

/** The value of a label that a group counts; undefined for groups of something else. */
export function labelValueOf(group: string): string | undefined {
  const from = /(?:^| )label:[a-z0-9_]+=/.exec(group)
  return from ? group.slice(from.index + from[0].length) : undefined
}

export function windowOfField(field: string): LimitWindow | undefined {
  const from = field.indexOf('/') + 1
  const per = field.slice(from, field.indexOf('/', from))
  return per === '' ? undefined : (per as LimitWindow)
}

/**
 * Whether a counter that is missing begins with what the ledger knows of its window before it is judged: with sums of days, which
 * are found by the name of an account, or are read once for all. Costlier counters are begun ahead of the first request.
 */
export const beginsWithLedger = ({ rule }: RuleClaim): boolean =>
  isKnownToLedger(rule) && rule.of !== 'org' && !isShortWindow(rule.per)

/**
 * Whether the ledger's sums know what a rule counts: nothing of images, of seconds, of end users, sessions or labels, and what runs
 * has no past.
 */
export const isKnownToLedger = (rule: LimitRule): boolean =>
  scopeOf(rule).isInLedger && LEDGER_MEASURES[rule.measure] && rule.per !== undefined

/** Whether a window is shorter than the days that the ledger has sums of. */
export const isShortWindow = (per: LimitWindow | undefined): boolean => per !== undefined && SHORT_WINDOWS.has(per)

const LEDGER_MEASURES: Readonly<Record<Measure, boolean>> = {
  requests: true,
  tokens: true,
  input_tokens: true,
  output_tokens: true,
  images: false,
  seconds: false,
  usd: true,
  concurrent: false,
}

const SHORT_WINDOWS: ReadonlySet<LimitWindow> = new Set(['second', 'minute', 'hour'])

/** The rules among these that count a request for a model, each with its counter. */
export function claimsOfRules(
  rules: readonly LimitRule[],
  caller: RuledCaller,
  subject: RuleSubject,
): readonly RuleClaim[] {
  const { model, session, calendar } = subject
  const claims: RuleClaim[] = []
  for (const written of rules) {
    if (model && !countsModel(written, model)) continue
    const rule = calendar ? ruleIn(written, calendar) : written
    const group = groupOf(rule, caller, subject)
    if (group !== undefined) addClaim(claims, { rule, group, field: fieldOf(rule, caller, session) })
  }
  return claims
}

/** The owners of counters that a request uses. */
interface RuledCaller {
  readonly key?: { readonly id: string; readonly origin?: string }
  readonly terms: { readonly org?: string }
}

/** The names that a request is counted under. */
interface RuleSubject {
  readonly plan: string
  /** Absent: as one for any model. */
  readonly model?: RuledModel
  /** The digest of its end user. */
  readonly user?: string | undefined
  /** The id of its session. */
  readonly session?: string | undefined
  /** The values of its labels, by label. */
  readonly labels?: Labels | undefined
  /** Absent: UTC. */
  readonly calendar?: Calendar | undefined
}

/** A rule that names its window by the calendar of the files. */
export function ruleIn(rule: LimitRule, calendar: Calendar): LimitRule {
  if (rule.per === undefined) return rule
  const known = ZONED.get(rule)
  if (known?.calendar === calendar) return known.rule
  const per = windowIn(rule.per, calendar)
  const zoned = per === rule.per ? rule : { ...rule, per }
  ZONED.set(rule, { calendar, rule: zoned })
  if (zoned !== rule) WRITTEN.set(zoned, rule)
  return zoned
}

/** The rule as a plan has it, of one that names its window by a calendar. */
export const writtenRule = (rule: LimitRule): LimitRule => WRITTEN.get(rule) ?? rule

/** Every request of a plan claims the same rules. */
const ZONED = new WeakMap<LimitRule, { readonly calendar: Calendar; readonly rule: LimitRule }>()
const WRITTEN = new WeakMap<LimitRule, LimitRule>()

/** Adds a claim. The lower of two rules over one counter holds, and a request counts in it once. */
function addClaim(claims: RuleClaim[], claim: RuleClaim): void {
  const same = claims.findIndex(({ group, field }) => field === claim.field && group === claim.group)
  if (same < 0) claims.push(claim)
  else if ((claims[same]?.rule.most ?? 0) > claim.rule.most) claims[same] = claim
}

/** Undefined where a rule counts for an organization, and the account has none. */
function groupOf(
  { of }: LimitRule,
  { terms }: RuledCaller,
  { plan, user = '', labels }: RuleSubject,
): string | undefined {
  const label = labelOf(of)
  if (label !== undefined) {
    const own = `label:${label}=${labels?.[label] ?? ''}`
    return terms.org === undefined ? own : `org:${terms.org} ${own}`
  }
  switch (of) {
    case 'user':
      return `user:${user}`
    case 'session':
      return SESSIONS
    case 'plan':
      return `plan:${plan}`
    case 'org':
      return terms.org === undefined ? undefined : `org:${terms.org}`
    case 'everybody':
      return 'everybody'
    default:
      return 'account'
  }
}

function fieldOf({ measure, per, of, model }: LimitRule, { key }: RuledCaller, session = ''): string {
  const owner = of === 'key' ? (key?.origin ?? key?.id ?? NO_KEY) : of === 'session' ? session : ''
  return `${measure}/${per ?? ''}/${owner}/${model ?? ''}`
}

/** Sign-ins share the counter that a key would have. */
export const NO_KEY = 'sign-in'

/** How much of each measure a request weighs. */
export interface Weight {
  readonly input: number
  readonly output: number
  readonly images: number
  readonly seconds: number
  readonly cost: number
}

/** A request's hold on the counters of rules. */
export interface HeldRules {
  /** The weight of all rounds: that of the earlier ones, and the grant of the present one. */
  readonly weight: Weight
  readonly taken: readonly TakenCell[]
}

/** A counter that a request takes of, in the cell of its admission, or of a later round. */
export interface TakenCell extends CounterName {
  readonly cell: number
}

/** A counter that a request is charged to and held nothing of. */
export interface JoinedCell extends TakenCell {
  /** Whether it begins with what the ledger knows: where it did not, it will begin with this request too. */
  readonly begins: boolean
}
