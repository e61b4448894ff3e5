import type { Condition, Config, Kind, Model, Plan, Route } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Decision } from '../policy/decision.ts'
import { explain, type Step } from '../policy/explain.ts'
import type { Facts, InferenceRequest } from '../policy/facts.ts'
import { aliasOf } from '../policy/model.ts'
import type { Claim } from './file.ts'
import { callerOn, SOME_DAY } from './scenario.ts'
import type { Rule } from './test-file.ts'

/** How a rule fared. */
export interface Held {
  /** Combinations of the plan and the model that it is about. */
  readonly looked: number
  /** The first that breaks it. */
  readonly counterexample?: Combination
}

/** Holds a rule against every combination there is. */
export function holdAgainst(config: Config, { quantifier, claim }: Rule): Held {
  let looked = 0
  for (const combination of combinations(config)) {
    if (!isAbout(config, claim, combination)) continue
    looked++
    const broken = quantifier === 'never' ? doesAll(claim, combination) : !doesAlways(claim, combination)
    if (broken) return { looked, counterexample: combination }
  }
  return { looked }
}

function isAbout({ models }: Config, { plan, model }: Claim, { plan: { name }, asked }: Combination): boolean {
  if (plan !== undefined && plan !== name) return false
  const isExplicit = asked !== undefined && models.has(asked)
  switch (model) {
    case undefined:
      return true
    case 'explicit':
      return isExplicit
    case 'generic':
      return !isExplicit
    case 'none':
      return asked === undefined
    default:
      return asked === model
  }
}

/** Whether a request does all that is never to be done. */
function doesAll({ reaches, pool, site, rewritten, allowed }: Claim, combination: Combination): boolean {
  const { decision } = combination
  if ('denial' in decision) return allowed === false && !asksForService({ reaches, pool, site, rewritten })
  const { model, pools } = decision
  return [
    allowed !== false,
    reaches === undefined || model.name === reaches,
    pool === undefined || pools.some(({ name }) => name === pool),
    site === undefined || pools.some(each => each.site === site),
    rewritten === undefined || rewritten === isRewritten(combination),
  ].every(Boolean)
}

/** A refused request has no pool. */
const asksForService = (claims: object): boolean => Object.values(claims).some(claim => claim !== undefined)

/** Whether a request does all that is always to be done; one that is refused breaks only that it is allowed. */
function doesAlways({ reaches, pool, site, rewritten, allowed }: Claim, combination: Combination): boolean {
  const { decision } = combination
  if ('denial' in decision) return allowed !== true
  const { model, pools } = decision
  return [
    allowed !== false,
    reaches === undefined || model.name === reaches,
    pool === undefined || pools.every(({ name }) => name === pool),
    site === undefined || pools.every(each => each.site === site),
    rewritten === undefined || rewritten === isRewritten(combination),
  ].every(Boolean)
}

/** An alias resolved to its model does not count as rewritten. */
function isRewritten({ asked, decision }: Combination): boolean {
  if ('denial' in decision) return false
  const { alias, model } = decision
  return alias ? alias.model !== model : asked !== undefined && asked !== model.name
}

