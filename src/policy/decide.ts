import { extrasDenied } from './accepts.ts'
import { type Config, type EpochMs, type Model, type Overage, type Plan, type Pool, placeOf } from './config.ts'
import { leastWeight } from './counters/judge.ts'
import { mayWarn, NOTICE_BYTES } from './counters/session-notice.ts'
import { amountOf } from './counters/weight.ts'
import {
  type Allowed,
  type Claims,
  type Decision,
  type DeniedAt,
  keyOfWindow,
  type Mutable,
  type SpendClaim,
  windowOf,
} from './decision.ts'
import { poolsFor } from './dialect.ts'
import { type Caller, type Facts, type Health, type InferenceRequest, isFrozen, type Terms } from './facts.ts'
import { frozenDenial } from './frozen.ts'
import type { Labels } from './label-values.ts'
import { labelsFor } from './labels.ts'
import { type Measure, sharedBy } from './limits/rule.ts'
import { claimsOfRules, type RuleClaim } from './limits/rule-claim.ts'
import { splitLimits } from './limits/zoned-limits.ts'
import { mirrorOf } from './mirror.ts'
import { choose } from './model.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from './nano-usd.ts'
import { commitOf, isOfKey, planName, planOf } from './plan.ts'
import { NO_PRICE } from './price.ts'
import { routed } from './route.ts'
import { NO_OUTPUT, type Sized, size, sizePassthrough } from './sizing.ts'
import { tooLarge } from './too-large.ts'
import { hostedTools, withTools } from './tools.ts'

/** The whole policy. The same config and facts give the same decision; `explain` puts it into words. */
export function decide(config: Config, facts: Facts): Decision {
  const { caller } = facts
  if (isFrozen(caller)) return frozen(caller)
  const plan = planOf(config, caller)
  if (!plan) return withoutPlan(config, facts)
  const labels = labelsFor(config, plan, facts)
  if ('denial' in labels) return labels
  const decision = decideOn(config, facts, plan, labels.values)
  return labels.values && !('denial' in decision) ? { labels: labels.values, ...decision } : decision
}

/** Decides on a request of a plan. */
function decideOn(config: Config, facts: Facts, plan: Plan, labels?: Labels): Decision {
  const { at, caller, request, health } = facts
  const chosen = choose(config, request)
  if ('denial' in chosen) return chosen
  const { model, route } = routed(config, plan, facts, chosen)
  const excluded = excludedBy(plan, caller, model)
  if (excluded) return excluded
  const tools = hostedTools(config, plan, model, request)
  if ('denial' in tools) return tools
  const extras = extrasDenied(model, request)
  if (extras) return extras
  const pools = poolsFor(model, request)
  if ('denial' in pools) return pools
  const sized = sizedFor(config, plan, model, withRoomForNotice(plan, request))
  if ('denial' in sized) return sized

  const { alias } = chosen
  const { imageSize } = sized
  const ruled = { caller, request, labels }
  const sizedClaims = withTools(claimsOf(config, plan, caller.terms, sized, at), tools)
  const claims = withRules(sizedClaims, config, plan, ruled, model)
  const unfit = unfitFor(claims, plan, request)
  if (unfit) return unfit
  const commit = commitOf(plan, model)
  const allowed: Mutable<Allowed> = { plan, model, pools: failoverOrder(pools, health), claims, commit }
  if (alias) allowed.alias = alias
  if (route) allowed.route = route
  if (tools.length > 0) allowed.tools = tools
  if (imageSize) allowed.imageSize = imageSize
  return withMirror(allowed, config, facts)
}

/** With what depends on the request, and changes nothing of its answer. */
function withMirror(allowed: Mutable<Allowed>, { notices }: Config, { caller, request }: Facts): Allowed {
  const { model, tools = [] } = allowed
  const mirrored = mirrorOf(model, { request, hasTools: tools.length > 0 })
  if (typeof mirrored === 'object') allowed.mirror = mirrored.mirror
  if (notices.length > 0 && caller.kind === 'developer') allowed.notices = notices
  return allowed
}

const frozen = ({ terms }: Caller): DeniedAt => ({ denial: frozenDenial(terms), stage: 'who' })

/** An account that was served before the files changed. The client can do no more than of any plan that is too small. */
function withoutPlan(config: Config, { caller, request }: Facts): DeniedAt {
  const model = request.model ?? config.defaultModel.name
  return {
    denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: planName(config, caller) },
    stage: 'who',
  }
}

/** Why a model is not for a caller: by its plan, or else by its key, which no line of the files says. */
function excludedBy(plan: Plan, { key }: Caller, model: Model): DeniedAt | undefined {
  const denial = { code: 'rate_limit_exceeded', type: 'plan_limit', model: model.name, plan: plan.name } as const
  if (!plan.models.has(model.name)) return { denial, stage: 'gate', at: placeOf(plan, 'models') }
  return isOfKey(key, model) ? undefined : { denial: { ...denial, of: 'key' }, stage: 'gate' }
}

/** A chat that may end with a notice to the model has room for it. */
function withRoomForNotice({ rules }: Plan, request: InferenceRequest): InferenceRequest {
  if (request.kind !== 'chat' || !mayWarn(rules)) return request
  const { textBytes, native } = request
  const longer = { ...request, textBytes: textBytes + NOTICE_BYTES }
  return native ? { ...longer, native: { ...native, bytes: native.bytes + NOTICE_BYTES } } : longer
}

