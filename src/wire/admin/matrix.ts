import { type Config, type Inclusion, type Place, type Plan, placeOf } from '../../policy/config.ts'
import { type LimitRule, ruleName } from '../../policy/limits/limit-rule.ts'
import { allowedText } from '../../policy/limits/limit-text.ts'
import { quotaOf } from '../../policy/limits/named-rules.ts'
import { planLimits } from './plan-limits.ts'

/** Models and hosted tools by plan. */
export interface ShownMatrix {
  readonly object: 'list'
  readonly data: readonly ShownRow[]
}

interface ShownRow {
  readonly plan: string
  /** By name, in the order of the files; null where the plan does not include one. */
  readonly models: Readonly<Record<string, ShownInclusion | null>>
  readonly tools: Readonly<Record<string, ShownInclusion | null>>
}

/** The entry of a plan that includes something, and its place: `policies/plans.yaml:18:13`. */
interface ShownInclusion {
  readonly by: string
  readonly at: string
}

/** What a plan allows. */
export type ShownPlanLimits = ReturnType<typeof shownPlanLimits>

export function shownMatrix({ plans, models, tools }: Config): ShownMatrix {
  const cells = (names: Iterable<string>, included: ReadonlyMap<string, Inclusion>) =>
    Object.fromEntries([...names].map(name => [name, cell(included.get(name))]))
  const data = [...plans.values()].map(plan => ({
    plan: plan.name,
    models: cells(models.keys(), plan.models),
    tools: cells(tools.keys(), plan.tools),
  }))
  return { object: 'list', data }
}

const cell = (inclusion: Inclusion | undefined): ShownInclusion | null =>
  inclusion ? { by: inclusion.by, at: placeText(inclusion.at) } : null

/** `at` is the place of the plan; `list` has all of its limits, each with a sentence and its place. */
export function shownPlanLimits(plan: Plan) {
  const named = plan.limits.map(rule => shownLimit(plan, rule, placeOf(plan, rule.name)))
  const month = quotaOf(plan.monthlyNanoUsd)
  const rules = plan.rules.map(({ rule, at }) => shownLimit(plan, rule, at))
  const list = [...named, shownLimit(plan, month, placeOf(plan, 'monthly_usd')), ...rules]
  return { plan: plan.name, ...planLimits(plan), at: placeText(plan.at), list }
}

const shownLimit = (plan: Plan, rule: LimitRule, at: Place = plan.at) => ({
  ...{ limit: ruleName(rule), text: allowedText(rule), at: placeText(at) },
})

const placeText = ({ file, line, column }: Place): string => `${file}:${line}:${column}`
