import type { Loaded } from '../config/settings.ts'
import type { Config, Declared, Place, Route } from '../policy/config.ts'
import type { Step } from '../policy/explain.ts'
import type { Facts } from '../policy/facts.ts'
import { choose } from '../policy/model.ts'
import { planName, planOf } from '../policy/plan.ts'
import { takenRoute } from '../policy/route.ts'
import type { Mismatch } from './expectations.ts'
import { combinationText, holdAgainst, outcomeText, stepOf } from './invariant.ts'
import { seenOf, unexpected } from './result.ts'
import { type Simulation, simulate } from './simulation.ts'
import type { Example, Rule, Tests } from './test-file.ts'

/** The result of one test. */
export interface Result {
  readonly kind: 'cell' | 'case' | 'invariant'
  readonly name: string
  readonly at: Place
  /** Empty for one that passed. */
  readonly mismatches: readonly Mismatch[]
  /** The step that decided, where something is not as it was expected. */
  readonly decided?: Step
  /** How many combinations an invariant was held against. */
  readonly looked?: number
}

export interface FileResults {
  readonly file: string
  readonly results: readonly Result[]
}

export interface Run {
  readonly files: readonly FileResults[]
  readonly coverage: readonly Coverage[]
}

/** Runs the tests whose name `wanted` takes. */
export async function run(loaded: Loaded, files: readonly Tests[], wanted: (name: string) => boolean): Promise<Run> {
  const simulations: Simulation[] = []
  const ran: FileResults[] = []
  for (const { file, cells, cases, rules } of files) {
    const results: Result[] = []
    for (const [kind, examples] of [['cell', cells] as const, ['case', cases] as const])
      for (const example of examples.filter(({ name }) => wanted(name))) {
        const simulation = await simulate(loaded, example.scenario)
        simulations.push(simulation)
        results.push({ kind, ...resultOf(loaded, example, simulation) })
      }
    results.push(...rules.filter(({ name }) => wanted(name)).map(rule => ruleResult(loaded, rule)))
    ran.push({ file, results })
  }
  return { files: ran, coverage: coverageOf(loaded.config, simulations) }
}

function resultOf(loaded: Loaded, { name, at, expect }: Example, simulation: Simulation): Omit<Result, 'kind'> {
  const mismatches = unexpected(expect, seenOf(loaded, simulation))
  const decided = mismatches.length > 0 ? decidingStep(simulation, mismatches) : undefined
  return { name, at, mismatches, ...(decided && { decided }) }
}

/** The step that refused; otherwise the one that the expectation is about. */
function decidingStep({ steps }: Simulation, mismatches: readonly Mismatch[]): Step | undefined {
  const refusing = steps.find(({ outcome }) => outcome === 'deny')
  const about = mismatches.flatMap(({ path }) => STAGE_OF[path] ?? [])
  return refusing ?? steps.findLast(({ stage }) => about.includes(stage)) ?? steps.at(-1)
}

const STAGE_OF: Readonly<Record<string, readonly Step['stage'][]>> = {
  model: ['model', 'route'],
  route: ['model', 'route'],
  max_tokens: ['rate'],
  status: ['gate'],
}

function ruleResult({ config }: Loaded, rule: Rule): Result {
  const { looked, counterexample } = holdAgainst(config, rule)
  const { name, at } = rule
  if (!counterexample) return { kind: 'invariant', name, at, looked, mismatches: [] }
  const step = stepOf(counterexample, rule.claim)
  return {
    kind: 'invariant',
    name,
    at,
    looked,
    mismatches: [{ path: combinationText(counterexample), expected: name, got: outcomeText(counterexample) }],
    ...(step && { decided: step }),
  }
}

/** How much of the policy decided some case. */
export interface Coverage {
  readonly of: 'routes' | 'plans' | 'models' | 'tools'
  readonly declared: number
  /** Declarations that decided no simulation, in the order of the files. */
  readonly missed: readonly Declared[]
}

/** The parts of the policy that these simulations exercised: routes that applied, plans of callers, models and tools that were decided on. */
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
