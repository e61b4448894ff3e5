import { extrasDenied } from './accepts.ts'
import { type Circumstances, holds, perhaps } from './condition.ts'
import type { Alias, Config, Model, Plan, Route } from './config.ts'
import type { ValidationDenial } from './denial.ts'
import { poolsFor } from './dialect.ts'
import type { Facts } from './facts.ts'
import { type Chosen, choose } from './model.ts'
import { isOfKey, planOf } from './plan.ts'
import { size } from './sizing.ts'

/** The model to use, and the route that chose it where one did. */
export interface Routed {
  readonly model: Model
  readonly route?: Route
}

/**
 * Upgrades a generic name by the first route that applies and whose model serves the request. A model that was named
 * itself is never changed (docs/routing.md).
 */
export function routed(config: Config, plan: Plan, facts: Facts, chosen: Chosen): Routed {
  const { model } = chosen
  const route = takenRoute(config, plan, facts, chosen)
  // An exception from the routes below it is no upgrade.
  return route && route.model !== model ? { model: route.model, route } : { model }
}

/** The route that decides on the model, also where it decides for the one that was there anyway. */
export function takenRoute(config: Config, plan: Plan, facts: Facts, { alias }: Chosen): Route | undefined {
  if (!alias || config.routes.length === 0) return undefined
  const circumstances = circumstancesOf(facts, plan, alias)
  return config.routes.find(route => holds(route.when, circumstances) && !obstacleTo(route, plan, facts))
}

/** A route that was looked at. It is taken where its condition applies and nothing stands in the way. */
export interface LookedAt {
  readonly route: Route
  readonly applies: boolean
  readonly obstacle?: Obstacle
}

/** Why a route that applies is skipped: an upgrade must not make a good request a bad one. */
export type Obstacle = 'not-in-plan' | 'not-of-key' | ValidationDenial

/** The routes down to the one that is taken, or all. */
export function routesLookedAt(config: Config, plan: Plan, facts: Facts, chosen: Chosen): readonly LookedAt[] {
  const { alias } = chosen
  if (!alias) return []
  const circumstances = circumstancesOf(facts, plan, alias)
  const taken = takenRoute(config, plan, facts, chosen)
  const last = taken ? config.routes.indexOf(taken) : config.routes.length
  return config.routes.slice(0, last + 1).map(route => {
    if (!holds(route.when, circumstances)) return { route, applies: false }
    const obstacle = obstacleTo(route, plan, facts)
    return { route, applies: true, ...(obstacle && { obstacle }) }
  })
}

/**
 * The models that a request may come to, whatever the signals would say that were not looked for when its facts were
 * written down. None where it comes to no model at all.
 */
export function possibleModels(config: Config, facts: Facts): readonly Model[] {
  const plan = planOf(config, facts.caller)
  const chosen = choose(config, facts.request)
  if (!plan || 'denial' in chosen) return []
  const { model, alias } = chosen
  if (!alias) return [model]
  const circumstances = circumstancesOf(facts, plan, alias)
  const models = new Set<Model>()
  for (const route of config.routes) {
    const applies = perhaps(route.when, circumstances)
    if (applies === false || obstacleTo(route, plan, facts)) continue
    models.add(route.model)
    if (applies) return [...models]
  }
  return [...models.add(model)]
}

function obstacleTo({ model }: Route, plan: Plan, { caller, request }: Facts): Obstacle | undefined {
  if (!plan.models.has(model.name)) return 'not-in-plan'
  if (!isOfKey(caller.key, model)) return 'not-of-key'
  const extras = extrasDenied(model, request)
  if (extras) return extras.denial
  const pools = poolsFor(model, request)
  if ('denial' in pools) return pools.denial
  const sized = size(plan, model, request)
  return 'denial' in sized ? sized.denial : undefined
}

/** The parts of a request that the conditions of routes look at. */
export const circumstancesOf = ({ at, request, signals }: Facts, plan: Plan, alias: Alias): Circumstances => ({
  at,
  plan: plan.name,
  alias: alias.name,
  inputTokens: Math.ceil(request.textBytes / BYTES_PER_TOKEN),
  hasTools: request.kind === 'chat' && request.tools > 0,
  hasImages: request.kind === 'chat' && request.images > 0,
  signals,
})

/** Bytes of text that are taken for a token where routes count them. */
const BYTES_PER_TOKEN = 4
