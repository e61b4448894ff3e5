import type { Config, EpochMs } from './config.ts'
import { type AccountCounters, calendarOf, liveMinute } from './counters/account-counters.ts'
import { judgeReadings, type Live } from './counters/judge.ts'
import { isHeld } from './counters/refusal.ts'
import type { CounterOf } from './counters/rule-hold.ts'
import { decide } from './decide.ts'
import type { Claims, Decision, Granted, Mutable, OutputClaim, Refuse, SpendClaim, Verdict } from './decision.ts'
import type { Denial, Denied } from './denial.ts'
import type { Facts } from './facts.ts'
import { COUNT_RULES, mostOf, rowOf } from './limits/named-rules.ts'
import type { Readings } from './limits/readings.ts'
import { type CounterName, windowOfField } from './limits/rule-claim.ts'
import {
  type Cell,
  NO_CELLS,
  NOTHING_READ,
  type RuleCounter,
  type RuleReading,
  type RuleUse,
  readCell,
} from './limits/rule-counter.ts'
import type { NanoUsd } from './nano-usd.ts'
import { planName } from './plan.ts'

/** The decision on one request, and all facts behind it: plain JSON, without a text or a key. */
export interface DecisionRecord {
  readonly id: string
  /** The revision of the configuration that decided it. */
  readonly revision: string
  /** As they were judged: `at` is that of the admission which counted, and `keyPrefix` is null. */
  readonly facts: Facts
  /** Absent where no store or pool had to be asked, because the files alone refuse the request. */
  readonly seen?: Seen
  readonly outcome: Outcome
}

/** The findings at a request's admission: with the facts, all that its outcome depends on. */
export type Seen =
  | Judged
  /** The key stopped working since it was looked up, or the account of a sign-in is gone. */
  | { readonly gone: 'key' | 'account' }
  /** The definition of this hosted tool could not be read. */
  | { readonly tool: string }
  /** The store did not answer. */
  | { readonly unavailable: true }

/** The readings by which an account's limits were judged. */
export interface Judged {
  /** The store's clock. */
  readonly at: EpochMs
  readonly readings: Readings
  /** The sliding minute, oldest first, where it says how long to wait: second, requests and tokens of each bucket. */
  readonly minute?: readonly (readonly [second: number, requests: number, tokens: number])[]
  /** The reading of each rule: the cells that count where they say how long to wait, else one with their sums. */
  readonly rules?: readonly JudgedRule[]
  /** The most that all guests may spend in the day, and their spend: where that limit refused. */
  readonly shared?: { readonly limit: NanoUsd; readonly taken: NanoUsd }
}

/** A rule's counter and its cells, each as index, used and held. */
export type JudgedRule = readonly [group: string, field: string, index: number, ...cells: number[]]

export interface Outcome {
  readonly verdict: 'allow' | 'deny'
  /** `none` where the account has none. */
  readonly plan: string
  /** The model that the files allow, whatever the limits say; likewise route, pools and claims. */
  readonly model?: string
  /** The route that chose the model. */
  readonly route?: string
  /** In the order of attempts. */
  readonly pools?: readonly string[]
  readonly granted?: Granted
  readonly denial?: Denial
  /** The last of all, so that a reader that does not need them can skip them. */
  readonly claims?: ClaimsLine
}

/** The end of a decision: a grant or a denial. */
export type End = { readonly granted: Granted } | Denied

/** The decision log's line on a decision and its end. */
export function outcomeOf(config: Config, { caller }: Facts, decision: Decision, end: End): Outcome {
  const verdict = 'denial' in end ? 'deny' : 'allow'
  const plan = 'denial' in decision ? planName(config, caller) : decision.plan.name
  const outcome: Mutable<Outcome> = { verdict, plan }
  if (!('denial' in decision)) {
    outcome.model = decision.model.name
    if (decision.route) outcome.route = decision.route.name
    outcome.pools = decision.pools.map(({ name }) => name)
  }
  if ('denial' in end) outcome.denial = end.denial
  else outcome.granted = grantOf(end.granted)
  if (!('denial' in decision)) outcome.claims = claimsLine(decision.claims)
  return outcome
}

