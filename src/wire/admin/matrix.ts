import { type Calendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import { type Config, type Inclusion, type Place, type Plan, placeOf } from '../../policy/config.ts'
import { quotaOf } from '../../policy/limits/named-rules.ts'
import { type LimitRule, ruleName } from '../../policy/limits/rule.ts'
import { ruleIn } from '../../policy/limits/rule-claim.ts'
import { allowedText } from '../../policy/limits/text.ts'
import { fixed, list, map, orNull, type RecordOf, record, type TypeOf, text } from '../schema/schema.ts'
import { PLAN_LIMITS, planLimits } from './plan-limits.ts'

/** The entry of a plan that includes something. */
const INCLUSION = record({ by: text(), at: text('Its position, such as `policies/plans.yaml:18:13`.') }, 'Inclusion')

const CELLS = map(orNull(INCLUSION), 'By name, in the order of the files; null if the plan does not include it.')

const PLAN_ROW = record({ plan: text(), models: CELLS, tools: CELLS })

/** The models and limits of a plan. */
const ALLOWED = record(
  {
    plan: text(),
    ...PLAN_LIMITS,
    at: text('The position of the plan.'),
    list: list(record({ limit: text(), text: text('As a sentence.'), at: text('Its place.') }), 'All of its limits.'),
  },
  'PlanLimits',
)

export interface ShownPlanLimits extends TypeOf<typeof ALLOWED> {}

/** Models and hosted tools by plan. */
const ROWS = { object: fixed('list'), data: list(PLAN_ROW) }

export type ShownMatrix = RecordOf<typeof ROWS>

/** The matrix with the models and limits of each plan. */
export const MATRIX = record({ ...ROWS, plans: list(ALLOWED) }, 'Matrix')

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

const cell = (inclusion: Inclusion | undefined): TypeOf<typeof INCLUSION> | null =>
  inclusion ? { by: inclusion.by, at: placeText(inclusion.at) } : null

/** `at` is the place of the plan; `list` has all of its limits, each with a sentence and its place. */
export function shownPlanLimits(plan: Plan, calendar: Calendar = UTC_CALENDAR): ShownPlanLimits {
  const shownLimit = limitsShownBy(plan, calendar)
  const named = plan.limits.map(rule => shownLimit(rule, placeOf(plan, rule.name)))
  const month = quotaOf(plan.monthlyNanoUsd)
  const rules = plan.rules.map(({ rule, at }) => shownLimit(rule, at))
  const list = [...named, shownLimit(month, placeOf(plan, 'monthly_usd')), ...rules]
  return { plan: plan.name, ...planLimits(plan), at: placeText(plan.at), list }
}

const limitsShownBy =
  (plan: Plan, calendar: Calendar) =>
  (rule: LimitRule, at: Place = plan.at) => ({
    ...{ limit: ruleName(rule), text: allowedText(ruleIn(rule, calendar)), at: placeText(at) },
  })

const placeText = ({ file, line, column }: Place): string => `${file}:${line}:${column}`
