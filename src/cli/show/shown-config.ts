import type { Loaded } from '../../config/settings.ts'
import { shownModel, shownPassthrough, shownPlan, shownRoute } from './shown-policy.ts'
import { shownPool, shownSettings, shownTool } from './shown-settings.ts'
import type { Section } from './shown-units.ts'

/**
 * The configuration as the gateway understands it: every file, default and variable put in, what `failover` says in each
 * pool, tiers as the models they are of. It is a main file again, but for secrets, which are covered.
 */
export function shownConfig({ config, settings }: Loaded): Section {
  const { plans, models, aliases, pools, tools, routes, passthrough, defaultModel } = config
  return {
    version: 1,
    ...shownSettings(settings, config),
    plans: each(plans, shownPlan),
    models: each(models, shownModel),
    aliases: each(aliases, ({ model }) => model.name),
    default_model: defaultModel.name,
    pools: each(pools, pool => shownPool(pool, settings.backends.get(pool.name))),
    routes: routes.map(shownRoute),
    hosted_tools: each(tools, tool => shownTool(tool, settings.tools.get(tool.name))),
    passthrough: [...passthrough.values()].map(shownPassthrough),
  }
}

function each<T>(things: ReadonlyMap<string, T>, show: (thing: T) => unknown): Section {
  return Object.fromEntries([...things].map(([name, thing]) => [name, show(thing)]))
}