/** A hold is one, and more. */
const grantOf = ({ output, tokens, cost }: Granted): Granted => ({ output, tokens, cost })

/**
 * The end that a decision comes to by what was seen. Undefined where nothing was asked: the files refused the request
 * then, and allow it now.
 */
export function endOf(decision: Decision, seen: Seen | undefined): End | undefined {
  if ('denial' in decision) return { denial: decision.denial }
  if (!seen) return undefined
  if ('readings' in seen) return judgedEnd(decision.claims, seen)
  return { denial: unjudgedDenial(seen) }
}

/** The outcome of a record, decided and judged again. */
export function outcomeAgain(
  config: Config,
  { facts, seen }: Pick<DecisionRecord, 'facts' | 'seen'>,
): Outcome | undefined {
  const decision = decide(config, facts)
  const end = endOf(decision, seen)
  return end && outcomeOf(config, facts, decision, end)
}

function judgedEnd(claims: Claims, judged: Judged): End {
  const verdict = judgeAgain(claims, judged)
  if ('denial' in verdict) return { denial: verdict.denial }
  const { at, shared } = judged
  return shared && shared.taken + verdict.granted.cost > shared.limit ? { denial: guestsSpent(at) } : verdict
}

/** The verdict on claims from the recorded readings. */
export const judgeAgain = (claims: Claims, judged: Judged): Verdict =>
  judgeReadings({ ...liveOf(judged), rules: readingsOfRules(claims, judged.rules) }, claims, judged.at)

/** Why a request is refused that was not judged. */
export function unjudgedDenial(seen: Exclude<Seen, Judged>): Denial {
  if ('tool' in seen) return { code: 'TOOL_UNAVAILABLE', tool: seen.tool }
  if ('unavailable' in seen) return { code: 'STORE_UNAVAILABLE' }
  return seen.gone === 'key'
    ? { code: 'INVALID_KEY' }
    : { code: 'INVALID_TOKEN', problem: 'Sign in again: the account of this token is gone.' }
}

const DAY_MS = 86_400_000

/** All guests together have spent what they may in a day; there is more at midnight UTC. */
export const guestsSpent = (at: EpochMs, retryAfterMs = DAY_MS - (at % DAY_MS)): Denial => ({
  code: 'rate_limit_exceeded',
  type: 'daily_limit',
  shared: true,
  retryAfterMs,
})

/** The kept part of counters that refused: the minute only where it says how long to wait. */
export function judgedOf(counters: AccountCounters, claims: Claims, refuse: Refuse, at: EpochMs): Judged {
  const { denial, readings, rules } = refuse
  const judged: Mutable<Judged> = { at, readings }
  const isWait = denial.code === 'rate_limit_exceeded' && !isHeld(denial)
  if (rules) judged.rules = isWait ? judgedCells(claims, rules) : judgedRules(claims, rules)
  if (!isWait) return judged
  const { buckets } = liveMinute(counters, at)
  if (buckets.length > 0) judged.minute = buckets.map(({ second, requests, tokens }) => [second, requests, tokens])
  return judged
}

/** The readings of the rules among claims, each by its counter, so that another policy can find it. */
export const judgedRules = ({ rules = [] }: Claims, uses: readonly RuleUse[]): readonly JudgedRule[] =>
  rules.map(({ group, field }, place) => {
    const { index, used, held } = uses[place] ?? NOTHING_READ
    return used === 0 && held === 0 ? [group, field, index] : [group, field, index, index, used, held]
  })

/** The readings with all cells but the empty ones, which a request that was given back may leave. */
export const judgedCells = ({ rules = [] }: Claims, readings: readonly RuleReading[]): readonly JudgedRule[] =>
  rules.map(({ group, field }, place) => {
    const { index, cells } = readings[place] ?? NOTHING_READ
    const counting = cells.filter(({ used, held }) => used > 0 || held > 0)
    return [group, field, index, ...counting.flatMap(cell => [cell.index, cell.used, cell.held])]
  })

