import type { Config, Declared, Route } from '../policy/config.ts'
import type { Facts } from '../policy/facts.ts'
import { choose } from '../policy/model.ts'
import { planName, planOf } from '../policy/plan.ts'
import { takenRoute } from '../policy/route.ts'
import type { Simulation } from './simulation.ts'

/** How much of the policy decided some case. */
export interface Coverage {
  readonly of: 'routes' | 'plans' | 'models' | 'tools'
  readonly declared: number
  /** What decided none, in the order of the files. */
  readonly missed: readonly Declared[]
}

/** What of the policy these simulations exercised: routes that applied, plans of callers, models and tools that were decided on. */
export function coverageOf(config: Config, simulations: readonly Simulation[]): readonly Coverage[] {
  const met = new Set(simulations.flatMap(simulation => metIn(config, simulation)))
  const kinds = {
    routes: config.routes,
    plans: [...config.plans.values()],
    // No case describes a request that is passed through.
    models: [...config.models.values()].filter(({ kind }) => kind !== 'passthrough'),
    tools: [...config.tools.values()],
  }
  const covered = (of: Coverage['of'], declared: readonly Declared[]): Coverage => ({
    of,
    declared: declared.length,
    missed: declared.filter(({ name }) => !met.has(`${of} ${name}`)),
  })
  const tools = kinds.tools.length > 0 ? [covered('tools', kinds.tools)] : []
  return [covered('routes', kinds.routes), covered('plans', kinds.plans), covered('models', kinds.models), ...tools]
}

function metIn(config: Config, { facts, decision, denial }: Simulation): string[] {
  const lacking = denial && 'model' in denial ? denial : undefined
  const allowed = decision && 'denial' in decision ? undefined : decision
  return [
    facts && `plans ${planName(config, facts.caller)}`,
    lacking && (lacking.tool === undefined ? `models ${lacking.model}` : `tools ${lacking.tool}`),
    allowed && `models ${allowed.model.name}`,
    facts && `routes ${routeOf(config, facts)?.name}`,
    ...(allowed?.tools ?? []).map(({ name }) => `tools ${name}`),
  ].filter(each => each !== undefined)
}

/** The route that chose the model, also where it chose the one that was there anyway. */
function routeOf(config: Config, facts: Facts): Route | undefined {
  const plan = planOf(config, facts.caller)
  const chosen = choose(config, facts.request)
  return plan && !('denial' in chosen) ? takenRoute(config, plan, facts, chosen) : undefined
}
