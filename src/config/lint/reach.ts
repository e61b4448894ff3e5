import { COUNT_RULES, namedRule } from '../../policy/limits/named-rules.ts'
import {
  countedBy,
  GROWS,
  isIdle,
  kindOf,
  type LimitRule,
  type LimitWindow,
  type Measure,
  ruleName,
  type ScopeKind,
  slidingDays,
} from '../../policy/limits/rule.ts'
import type { PlanSection } from '../file.ts'
import { nodeAt, type Path } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Report } from '../problem.ts'
import type { MergedFiles } from '../read/merge.ts'
import { rowsOf } from '../resolve/limits.ts'
import { sayer } from './lint.ts'

/** Warns of rows that refuse nothing, because another limit of the plan always refuses first. */
export function lintReach({ plans, models }: MergedFiles, report: Report): void {
  const tierOf = (model: string) => models.get(model)?.data?.tier
  for (const { name, node, data } of plans.values()) {
    if (!data?.limits) continue
    const say = sayer(node, report)
    const bounds = boundsOf(data)
    for (const { rule, place } of rowsOf(data)) {
      const first = bounds.find(
        bound => countedBy(bound.rule) !== countedBy(rule) && isNeverReached(rule, bound.rule, tierOf),
      )
      if (!first) continue
      const line = (nodeAt(node, first.path) ?? node).span.line
      const message = `plan \`${name}\` never reaches its limit of ${ruleName(rule)}: ${ruleName(first.rule)} in line ${line} always refuses first`
      say(['limits', place], 'warning', 'limit-unreachable', message, 'lower it, or remove it')
    }
  }
}

interface Bound {
  readonly rule: LimitRule
  readonly path: Path
}

/** The limits of a plan, but for its month, beyond which an operator may let an account go. */
function boundsOf(plan: PlanSection): readonly Bound[] {
  const rows = rowsOf(plan).map(({ rule, place }) => ({ rule, path: ['limits', place] }))
  const named = COUNT_RULES.flatMap(({ name }): Bound[] => {
    const written = plan[name]
    return written === undefined ? [] : [{ rule: namedRule(name, unitOf('count', written)), path: [name] }]
  })
  return [...rows, ...named]
}

/**
 * Whether a limit refuses no request that another one of the plan would admit, whatever was sent before. False where
 * that is not certain.
 */
export function isNeverReached(
  limit: LimitRule,
  other: LimitRule,
  tierOf: (model: string) => string | undefined,
): boolean {
  if (!WITHIN[other.measure].includes(limit.measure)) return false
  if (!SHARED[kindOf(other.of)].includes(kindOf(limit.of))) return false
  // Values of one label say nothing about those of another.
  if (kindOf(limit.of) === 'label' && kindOf(other.of) === 'label' && limit.of !== other.of) return false
  if (other.model !== undefined && other.model !== limit.model && other.model !== `tier:${tierOf(limit.model ?? '')}`)
    return false
  const windows = windowsIn(limit.per, other.per, limit.measure)
  return windows !== undefined && limit.most >= windows * other.most
}

/** Measures that are never larger than this one. */
const WITHIN: Readonly<Record<Measure, readonly Measure[]>> = {
  requests: ['requests'],
  tokens: ['tokens', 'input_tokens', 'output_tokens'],
  input_tokens: ['input_tokens'],
  output_tokens: ['output_tokens'],
  images: ['images'],
  seconds: ['seconds'],
  usd: ['usd'],
  concurrent: ['concurrent'],
}

type Scope = ScopeKind

/**
 * The scopes whose requests all count for a scope. An account's requests do not all count for its plan, since it may have had
 * another one, nor for an organization, since it may belong to none.
 */
const SHARED: Readonly<Record<Scope, readonly Scope[]>> = {
  key: ['key'],
  user: ['user'],
  session: ['session'],
  label: ['label'],
  account: ['account', 'key', 'user', 'session'],
  plan: ['plan'],
  org: ['org'],
  everybody: ['everybody', 'plan', 'org', 'account', 'key', 'user', 'session', 'label'],
}

/** How many windows of another limit there may be in one: 1 where each is within one; undefined where that is not certain. */
function windowsIn(per: LimitWindow | undefined, other: LimitWindow | undefined, measure: Measure): number | undefined {
  if (per === other) return 1
  if (per === undefined || other === undefined) return undefined
  // A session lasts as long as its client likes.
  if (isIdle(per) || isIdle(other)) return undefined
  // The usage of a later round counts where the request began, which may have left the minute.
  const isLate = other === 'minute' && GROWS[measure]
  if (isWithin(per, other)) return isLate ? undefined : 1
  const parts = partsOf(per, other)
  return parts === undefined ? undefined : parts + (isLate ? LONGEST_ROUNDS : 0)
}

/** How many shorter windows there may be in a longer one. */
function partsOf(per: LimitWindow, other: LimitWindow): number | undefined {
  const [own, part] = [span(per), span(other)]
  if (own.most <= part.least || (part.slides && other !== 'minute')) return undefined
  const isWhole = other === 'minute' || other === 'second' || (!own.slides && isWithin(other, per))
  return Math.ceil(own.most / part.least) + (isWhole ? 0 : 1)
}

/** Minutes: in so many after the end of a window, requests that began in it may go on. A day is more than any does. */
const LONGEST_ROUNDS = 1440

/** Whether all that counts in a window also counts in another one at the same moment. */
function isWithin(per: LimitWindow, other: LimitWindow): boolean {
  if (span(other).slides) return span(per).most <= span(other).least
  return HOLDS[other]?.includes(per) === true
}

/** Windows of the calendar that never reach over the end of another. */
const HOLDS: Readonly<Record<string, readonly LimitWindow[]>> = {
  hour: ['second'],
  day: ['second', 'hour'],
  week: ['second', 'hour', 'day'],
  month: ['second', 'hour', 'day'],
  quarter: ['second', 'hour', 'day', 'month'],
}

interface Span {
  /** The minimum and maximum of seconds that count. */
  readonly least: number
  readonly most: number
  readonly slides: boolean
}

const DAY = 86_400

const SPANS: Readonly<Record<string, Span>> = {
  second: { least: 1, most: 1, slides: false },
  minute: { least: 60, most: 61, slides: true },
  hour: { least: 3600, most: 3600, slides: false },
  day: { least: DAY, most: DAY, slides: false },
  week: { least: 7 * DAY, most: 7 * DAY, slides: false },
  month: { least: 28 * DAY, most: 31 * DAY, slides: false },
  quarter: { least: 90 * DAY, most: 92 * DAY, slides: false },
}

/** A window that slides has 60 cells, and the one that began. */
function span(per: LimitWindow): Span {
  const seconds = (slidingDays(per) ?? 1) * DAY
  return SPANS[per] ?? { least: seconds, most: (seconds / 60) * 61, slides: true }
}