/** The recorded readings of the rules among claims; none for rules that were not asked then. */
export const readingsOfRules = (
  { rules }: Claims,
  judged: readonly JudgedRule[] = [],
): readonly RuleReading[] | undefined =>
  rules?.map(claim => {
    const found = judged.find(isOf(claim))
    return found ? readCell(cellsOf(found), windowOfField(claim.field), found[2]) : NOTHING_READ
  })

/** Whether all rules that may refuse a request were read then. */
export const wereRead = ({ rules = [] }: Claims, seen: Seen | undefined): boolean =>
  rules.every(claim => {
    const read = seen !== undefined && 'rules' in seen ? seen.rules : undefined
    return claim.rule.most === Number.MAX_SAFE_INTEGER || read?.some(isOf(claim)) === true
  })

/** Counters of rules that are read at the moment as those that were; of those that were not asked then, nothing. */
export const countersOfRules =
  ({ rules = [] }: Judged): CounterOf =>
  name => {
    const found = rules.find(isOf(name))
    return found ? cellsOf(found) : NO_CELLS
  }

const isOf =
  ({ group, field }: CounterName) =>
  ([inGroup, name]: JudgedRule): boolean =>
    inGroup === group && name === field

function cellsOf([, , , ...numbers]: JudgedRule): RuleCounter {
  const cells: Cell[] = []
  for (let at = 0; at < numbers.length; at += 3)
    cells.push({ index: numbers[at] ?? 0, used: numbers[at + 1] ?? 0, held: numbers[at + 2] ?? 0 })
  return cells
}

function liveOf({ at, readings, minute }: Judged): Live {
  const { requests, tokens } = readings
  const now = Math.floor(at / 1000)
  if (!minute)
    return { readings, second: now, buckets: requests > 0 || tokens > 0 ? [{ second: now, requests, tokens }] : [] }
  const buckets = minute.map(([second, requests, tokens]) => ({ second, requests, tokens }))
  return { readings, second: Math.max(now, buckets.at(-1)?.second ?? 0), buckets }
}

/** Counters that are judged at the moment as those that were. */
export function countersOf(judged: Judged, window: EpochMs): AccountCounters {
  const { readings, second, buckets } = liveOf(judged)
  const { concurrent, used, held } = readings
  return {
    minute: buckets,
    calendar: calendarOf(readings, second),
    concurrent,
    spend: { [window]: { used, held } },
  }
}

/** Claims as lines of the decision log have them: each limit of the plan by a name of its own, the optional ones last. */
export interface ClaimsLine extends OptionalClaims {
  readonly requests: LimitClaim
  readonly tokens: LimitClaim & { readonly input: number }
  readonly spend: SpendClaim
  readonly output: OutputClaim
  /** The claims of rules, each with its counter. */
  readonly rules?: readonly (LimitClaim & CounterName)[]
}

interface LimitClaim {
  readonly limit: number
}

type CountClaim = (typeof COUNT_RULES)[number]['claim']
type OptionalClaim = Exclude<CountClaim, 'requests' | 'tokens'>
type OptionalClaims = { readonly [Name in OptionalClaim]?: LimitClaim }

export function claimsLine({ limits, rules, input, spend, output }: Claims): ClaimsLine {
  const line: Mutable<ClaimsLine> = {
    requests: { limit: mostOf(limits, 'rpm') },
    tokens: { limit: mostOf(limits, 'tpm'), input },
    spend,
    output,
  }
  for (const { name, most } of limits) {
    const { claim } = rowOf(name)
    if (isOptional(claim)) line[claim] = { limit: most }
  }
  if (rules) line.rules = rules.map(({ group, field, rule }) => ({ group, field, limit: rule.most }))
  return line
}

const isOptional = (claim: CountClaim): claim is OptionalClaim => claim !== 'requests' && claim !== 'tokens'

export const OPTIONAL_CLAIMS: readonly OptionalClaim[] = COUNT_RULES.map(({ claim }) => claim).filter(isOptional)
