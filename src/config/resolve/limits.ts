import type { Plan, PlanRule } from '../../policy/config.ts'
import { COUNT_RULES, namedRule, nameOfRule } from '../../policy/limits/named-rules.ts'
import {
  countedBy,
  idleWindow,
  isLimitScope,
  isLimitWindow,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
  scopeOf,
} from '../../policy/limits/rule.ts'
import type { LimitRuleSection, PlanSection } from '../file.ts'
import { unitOf } from '../model/units.ts'

/** The named rules of a plan, written by their names, or as rows of `limits` that mean the same. */
export function limitsOf(plan: PlanSection): Plan['limits'] {
  const rules = rowsOf(plan).map(({ rule }) => rule)
  return COUNT_RULES.flatMap(({ name }) => {
    const written = plan[name]
    const most = written === undefined ? rules.find(rule => nameOfRule(rule) === name)?.most : unitOf('count', written)
    return most === undefined ? [] : [namedRule(name, most)]
  })
}

/** A row of `limits`, and which it is. */
export interface Row {
  readonly rule: LimitRule
  readonly place: number
}

/** The rows of `limits` that mean a limit; those with a mistake mean none. */
export const rowsOf = ({ limits = [] }: Pick<PlanSection, 'limits'>): readonly Row[] =>
  limits.flatMap((row, place) => {
    const rule = limitRuleOf(row)
    return rule ? [{ rule, place }] : []
  })

/** The limit that a row means; undefined for one with a mistake. */
export function limitRuleOf(row: LimitRuleSection): LimitRule | undefined {
  const [measure, second] = measuresOf(row)
  if (measure === undefined || second !== undefined) return undefined
  const per = perOf(row)
  const of = scopeIn(row.of)
  if ((measure === 'concurrent') !== (per === undefined)) return undefined
  if ((row.idle !== undefined) !== (of === 'session') || (row.idle !== undefined && row.per !== undefined))
    return undefined
  const { model } = row
  return {
    measure,
    most: measure === 'usd' ? unitOf('usd', row.usd ?? 0) : unitOf('count', row[measure] ?? 0),
    ...(per !== undefined && { per }),
    ...(of !== 'account' && { of }),
    ...(model !== undefined && { model }),
    ...(row.last_turn !== undefined && { lastTurn: unitOf('count', row.last_turn) }),
    ...(row.warn !== undefined && { warn: Number.parseInt(row.warn.slice('append at '.length), 10) }),
  }
}

/** The measures of a row: one, where it has no mistake. */
export const measuresOf = (row: LimitRuleSection): readonly Measure[] =>
  MEASURES.filter(measure => row[measure] !== undefined)

function perOf({ per, idle }: LimitRuleSection): LimitWindow | undefined {
  if (idle !== undefined) return idleWindow(Math.ceil(unitOf('duration', idle) / 1000))
  return per === undefined ? undefined : windowOf(per)
}

function scopeIn(written = 'account'): LimitScope {
  if (!isLimitScope(written)) throw new Error(`\`${written}\` shares no limit, and that was not reported`)
  return written
}

function windowOf(written: string): LimitWindow {
  if (!isLimitWindow(written)) throw new Error(`\`${written}\` is no window, and that was not reported`)
  return written
}

/**
 * Plans with what they count for others: each limit of everybody, of an organization, and of a label, counts the requests of
 * all plans, and only those of the plan that writes it have to keep it.
 */
export function withCounts(plans: ReadonlyMap<string, Plan>): ReadonlyMap<string, Plan> {
  const shared = [...plans.values()].flatMap(({ rules }) => rules.filter(isShared))
  if (shared.length === 0) return plans
  return new Map([...plans].map(([name, plan]) => [name, Object.freeze({ ...plan, counts: countsOf(plan, shared) })]))
}

const isShared = ({ rule }: PlanRule): boolean => scopeOf(rule).isOfAllPlans

function countsOf({ rules }: Plan, shared: readonly PlanRule[]): readonly LimitRule[] {
  const own = new Set(rules.map(({ rule }) => countedBy(rule)))
  const others = new Map<string, LimitRule>()
  for (const { rule } of shared) {
    const counted = countedBy(rule)
    if (!own.has(counted)) others.set(counted, { ...rule, most: Number.MAX_SAFE_INTEGER })
  }
  return [...others.values()]
}
