import type { Config, Plan } from './config.ts'
import type { Caller } from './facts.ts'

/**
 * The plan of a caller: what an operator chose, else what its token claims, else the default. A claim that names no
 * plan, or that of guests, counts as none. Undefined when the files declare none of these.
 */
export function planOf(
  { plans, defaultPlan, guestPlan }: Config,
  { kind, terms }: Pick<Caller, 'kind' | 'terms'>,
): Plan | undefined {
  if (kind === 'guest') return guestPlan
  if (terms.override !== undefined) return plans.get(terms.override)
  const claimed = terms.claimed === undefined ? undefined : plans.get(terms.claimed)
  return claimed && claimed !== guestPlan ? claimed : defaultPlan
}

/** What the plan of a caller is called where there may be none: as an operator named it, or `none`. */
export const planName = (config: Config, caller: Pick<Caller, 'kind' | 'terms'>): string =>
  planOf(config, caller)?.name ?? caller.terms.override ?? 'none'

/**
 * The plan that an operator put the caller on, or that its token names. Undefined for devices and for those that are on
 * the default plan: they follow what the files say.
 */
export const namedPlan = ({ kind, terms }: Pick<Caller, 'kind' | 'terms'>): string | undefined =>
  kind === 'guest' ? undefined : (terms.override ?? terms.claimed)
