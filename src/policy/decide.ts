import { extrasRuling } from './accepts.ts'
import { type Config, type EpochMs, type Model, type Overage, type Plan, type Pool, placeOf } from './config.ts'
import {
  type Allow,
  type Building,
  type Claims,
  type Decision,
  type SpendClaim,
  type Step,
  windowOf,
} from './decision.ts'
import type { Denial } from './denial.ts'
import type { Facts, Health, Terms } from './facts.ts'
import { choose } from './model.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from './nano-usd.ts'
import { planName, planOf } from './plan.ts'
import { NO_PRICE } from './price.ts'
import { routed } from './route.ts'
import { type Ruling, ruled } from './ruling.ts'
import { SILENT, type Sized, size, sizePassed } from './sizing.ts'
import { hostedTools, withTools } from './tools.ts'

/** The whole policy. The same config and facts give the same decision. */
export function decide(config: Config, facts: Facts): Decision {
  const { at, caller, request, health } = facts
  const plan = planOf(config, caller)
  if (!plan) return unplanned(config, facts)

  const why: Step[] = [
    { stage: 'who', outcome: 'pass', text: `${caller.keyPrefix ?? caller.account} on plan ${plan.name}`, at: plan.at },
  ]
  const deny = (denial: Denial): Decision => ({ verdict: 'deny', denial, why })

  const chosen = ruled(why, choose(config, request))
  if ('denial' in chosen) return deny(chosen.denial)
  const { alias } = chosen.value
  const { model, route } = routed(config, plan, facts, chosen.value, why)

  const gated = ruled(why, gate(plan, model))
  if ('denial' in gated) return deny(gated.denial)

  const listed = hostedTools(config, plan, model, request, why)
  if ('denial' in listed) return deny(listed.denial)

  const extras = extrasRuling(model, request)
  if ('denial' in extras) {
    why.push(extras.step)
    return deny(extras.denial)
  }
  why.push(...extras.steps)

  const sized = ruled(
    why,
    request.kind === 'passthrough' ? sizePassed(config, plan, request) : size(plan, model, request),
  )
  if ('denial' in sized) return deny(sized.denial)

  const tools = listed.value
  const claims = withTools(claimsOf(plan, caller.terms, sized.value, at), tools)
  const pools = failoverOrder(model, health)
  why.push(...limitSteps(plan, claims), {
    stage: 'send',
    outcome: 'pass',
    text: pools.map(pool => pool.name).join(', then '),
    at: placeOf(model, 'serve'),
  })
  const { imageSize } = sized.value
  const commit = plan.commit ?? (model.kind === 'chat' ? model.commit : 'first_content')
  const allow: Building<Allow> = { verdict: 'allow', plan, model, pools, claims, commit, why }
  if (alias) allow.alias = alias
  if (route) allow.route = route
  if (tools.length > 0) allow.tools = tools
  if (imageSize) allow.imageSize = imageSize
  return allow
}

/** An account that was served before the files changed. The client can do no more than of any plan that is too small. */
function unplanned(config: Config, { caller, request }: Facts): Decision {
  const plan = planName(config, caller)
  const model = request.model ?? config.defaultModel.name
  const text = `${caller.keyPrefix ?? caller.account} on plan ${plan}, which the files do not declare`
  return {
    verdict: 'deny',
    denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan },
    why: [{ stage: 'who', outcome: 'deny', text }],
  }
}

/** Refuses a model that the plan does not include. */
function gate(plan: Plan, model: Model): Ruling<void> {
  const included = plan.models.get(model.name)
  if (!included) {
    const text = `plan ${plan.name} does not include ${model.name}, which is tier ${model.tier}`
    return {
      step: { stage: 'gate', outcome: 'deny', text, at: placeOf(plan, 'models') },
      denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model: model.name, plan: plan.name },
    }
  }
  const text = `plan ${plan.name} includes ${model.name} by ${included.by}`
  return { step: { stage: 'gate', outcome: 'pass', text, at: included.at }, value: undefined }
}

/** What every request of a plan claims, whatever it asks for. */
export const leastClaims = (plan: Plan, terms: Terms, at: EpochMs): Claims => claimsOf(plan, terms, NO_SIZE, at)

const NO_SIZE: Sized = { input: 0, output: SILENT, price: NO_PRICE, items: 0 }

function claimsOf(plan: Plan, terms: Terms, sized: Sized, at: EpochMs): Claims {
  const window = windowOf(at)
  const overage = terms.overage ?? plan.overage
  const allotment = addNanoUsd(plan.monthlyNanoUsd, terms.grants?.[window.start] ?? ZERO_USD)
  const { input, output, price, items } = sized
  const spend: Building<SpendClaim> = { allotment, overageEnabled: overage !== false, window, price, items }
  if (overage !== true) spend.limit = spendLimit(allotment, overage)
  const claims: Building<Claims> = {
    requests: { limit: plan.rpm },
    tokens: { limit: plan.tpm, input },
    spend,
    output,
  }
  if (plan.perDay !== undefined) claims.day = { limit: plan.perDay }
  if (plan.maxConcurrent !== undefined) claims.concurrency = { limit: plan.maxConcurrent }
  return claims
}

const spendLimit = (allotment: NanoUsd, overage: Exclude<Overage, true>): NanoUsd =>
  overage === false ? allotment : addNanoUsd(allotment, overage.capNanoUsd)

function limitSteps(plan: Plan, { requests, tokens, spend }: Claims): Step[] {
  return [
    {
      stage: 'rate',
      outcome: 'pass',
      text: `${requests.limit} requests and ${tokens.limit} tokens a minute`,
      at: placeOf(plan, 'rpm'),
    },
    { stage: 'quota', outcome: 'pass', text: `${spend.allotment} nano-USD a month`, at: placeOf(plan, 'monthly_usd') },
  ]
}

/** The model's pools in the order to try them: as declared, those that are down last, since a dead record must not refuse a healthy pool. */
function failoverOrder(model: Model, { down }: Health): readonly Pool[] {
  if (!model.serve.some(pool => down.includes(pool.name))) return model.serve
  const isDown = (pool: Pool): boolean => down.includes(pool.name)
  return [...model.serve.filter(pool => !isDown(pool)), ...model.serve.filter(isDown)]
}
