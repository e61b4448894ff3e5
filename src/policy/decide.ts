import { extrasDenied } from './accepts.ts'
import { type Config, type EpochMs, type Model, type Overage, type Plan, type Pool, placeOf } from './config.ts'
import {
  type Allowed,
  type Claims,
  type Decision,
  type DeniedAt,
  type Mutable,
  type SpendClaim,
  windowOf,
} from './decision.ts'
import { poolsFor } from './dialect.ts'
import { type Facts, type Health, isFrozen, type Terms } from './facts.ts'
import { choose } from './model.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from './nano-usd.ts'
import { planName, planOf } from './plan.ts'
import { NO_PRICE } from './price.ts'
import { routed } from './route.ts'
import { NO_OUTPUT, type Sized, size, sizePassthrough } from './sizing.ts'
import { hostedTools, withTools } from './tools.ts'

/** The whole policy. The same config and facts give the same decision; `explain` puts it into words. */
export function decide(config: Config, facts: Facts): Decision {
  const { at, caller, request, health } = facts
  if (isFrozen(caller)) return FROZEN
  const plan = planOf(config, caller)
  if (!plan) return withoutPlan(config, facts)
  const chosen = choose(config, request)
  if ('denial' in chosen) return chosen
  const { model, route } = routed(config, plan, facts, chosen)
  if (!plan.models.has(model.name)) return notIncluded(plan, model)
  const tools = hostedTools(config, plan, model, request)
  if ('denial' in tools) return tools
  const extras = extrasDenied(model, request)
  if (extras) return extras
  const pools = poolsFor(model, request)
  if ('denial' in pools) return pools
  const sized = request.kind === 'passthrough' ? sizePassthrough(config, plan, request) : size(plan, model, request)
  if ('denial' in sized) return sized

  const { alias } = chosen
  const { imageSize } = sized
  const claims = withTools(claimsOf(plan, caller.terms, sized, at), tools)
  const commit = plan.commit ?? (model.kind === 'chat' ? model.commit : 'first_content')
  const allowed: Mutable<Allowed> = { plan, model, pools: failoverOrder(pools, health), claims, commit }
  if (alias) allowed.alias = alias
  if (route) allowed.route = route
  if (tools.length > 0) allowed.tools = tools
  if (imageSize) allowed.imageSize = imageSize
  return allowed
}

const FROZEN: DeniedAt = { denial: { code: 'ACCOUNT_FROZEN' }, stage: 'who' }

/** An account that was served before the files changed. The client can do no more than of any plan that is too small. */
function withoutPlan(config: Config, { caller, request }: Facts): DeniedAt {
  const model = request.model ?? config.defaultModel.name
  return {
    denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: planName(config, caller) },
    stage: 'who',
  }
}

const notIncluded = (plan: Plan, { name: model }: Model): DeniedAt => ({
  denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: plan.name },
  stage: 'gate',
  at: placeOf(plan, 'models'),
})

/** What every request of a plan claims, whatever it asks for. */
export const leastClaims = (plan: Plan, terms: Terms, at: EpochMs): Claims => claimsOf(plan, terms, NO_SIZE, at)

const NO_SIZE: Sized = { input: 0, output: NO_OUTPUT, price: NO_PRICE, items: 0 }

function claimsOf(plan: Plan, terms: Terms, sized: Sized, at: EpochMs): Claims {
  const window = windowOf(at)
  const overage = terms.overage ?? plan.overage
  const allotment = addNanoUsd(plan.monthlyNanoUsd, terms.grants?.[window.start] ?? ZERO_USD)
  const { input, output, price, items } = sized
  const spend: Mutable<SpendClaim> = { allotment, overageEnabled: overage !== false, window, price, items }
  if (overage !== true) spend.limit = spendLimit(allotment, overage)
  return { limits: plan.limits, input, spend, output }
}

const spendLimit = (allotment: NanoUsd, overage: Exclude<Overage, true>): NanoUsd =>
  overage === false ? allotment : addNanoUsd(allotment, overage.capNanoUsd)

/** Pools in the order to try them: as declared, those that are down last, since a dead record must not refuse a healthy pool. */
function failoverOrder(pools: readonly Pool[], { down }: Health): readonly Pool[] {
  if (!pools.some(pool => down.includes(pool.name))) return pools
  const isDown = (pool: Pool): boolean => down.includes(pool.name)
  return [...pools.filter(pool => !isDown(pool)), ...pools.filter(isDown)]
}