const sizedFor = (config: Config, plan: Plan, model: Model, request: InferenceRequest): Sized | DeniedAt =>
  request.kind === 'passthrough' ? sizePassthrough(config, plan, request) : size(plan, model, request)

/** The claims that every request of a plan makes, whatever it asks for. */
export const leastClaims = (config: Config, plan: Plan, terms: Terms, at: EpochMs): Claims =>
  claimsOf(config, plan, terms, NO_SIZE, at)

const NO_SIZE: Sized = { input: 0, output: NO_OUTPUT, price: NO_PRICE, items: 0 }

function claimsOf({ calendar }: Config, plan: Plan, terms: Terms, sized: Sized, at: EpochMs): Claims {
  const window = windowOf(at, calendar)
  const overage = terms.overage ?? plan.overage
  const allotment = addNanoUsd(plan.monthlyNanoUsd, terms.grants?.[keyOfWindow(window)] ?? ZERO_USD)
  const { input, output, price, items, pieces } = sized
  const spend: Mutable<SpendClaim> = { allotment, overageEnabled: overage !== false, window, price, items }
  if (overage !== true) spend.limit = spendLimit(allotment, overage)
  const claims: Mutable<Claims> = { limits: splitLimits(plan.limits, calendar).recorded, input, spend, output }
  if (pieces) claims.pieces = pieces
  return claims
}

/** Claims with the rules of plan, org and key that count the request. */
function withRules(claims: Claims, config: Config, plan: Plan, facts: RuledFacts, model: Model): Claims {
  const rules = rulesOf(claims, config, plan, facts, model)
  return rules.length === 0 ? claims : { rules, ...claims }
}

/** A request, as far as rules count it. */
interface RuledFacts extends Pick<Facts, 'caller' | 'request'> {
  /** The values of its labels, by label. */
  readonly labels?: Labels | undefined
}

/** The rules of plan, org and key that count a request, each with its counter. */
export function rulesOf(
  claims: Claims,
  { calendar }: Config,
  plan: Plan,
  { caller, request, labels }: RuledFacts,
  model: Model,
): readonly RuleClaim[] {
  const [ofOrg, ofKey] = [caller.orgTerms?.limits, caller.key?.limits]
  const { zoned } = splitLimits(plan.limits, calendar)
  if (plan.rules.length === 0 && plan.counts.length === 0 && !ofOrg && !ofKey && zoned.length === 0) return NO_RULES
  const rules = [...zoned, ...plan.rules.map(({ rule }) => rule), ...plan.counts]
  const own = [...sharedBy('org', ofOrg), ...sharedBy('key', ofKey)]
  const weighed = [...rules, ...own].filter(({ measure }) => mayWeigh(measure, claims))
  return claimsOfRules(weighed, caller, {
    plan: plan.name,
    model,
    user: request.user,
    session: request.session,
    labels,
    calendar,
  })
}

const NO_RULES: readonly RuleClaim[] = []

/** Whether a request can take any of a measure. A chat is not refused where more images were made than are allowed now. */
function mayWeigh(measure: Measure, { pieces, output }: Claims): boolean {
  if (measure === 'images' || measure === 'seconds') return pieces?.[measure] !== undefined
  return measure !== 'output_tokens' || output.want > 0
}

/** The first rule that no window is large enough for. */
function unfitFor(claims: Claims, plan: Plan, request: InferenceRequest): DeniedAt | undefined {
  if (!claims.rules) return undefined
  const least = leastWeight(claims)
  for (const { rule } of claims.rules) {
    const needed = amountOf(rule.measure, least)
    if (needed <= rule.most) continue
    return tooLarge(plan, rule, needed, { stage: 'rate', field: fieldFor(request) })
  }
  return undefined
}

/** The field of a request that makes it larger or smaller. */
const fieldFor = (request: InferenceRequest): string =>
  request.kind === 'chat' ? (request.cap?.field ?? 'max_tokens') : FIELD[request.kind]

const FIELD = { embedding: 'input', image: 'n', passthrough: 'body' } as const

const spendLimit = (allotment: NanoUsd, overage: Exclude<Overage, true>): NanoUsd =>
  overage === false ? allotment : addNanoUsd(allotment, overage.capNanoUsd)

/**
 * Pools in the order of attempts: first the one at which the conversation stays, then the rest as declared, then busy ones, and
 * last those that are down. Every pool stays in the list: a stale record must not exclude a healthy pool, and a busy one serves if
 * no other does.
 */
function failoverOrder(pools: readonly Pool[], health: Health): readonly Pool[] {
  const ordered = byHealth(pools, health)
  const stays = stayIn(pools, health)
  return stays ? [stays, ...ordered.filter(pool => pool !== stays)] : ordered
}

/** The pool at which a conversation stays. One that is busy or down keeps nobody. */
export const stayIn = (pools: readonly Pool[], { down, busy = [], stays = [] }: Health): Pool | undefined =>
  stays.length === 0
    ? undefined
    : pools.find(({ name }) => stays.includes(name) && !down.includes(name) && !busy.some(({ pool }) => pool === name))

function byHealth(pools: readonly Pool[], { down, busy = [] }: Health): readonly Pool[] {
  if (down.length === 0 && busy.length === 0) return pools
  const isDown = ({ name }: Pool): boolean => down.includes(name)
  const isBusy = (pool: Pool): boolean => !isDown(pool) && busy.some(each => each.pool === pool.name)
  const ready = pools.filter(pool => !isDown(pool) && !isBusy(pool))
  return ready.length === pools.length ? pools : [...ready, ...pools.filter(isBusy), ...pools.filter(isDown)]
}
