import type { Commit, Config, Model, Plan } from './config.ts'
import type { Mutable } from './decision.ts'
import type { Caller, CallerKey } from './facts.ts'
import type { GroupEntry } from './groups.ts'
import { type CountRule, limitsOf, nameOfRule } from './limits/named-rules.ts'
import { countedBy, countsModel, type LimitRule } from './limits/rule.ts'
import { nanoUsd } from './nano-usd.ts'

/**
 * The plan of a caller: what an operator chose, else what its token claims, else the default. A claim that names no
 * plan, or that of guests, counts as none. Undefined when the files declare none of these. Limits that an operator set
 * for the account stand in place of the plan's own of the same kind, or beside them.
 */
export function planOf(config: Config, caller: Pick<Caller, 'kind' | 'terms'>): Plan | undefined {
  const plan = declaredPlan(config, caller)
  const { limits } = caller.terms
  return plan && limits ? withLimits(plan, limits) : plan
}

function declaredPlan(config: Config, { kind, terms }: Pick<Caller, 'kind' | 'terms'>): Plan | undefined {
  const { plans, defaultPlan, guestPlan } = config
  if (kind === 'guest') return guestPlan
  if (terms.override !== undefined) return plans.get(terms.override)
  const claimed = claimedPlan(config, terms.claimed)
  return claimed && claimed !== guestPlan ? claimed : defaultPlan
}

/** The plan that a token claims, also where it may not have it; with the limits of its entry, where it is that of a service. */
export function claimedPlan(
  { plans, servicePlans }: Pick<Config, 'plans' | 'servicePlans'>,
  claimed: string | undefined,
): Plan | undefined {
  if (claimed === undefined) return undefined
  // The limits of an entry may be gone from the files, until its next token says so.
  return servicePlans?.get(claimed) ?? plans.get(planInClaim(claimed))
}

/** The claim of a service's token whose entry has limits of its own. No plan has such a name. */
export const serviceClaim = (plan: string, issuer: string, entry: string): string =>
  `${plan}${BEHIND_PLAN}${issuer}#${entry}`

/** The claim of a person whose plan comes from an entry of groups with limits of its own. No entry of a service has such a name. */
export const groupClaim = (plan: string, issuer: string, { claim, is }: Pick<GroupEntry, 'claim' | 'is'>): string =>
  serviceClaim(plan, issuer, `${claim} is ${is.join(' or ')}`)

const BEHIND_PLAN = '@'

const planInClaim = (claimed: string): string => claimed.split(BEHIND_PLAN, 1)[0] ?? claimed

/** Whether a key may use a model, as far as that is for the key to say: its plan has to include it too. */
export const isOfKey = (key: CallerKey | undefined, model: Pick<Model, 'name' | 'tier'>): boolean =>
  !key?.models || key.models.some(each => countsModel({ model: each }, model))

/** The name of a caller's plan where there may be none: as an operator named it, or `none`. */
export const planName = (config: Config, caller: Pick<Caller, 'kind' | 'terms'>): string =>
  planOf(config, caller)?.name ?? caller.terms.override ?? 'none'

/**
 * The plan that an operator put the caller on, or that its token names. Undefined for devices and for those that are on
 * the default plan: they follow what the files say.
 */
export const namedPlan = ({ kind, terms }: Pick<Caller, 'kind' | 'terms'>): string | undefined =>
  kind === 'guest' ? undefined : (terms.override ?? (terms.claimed && planInClaim(terms.claimed)))

/** The plan with these limits in place of its own that count the same, or beside them. */
export function withLimits(plan: Plan, rules: readonly LimitRule[]): Plan {
  const after: Mutable<Plan> = { ...plan }
  for (const rule of rules) {
    const name = nameOfRule(rule)
    if (name === undefined)
      after.rules = [...after.rules.filter(each => countedBy(each.rule) !== countedBy(rule)), { rule }]
    else if (name === 'monthly_usd') after.monthlyNanoUsd = nanoUsd(rule.most)
    else after.limits = limitsOf({ ...mostByName(after.limits), [name]: rule.most })
  }
  return after
}

const mostByName = (limits: readonly CountRule[]): Readonly<Record<string, number>> =>
  Object.fromEntries(limits.map(({ name, most }) => [name, most]))

/** When answers of a model are committed on a plan. */
export const commitOf = ({ commit }: Pick<Plan, 'commit'>, model: Model): Commit =>
  commit ?? (model.kind === 'chat' ? model.commit : 'first_content')
