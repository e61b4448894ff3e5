import type { Config, Kind, Model, Plan } from '../../policy/config.ts'
import type { Loaded } from '../settings.ts'

/**
 * What was loaded, as if no model of a kind, and no pool that only such models use, had been declared.
 * Not for chat models, one of which is the default.
 */
export function without(kind: Exclude<Kind, 'chat'>, { config, settings, ...rest }: Loaded): Loaded {
  const models = only(config.models, model => model.kind !== kind)
  const used = new Set([...models.values()].flatMap(({ serve }) => serve))
  const pools = only(config.pools, pool => used.has(pool))
  const aliases = only(config.aliases, ({ model }) => models.has(model.name))
  const plans = new Map([...config.plans].map(([slug, plan]) => [slug, planOf(plan, models)]))
  const backends = only(settings.backends, (_, name) => pools.has(name))
  return {
    ...rest,
    config: Object.freeze({ ...config, plans, models, pools, aliases, ...namedPlans(config, plans) }),
    settings: { ...settings, backends },
  }
}

const planOf = (plan: Plan, models: ReadonlyMap<string, Model>): Plan =>
  Object.freeze({ ...plan, models: only(plan.models, (_, name) => models.has(name)) })

/** The plans that a configuration names, among those that took their places. */
function namedPlans(
  { defaultPlan, guestPlan }: Config,
  plans: Config['plans'],
): Pick<Config, 'defaultPlan' | 'guestPlan'> {
  const [ofAccounts, ofGuests] = [defaultPlan, guestPlan].map(plan => plan && plans.get(plan.name))
  return { ...(ofAccounts && { defaultPlan: ofAccounts }), ...(ofGuests && { guestPlan: ofGuests }) }
}

const only = <T>(all: ReadonlyMap<string, T>, wanted: (one: T, name: string) => boolean): ReadonlyMap<string, T> =>
  new Map([...all].filter(([name, one]) => wanted(one, name)))