/** A combination in words: `plan free, no model named, route long-input, onprem-pro down`. */
export function combinationText({ plan, asked, route, share, down }: Combination): string {
  const parts = [
    `plan ${plan.name}`,
    asked === undefined ? 'no model named' : `model ${asked}`,
    route ? `route ${route.name}` : '',
    share === undefined ? '' : `in the share of ${share}`,
    down.length > 0 ? `${down.join(' and ')} down` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

/** The outcome in words. */
export function outcomeText({ decision, why }: Combination): string {
  if ('denial' in decision) return `refused: ${why().at(-1)?.text ?? decision.denial.code}`
  return `reaches ${decision.model.name} on ${decision.pools.map(({ name, site }) => `${name} (${site})`).join(', then ')}`
}

/** The step that what was claimed hangs on: where the model is served, the route that led to it, or the gate. */
export function stepOf({ decision, route, why }: Combination, { pool, site }: Claim): Step | undefined {
  const steps = why()
  if ('denial' in decision) return steps.at(-1)
  const stage = pool !== undefined || site !== undefined ? 'send' : route ? 'route' : 'gate'
  return steps.findLast(step => step.stage === stage) ?? steps.at(-1)
}

/** One combination of a request, with its decision. */
interface Combination {
  readonly plan: Plan
  /** The model or alias it asks for; absent for none. */
  readonly asked?: string
  /** The route that is taken to apply; absent where none is. */
  readonly route?: Route
  /** The pool whose share of traffic the conversation belongs to; absent for none. */
  readonly share?: string
  /** Pools that are down. */
  readonly down: readonly string[]
  readonly decision: Decision
  /** The steps of the decision, in words. */
  readonly why: () => readonly Step[]
}

/**
 * Every plan with every model, alias or none; with each route that could apply to some text at some time, and with none;
 * in each share of traffic and in none; with every set of the pools that could serve it being down.
 */
export function* combinations(config: Config): Generator<Combination> {
  for (const plan of config.plans.values())
    for (const asked of [...config.models.keys(), ...config.aliases.keys(), undefined])
      for (const route of [undefined, ...applicable(config, plan, asked)])
        yield* withPools(config, { plan, ...(asked !== undefined && { asked }), ...(route && { route }) })
}

/** The routes that may apply: also those below one that surely does, which a request that does not fit its model goes past. */
function applicable(config: Config, plan: Plan, asked: string | undefined): readonly Route[] {
  const alias = aliasOf(config, asked)
  return alias ? config.routes.filter(({ when }) => mayHold(when, plan.name, alias.name) !== false) : []
}

/** Sets of more pools would take too long: of the rest at most one is down at a time. */
const MOST_POOLS = 10

function* withPools(
  config: Config,
  combination: Omit<Combination, 'decision' | 'down' | 'share' | 'why'>,
): Generator<Combination> {
  const { plan, asked, route } = combination
  // Whatever the text has to be for it, the route applies.
  const sure: Config = { ...config, routes: route ? [{ ...route, when: { is: 'all', of: [] } }] : [] }
  const facts: Facts = {
    at: SOME_DAY,
    caller: callerOn({ plan }, config),
    request: smallest(config, asked),
    health: { down: [] },
    signals: {},
  }
  for (const share of [undefined, ...sharesMet(sure, facts)]) {
    const shared = share === undefined ? facts : { ...facts, request: { ...facts.request, draw: share } }
    const well = decide(sure, shared)
    const pools = 'denial' in well ? [] : well.pools.map(({ name }) => name)
    for (const down of subsets(pools)) {
      const given = { ...shared, health: { down } }
      const decision = decide(sure, given)
      const why = () => explain(sure, given, decision)
      yield { ...combination, ...(share !== undefined && { share }), down, decision, why }
    }
  }
}

/** The pools that have a share of the model that a request comes to. */
function sharesMet(config: Config, facts: Facts): readonly string[] {
  const decision = decide(config, facts)
  return 'denial' in decision ? [] : (decision.model.traffic ?? []).map(({ pool }) => pool.name)
}

function subsets(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length > MOST_POOLS) return [[], ...names.map(name => [name]), names]
  let sets: readonly (readonly string[])[] = [[]]
  for (const name of names) sets = sets.flatMap(set => [set, [...set, name]])
  return sets
}

/** The least that can be asked: what no limit of size stands in the way of. */
function smallest({ models, aliases, passthrough }: Config, asked: string | undefined): InferenceRequest {
  const model: Model | undefined = asked === undefined ? undefined : (models.get(asked) ?? aliases.get(asked)?.model)
  const kind: Kind = model?.kind ?? 'chat'
  const named = asked === undefined ? {} : { model: asked }
  switch (kind) {
    case 'chat':
      return {
        kind,
        ...named,
        textBytes: 1,
        stream: false,
        messages: 1,
        images: 0,
        tools: 0,
        choices: 1,
        thinking: false,
      }
    case 'embedding':
      return { kind, ...named, textBytes: 1, inputs: 1 }
    case 'image':
      return { kind, ...named, textBytes: 1, images: 1 }
    case 'passthrough': {
      const route = [...passthrough.values()].find(each => each.model === model)
      return { kind, ...named, textBytes: 1, path: route?.name ?? '' }
    }
  }
}

/**
 * Whether a condition holds for a plan and an alias: undefined where that depends on the text, the time or anything else
 * of the request. Never certain where it is not, though it may be in doubt of what is certain.
 */
export function mayHold(condition: Condition, plan: string, alias: string): boolean | undefined {
  const each = (parts: readonly Condition[]) => parts.map(part => mayHold(part, plan, alias))
  switch (condition.is) {
    case 'all':
      return allOf(each(condition.of))
    case 'any':
      return not(allOf(each(condition.of).map(not)))
    case 'not':
      return not(mayHold(condition.of, plan, alias))
    case 'plan':
      return condition.names.includes(plan)
    case 'alias':
      return condition.names.includes(alias)
    default:
      return undefined
  }
}

const not = (held: boolean | undefined): boolean | undefined => (held === undefined ? undefined : !held)

function allOf(parts: readonly (boolean | undefined)[]): boolean | undefined {
  if (parts.includes(false)) return false
  return parts.includes(undefined) ? undefined : true
}
