import { extrasRuling } from './accepts.ts'
import { type Circumstances, holding, perhaps } from './condition.ts'
import type { Config, Model, Plan, Route } from './config.ts'
import type { Step } from './decision.ts'
import type { Facts, InferenceRequest } from './facts.ts'
import { type Chosen, choose } from './model.ts'
import { planOf } from './plan.ts'
import { size } from './sizing.ts'

/** The model to use, and the route that chose it where one did. */
export interface Routed {
  readonly model: Model
  readonly route?: Route
}

/** Bytes of text that are taken for a token where routes count them. */
const BYTES_PER_TOKEN = 4

/**
 * Upgrades a generic name: the first route that applies and whose model the plan includes. A model that was named
 * itself is never changed (docs/routing.md). Notes every route it looked at.
 */
export function routed(config: Config, plan: Plan, facts: Facts, { model, alias }: Chosen, why: Step[]): Routed {
  if (!alias) return { model }
  const circumstances = circumstancesOf(facts, plan.name, alias.name)
  for (const route of config.routes) {
    const { holds, text } = holding(route.when, circumstances)
    const skipped = holds ? whySkipped(route, plan, facts.request) : text
    const note = (said: string) => why.push({ stage: 'route', outcome: 'pass', text: said, at: route.at })
    if (skipped === undefined) {
      note(`${route.name}: ${text}, so ${route.model.name}`)
      // An exception from the routes below it is no upgrade.
      return route.model === model ? { model } : { model: route.model, route }
    }
    note(`${route.name}: ${skipped}`)
  }
  return { model }
}

/**
 * The models that a request may come to, whatever the signals would say that nobody looked for when its facts were
 * written down. None where it comes to no model at all.
 */
export function possibleModels(config: Config, facts: Facts): readonly Model[] {
  const plan = planOf(config, facts.caller)
  const chosen = choose(config, facts.request)
  if (!plan || 'denial' in chosen) return []
  const { model, alias } = chosen.value
  if (!alias) return [model]
  const circumstances = circumstancesOf(facts, plan.name, alias.name)
  const models = new Set<Model>()
  for (const route of config.routes) {
    const holds = perhaps(route.when, circumstances)
    if (holds === false || whySkipped(route, plan, facts.request) !== undefined) continue
    models.add(route.model)
    if (holds) return [...models]
  }
  return [...models.add(model)]
}

/** A route that applies is skipped where it would lead to a refusal: an upgrade must not make a good request a bad one. */
function whySkipped({ model }: Route, plan: Plan, request: InferenceRequest): string | undefined {
  if (!plan.models.has(model.name)) return `would use ${model.name}, which plan ${plan.name} does not include`
  const extras = extrasRuling(model, request)
  if ('denial' in extras) return `would use ${model.name}, but ${extras.step.text}`
  const sized = size(plan, model, request)
  return 'denial' in sized ? `would use ${model.name}, but ${sized.step.text}` : undefined
}

const circumstancesOf = ({ at, request, signals }: Facts, plan: string, alias: string): Circumstances => ({
  at,
  plan,
  alias,
  inputTokens: Math.ceil(request.textBytes / BYTES_PER_TOKEN),
  hasTools: request.kind === 'chat' && request.tools > 0,
  hasImages: request.kind === 'chat' && request.images > 0,
  signals,
})
