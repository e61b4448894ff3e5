import { countsModel, type LimitRule, ruleName } from '../../policy/limits/rule.ts'
import { heldPrice } from '../../policy/price.ts'
import type { ModelSection, PassthroughSection } from '../file.ts'
import { unitOf } from '../model/units.ts'
import type { Report } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { rowsOf } from '../resolve/limits.ts'
import { pricesOf } from '../resolve/prices.ts'
import { planIncludes, sayer } from './lint.ts'

/** Warns of rows that count what no request of the plan takes, and of those that no request fits. */
export function lintMeasures({ plans, models, passthrough }: MergedFiles, report: Report): void {
  const routes = [...passthrough.values()].map(({ data }) => data)
  // An unknown model may be the one that a row counts.
  if ([...models.values()].some(({ data }) => !data) || routes.includes(undefined)) return
  for (const { name, node, data } of plans.values()) {
    if (!data?.limits) continue
    const included = [...models.values()].filter(model => planIncludes(data, model))
    for (const { rule, place } of rowsOf(data)) {
      const counted = included.filter(model => isCounted(rule, model))
      const least = counted.map(({ name, data }) => data && leastOf(rule, data, routesOf(name, routes)))
      const problem = problemOf(rule, least)
      if (!problem) continue
      const message = `plan \`${name}\` limits ${ruleName(rule)}, ${problem.says}`
      sayer(node, report)(['limits', place, rule.measure], 'warning', problem.rule, message, problem.hint)
    }
  }
}

const isCounted = (rule: LimitRule, { name, data }: Declaration<ModelSection>): boolean =>
  data !== undefined && countsModel(rule, { name, tier: data.tier })

/** The fault of a row, by the least that requests for each model take. */
function problemOf({ measure, most }: LimitRule, least: readonly (number | undefined)[]) {
  if (least.length === 0) return undefined
  if (least.every(needed => needed === undefined))
    return { rule: 'limit-of-nothing', says: 'but none of its requests uses any', hint: HINTS[measure] ?? 'remove it' }
  return least.every(needed => needed !== undefined && needed > most)
    ? {
        rule: 'limit-too-small',
        says: 'but its smallest request needs more',
        hint: 'raise it: every request would be refused',
      }
    : undefined
}

const HINTS: Readonly<Record<string, string>> = {
  images: 'only image models count images: remove it, or add one to `models`',
  seconds: 'only `passthrough` routes with `usd_per_second` count seconds: remove it, or add one',
  output_tokens: 'only chats have output tokens: remove it, or limit `tokens`',
}

const routesOf = (model: string, routes: readonly (PassthroughSection | undefined)[]): readonly PassthroughSection[] =>
  routes.flatMap(route => (route?.model === model ? [route] : []))

/** The least that a request for a model takes of what a limit counts; undefined where no request takes any. */
function leastOf(
  { measure }: LimitRule,
  model: ModelSection,
  routes: readonly PassthroughSection[],
): number | undefined {
  switch (measure) {
    case 'requests':
    case 'concurrent':
      return 1
    case 'images':
      return model.kind === 'image' ? 1 : undefined
    case 'seconds':
      return lowest(
        routes.flatMap(({ meter }) => (meter.max_seconds === undefined ? [] : [unitOf('count', meter.max_seconds)])),
      )
    case 'output_tokens':
      return model.kind === 'chat' ? 1 : usesOf(routes, 'max_output')
    case 'tokens':
    case 'input_tokens':
      return model.kind === 'passthrough' ? usesOf(routes, 'max_input') : 1
    case 'usd':
      return model.kind === 'passthrough' ? 0 : leastCost(model)
  }
}

const usesOf = (routes: readonly PassthroughSection[], field: 'max_input' | 'max_output'): number | undefined =>
  lowest(
    routes.flatMap(({ meter: { usage } }) => {
      const most = unitOf('count', usage?.[field] ?? 0)
      return most > 0 ? [most] : []
    }),
  )

const lowest = (numbers: readonly number[]): number | undefined =>
  numbers.length > 0 ? Math.min(...numbers) : undefined

/** One token of a prompt and one of an answer, or an image of the cheapest size. */
function leastCost(model: Exclude<ModelSection, { readonly kind: 'passthrough' }>): number {
  if (model.kind === 'image') {
    const { usd_per_image: price } = model
    const prices = typeof price === 'object' ? Object.values(price) : [price]
    return Math.min(...prices.map(usd => unitOf('usd', usd)))
  }
  const { input, output } = heldPrice(pricesOf(model.usd_per_1m))
  return Math.floor((input + (model.kind === 'chat' ? output : 0)) / 1000)
}
