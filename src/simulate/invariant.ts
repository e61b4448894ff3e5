import type { Config } from '../policy/config.ts'
import type { Step } from '../policy/explain.ts'
import { type Combination, combinations } from './combinations.ts'
import type { Claim } from './file.ts'
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

/** A name that stands for a model is not rewritten by that. */
function isRewritten({ asked, decision }: Combination): boolean {
  if ('denial' in decision) return false
  const { alias, model } = decision
  return alias ? alias.model !== model : asked !== undefined && asked !== model.name
}

/** A combination in words: `plan free, no model named, route long-input, onprem-pro down`. */
export function combinationText({ plan, asked, route, down }: Combination): string {
  const parts = [
    `plan ${plan.name}`,
    asked === undefined ? 'no model named' : `model ${asked}`,
    route ? `route ${route.name}` : '',
    down.length > 0 ? `${down.join(' and ')} down` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

/** What became of it, in words. */
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
