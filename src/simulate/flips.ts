import type { Loaded } from '../config/settings.ts'
import { type Flip, flipsOf } from '../policy/flip.ts'
import { ZERO_USD } from '../policy/nano-usd.ts'
import type { Scenario } from './scenario.ts'
import { type Simulation, simulate } from './simulation.ts'

/** A change that would have a request served: one that policy knows of, or any one of these pools being healthy, or having a free slot. */
export type Remedy = Flip | { readonly change: 'pool' | 'room'; readonly names: readonly string[] }

/** Changes that would have a refused request served, each tried out. */
export async function remediesOf(
  loaded: Loaded,
  scenario: Scenario,
  simulation: Simulation,
): Promise<readonly Remedy[]> {
  const { denial, facts, counters, ofRule } = simulation
  if (!denial || !facts) return []
  if (denial.code === 'UPSTREAMS_EXHAUSTED') return wellPools(loaded, scenario, simulation)
  if ('shared' in denial) return beyondGuests(loaded, scenario, denial.retryAfterMs)
  const flips = flipsOf(loaded.config, facts, counters, ofRule)
  // The guests' shared budget may refuse anything but a request of no guest.
  const isShared = facts.caller.kind === 'guest' && scenario.usage.guests > 0
  return isShared ? flips.filter(({ change }) => change === 'plan') : flips
}

const isServed = async (loaded: Loaded, scenario: Scenario): Promise<boolean> =>
  (await simulate(loaded, scenario)).denial === undefined

async function wellPools(loaded: Loaded, scenario: Scenario, { decision }: Simulation): Promise<readonly Remedy[]> {
  const [well, free]: [string[], string[]] = [[], []]
  for (const { name } of decision && !('denial' in decision) ? decision.pools : []) {
    const pools = without(scenario.pools, name)
    const loads = withoutRequests(scenario.loads, name)
    if (await isServed(loaded, { ...scenario, pools })) well.push(name)
    else if (await isServed(loaded, { ...scenario, loads })) free.push(name)
  }
  return [
    ...(well.length > 0 ? [{ change: 'pool' as const, names: well }] : []),
    ...(free.length > 0 ? [{ change: 'room' as const, names: free }] : []),
  ]
}

const without = <T>(all: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> =>
  new Map([...all].filter(([other]) => other !== name))

/** The loads without the requests that have the slots of a pool or wait for one; its engines have as much to do. */
function withoutRequests(loads: Scenario['loads'], name: string): Scenario['loads'] {
  const load = loads.get(name)
  return load ? new Map([...loads, [name, { ...load, inFlight: [], queued: [] }]]) : loads
}

/** At midnight guests have nothing spent together; an account shares nothing with them. */
async function beyondGuests(loaded: Loaded, scenario: Scenario, wait: number): Promise<readonly Remedy[]> {
  const { config } = loaded
  const at = scenario.at + wait
  const tomorrow = { ...scenario, at, usage: { ...scenario.usage, guests: ZERO_USD } }
  const remedies: Remedy[] = (await isServed(loaded, tomorrow)) ? [{ change: 'time', at }] : []
  const names: string[] = []
  for (const plan of config.plans.values())
    if (plan !== config.guestPlan && (await isServed(loaded, { ...scenario, who: { plan } }))) names.push(plan.name)
  return names.length > 0 ? [...remedies, { change: 'plan', names }] : remedies
}
