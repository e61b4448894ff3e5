import { acceptsOf, boundText, extrasDenied } from './accepts.ts'
import { adaptationsOf } from './adapted.ts'
import { conditionText } from './condition.ts'
import { type Config, type Model, type Place, type Plan, type Pool, placeOf } from './config.ts'
import { counted } from './counted.ts'
import { stayIn } from './decide.ts'
import type { Allowed, Claims, Decision, DeniedAt, Stage } from './decision.ts'
import { isNative, lossesAt, marksLostAt, toolsInTheWay, untoldAt } from './dialect.ts'
import { type Caller, type ChatAsk, type Facts, type InferenceRequest, isFrozen } from './facts.ts'
import type { Labels } from './label-values.ts'
import { labelsFor } from './labels.ts'
import { nameOfRule } from './limits/named-rules.ts'
import { type LimitRule, labelOf } from './limits/rule.ts'
import { writtenRule } from './limits/rule-claim.ts'
import { allowedText } from './limits/text.ts'
import { mirrorOf, type Unmirrored } from './mirror.ts'
import { type Chosen, choose } from './model.ts'
import { isOfKey, planOf } from './plan.ts'
import { queueRankOf } from './queue/rank.ts'
import { shareOf } from './queue/slot-shares.ts'
import { overloadText } from './replica-load.ts'
import { circumstancesOf, type Obstacle, routed, routesLookedAt } from './route.ts'
import { hostedTools } from './tools.ts'
import { chosenShare, servedTo, shareText } from './traffic/share.ts'

/** The stages that a request went through, in the order in which `decide` asks them. The last one sends it, or denies it. */
export function explain(config: Config, facts: Facts, decision: Decision): readonly Step[] {
  const steps = passedSteps(config, facts, decision)
  return 'denial' in decision ? [...steps, deniedStep(config, facts.caller, decision)] : steps
}

/** The outcome of one stage in words, and the line of the files that decided it. */
export interface Step {
  readonly stage: Stage
  readonly outcome: 'pass' | 'deny'
  readonly text: string
  readonly at?: Place
}

function passedSteps(config: Config, facts: Facts, decision: Decision): readonly Step[] {
  const { caller, request } = facts
  const plan = planOf(config, caller)
  if (!plan || isFrozen(caller)) return []
  const steps = [passed('who', `${nameOf(caller)} on plan ${plan.name}`, plan.at)]
  const labels = labelsFor(config, plan, facts)
  if ('denial' in labels) return steps
  steps.push(...labelSteps(config, caller, labels.values))
  const chosen = choose(config, request)
  if ('denial' in chosen) return steps
  steps.push(modelStep(request, chosen), ...routeSteps(config, plan, facts, chosen))
  const { model } = routed(config, plan, facts, chosen)
  const included = plan.models.get(model.name)
  if (!included) return steps
  steps.push(passed('gate', `plan ${plan.name} includes ${model.name} by ${included.by}`, included.at))
  if (!isOfKey(caller.key, model)) return steps
  steps.push(...toolSteps(config, plan, request))
  if ('denial' in hostedTools(config, plan, model, request) || extrasDenied(model, request)) return steps
  steps.push(...extraSteps(model, request))
  if ('denial' in decision) return steps
  return [
    ...steps,
    sizeStep(config, request, decision),
    ...limitSteps(plan, decision.claims),
    ...trafficSteps(facts, decision),
    ...mirrorSteps(facts, decision),
    ...busySteps(facts, decision),
    ...queueSteps(facts, decision),
    ...staySteps(facts, decision),
    sendStep(request, decision),
  ]
}

const passed = (stage: Stage, text: string, at: Place): Step => ({ stage, outcome: 'pass', text, at })

const nameOf = ({ keyPrefix, account }: Caller): string => keyPrefix ?? account

/** The value of each label, and who gave it. */
const labelSteps = (config: Config, { key }: Caller, values: Labels = {}): readonly Step[] =>
  [...config.labels.values()].flatMap(({ name, ofKey, header, at }) => {
    const value = values[name]
    if (value === undefined) return []
    const by = ofKey && key?.labels?.[name] !== undefined ? 'its key' : `the header ${header}`
    return [passed('who', `label ${name} is ${value}, by ${by}`, at)]
  })

function modelStep(request: InferenceRequest, { model, alias }: Chosen): Step {
  const { name, at } = alias ?? model
  if (request.kind === 'passthrough') return passed('model', `${request.path} is served by ${name}`, at)
  if (request.model === undefined) return passed('model', `none named, so ${name}`, at)
  if (!alias) return passed('model', `${name} by name`, at)
  if (name === request.model) return passed('model', `${name} is an alias of ${model.name}`, at)
  return passed('model', `${request.model} fits ${name}, an alias of ${model.name}`, at)
}

function routeSteps(config: Config, plan: Plan, facts: Facts, chosen: Chosen): readonly Step[] {
  const { alias } = chosen
  if (!alias) return []
  const circumstances = circumstancesOf(facts, plan, alias)
  return routesLookedAt(config, plan, facts, chosen).map(({ route, applies, obstacle }) => {
    const { name, when, model, at } = route
    const condition = conditionText(when, circumstances)
    if (!applies) return passed('route', `${name}: ${condition}`, at)
    if (obstacle) return passed('route', `${name}: would use ${model.name}, ${obstacleText(obstacle, plan)}`, at)
    return passed('route', `${name}: ${condition}, so ${model.name}`, at)
  })
}

function obstacleText(obstacle: Obstacle, { name }: Plan): string {
  if (obstacle === 'not-in-plan') return `which plan ${name} does not include`
  return obstacle === 'not-of-key' ? 'which the key does not include' : `but ${obstacle.field}: ${obstacle.problem}`
}

/** The hosted tools that the plan includes, before the first that it does not. */
function toolSteps({ tools }: Config, plan: Plan, request: InferenceRequest): readonly Step[] {
  const steps: Step[] = []
  for (const name of (request.kind === 'chat' && request.hosted) || []) {
    const included = tools.has(name) && plan.tools.get(name)
    if (!included) break
    steps.push(passed('gate', `plan ${plan.name} includes the tool ${name} by ${included.by}`, included.at))
  }
  return steps
}

/** The fields beyond the known ones that the model declares. */
function extraSteps(model: Model, request: InferenceRequest): readonly Step[] {
  if (request.kind === 'passthrough') return []
  return Object.keys(request.extras ?? {}).flatMap(field => {
    const bound = acceptsOf(model)?.get(field)
    return bound ? [passed('body', `${field}: ${boundText(bound)}`, bound.at)] : []
  })
}

function sizeStep({ passthrough }: Config, request: InferenceRequest, { model, claims, imageSize }: Allowed): Step {
  const { input } = claims
  switch (request.kind) {
    case 'chat': {
      const limits = `at most ${input} input tokens, ${claims.output.want} output`
      return passed('body', `${counted(request.messages, 'message')}, ${limits}`, placeOf(model, 'max_output'))
    }
    case 'embedding':
      return passed('body', `${counted(request.inputs, 'input')}, at most ${input} tokens`, model.at)
    case 'image':
      return passed('body', `${counted(request.images, 'image')} of ${imageSize}`, placeOf(model, 'usd_per_image'))
    case 'passthrough': {
      const route = passthrough.get(request.path)
      if (!route) throw new Error(`nothing is passed through at ${request.path}, and yet it is allowed`)
      const what = route.upgrade ? `the WebSocket ${request.path}` : request.path
      return passed('body', `${what} is paid by the ${route.meter.by}`, placeOf(route, 'meter'))
    }
  }
}

const limitSteps = (plan: Plan, { limits, rules = [], spend }: Claims): readonly Step[] => [
  passed('rate', limits.map(allowedText).join(', '), placeOf(plan, 'rpm')),
  ...rules.flatMap(({ rule }) => ruleSteps(plan, rule, allowedText(rule))),
  passed('quota', `${spend.allotment} nano-USD a month`, placeOf(plan, 'monthly_usd')),
]

/** The outcome of each rule, and where it is written; nothing for one that the request only counts in. */
export function ruleSteps(
  plan: Plan,
  rule: LimitRule,
  text: string,
  outcome: Step['outcome'] = 'pass',
): readonly Step[] {
  const { rules, counts } = plan
  const written = writtenRule(rule)
  if (counts.includes(written)) return []
  const own = rules.find(each => each.rule === written)
  // A zone gives the limit of requests a day a counter of its own.
  if (!own && nameOfRule(rule) === 'per_day') return [{ stage: 'rate', outcome, text, at: placeOf(plan, 'per_day') }]
  if (own?.at) return [{ stage: 'rate', outcome, text, at: own.at }]
  return [
    {
      stage: 'rate',
      outcome,
      text: `${text}, ${own || rule.of === 'org' || labelOf(rule.of) !== undefined ? 'set by an operator' : 'set for the key'}`,
    },
  ]
}

/** Why a pool with a share of the conversations is asked first, or not at all, each with where it has its share. */
const trafficSteps = ({ request: { draw } }: Facts, { model: { name, traffic = [] } }: Allowed): readonly Step[] =>
  traffic.map(({ pool, millionths, canary, at }) => {
    const share = `${shareText(millionths)} of ${name}`
    if (draw === undefined)
      return passed(
        'send',
        `${pool.name} is left out: it gets ${share}, by conversation, and the request names none`,
        at,
      )
    return chosenShare(traffic, draw)?.pool === pool
      ? passed(
          'send',
          `the conversation is in the ${share} that ${pool.name} gets${canary ? ` as a canary beside ${canary.against}` : ''}`,
          at,
        )
      : passed('send', `${pool.name} is left out: the conversation is not in the ${share} that it gets`, at)
  })

/** Whether a copy of the request goes to another pool, or why none does, with where the files ask for copies. */
function mirrorSteps({ request }: Facts, { model, tools = [] }: Allowed): readonly Step[] {
  const mirrored = mirrorOf(model, { request, hasTools: tools.length > 0 })
  if (mirrored === undefined || model.kind !== 'chat' || !model.mirror) return []
  const { to, millionths, acrossSites, at } = model.mirror
  const sample = `${shareText(millionths)} of ${model.name}`
  if (typeof mirrored === 'string')
    return [passed('send', `no copy goes to ${to.name}: ${UNMIRRORED[mirrored](sample)}`, at)]
  const where = acrossSites ? '' : ` where a pool of ${to.site} serves it`
  return [passed('send', `a copy goes to ${to.name}${where}: the conversation is in the sample of ${sample}`, at)]
}

const UNMIRRORED: Readonly<Record<Unmirrored, (sample: string) => string>> = {
  'no-conversation': sample => `it gets ${sample}, by conversation, and the request names none`,
  'not-sampled': sample => `the conversation is not in the sample of ${sample}`,
  'hosted-tools': () => 'the request has hosted tools',
  dialect: () => 'the pool does not take the request as it is written',
}

/** Why pools of the model are asked behind others, each with where it declares its bounds. */
const busySteps = ({ health: { busy = [] } }: Facts, { model }: Allowed): readonly Step[] =>
  busy.flatMap(({ pool: name, ...overload }) => {
    const pool = model.serve.find(each => each.name === name)
    return pool ? [passed('send', `${name} is passed over: ${overloadText(overload)}`, placeOf(pool, 'spill'))] : []
  })

/** Where the request waits while pools are full, each with where it declares its queue. */
const queueSteps = ({ caller }: Facts, { plan, pools }: Allowed): readonly Step[] => {
  const { priority, weight } = queueRankOf(plan, caller)
  return pools.flatMap((pool, index) => {
    const at = pool.fields.queue
    const later = pools.slice(index + 1).map(({ name }) => name)
    const unless = later.length > 0 ? `, unless ${later.join(' or ')} has room first` : ''
    const over = pool.slotsOver === 'store' ? ', in one order over all gateways on the store' : ''
    const text = `${pool.name} has a queue: the request waits there with priority ${priority} and weight ${weight}${over}${unless}`
    return at ? [passed('send', text, at), ...shareSteps(pool, plan, caller)] : []
  })
}

/** The share of a pool that the request counts in. */
function shareSteps(pool: Pool, { name: plan }: Plan, { terms: { org } }: Caller): readonly Step[] {
  const { name, shares } = pool
  if (!shares) return []
  const share = shareOf(shares, { plan, org })
  const lent = `the request is in no share of ${name}: it gets slots that no share owner is owed`
  if (!share) return [passed('send', lent, placeOf(pool, 'shares'))]
  const { owner, millionths, slots, at } = share
  const guaranteed = `${shareText(millionths)} of ${name}, ${counted(slots, 'slot')}`
  return [passed('send', `the request is in the share of ${owner}, which is guaranteed ${guaranteed}`, at)]
}

/** Why a pool is asked before those that are declared before it, with where it says for how long. */
function staySteps({ health, request }: Facts, { model, pools }: Allowed): readonly Step[] {
  const pool = stayIn(pools, health)
  if (!pool || pool === servedTo(model, request)[0]) return []
  return [passed('send', `the conversation stays at ${pool.name}, which served it last`, placeOf(pool, 'stay'))]
}

function sendStep(request: InferenceRequest, { model, pools }: Allowed): Step {
  const names = pools.map(pool => `${pool.name}${translationText(model, pool, request)}`)
  return passed('send', names.join(', then '), placeOf(model, 'serve'))
}

/** How a pool gets a request; empty where it gets it as its client wrote it. */
export function translationText(model: Model, pool: Pool, request: InferenceRequest): string {
  if (request.kind !== 'chat') return ''
  const adapted = adaptationsOf(pool, request)
  const { name = 'its provider' } = pool.provider
  return `${dialectText(model, pool, request)}${adapted.length > 0 ? ` (for ${name} ${adapted.join('; ')})` : ''}`
}

function dialectText(model: Model, pool: Pool, request: ChatAsk): string {
  if (isNative(pool, request)) {
    const cut = [...lossesAt(pool, request), ...untoldAt(model, pool, request), ...marksLostAt(pool, request)]
    return cut.length > 0 ? ` (without ${cut.join(', ')}, which it does not allow)` : ''
  }
  const tools = toolsInTheWay(pool, request)
  const fields = [...untoldAt(model, pool, request), ...marksLostAt(pool, request)]
  const reason = tools.length > 0 ? `, since it does not allow ${tools.join(', ')}` : ''
  const lost = tools.length > 0 ? fields : [...lossesAt(pool, request), ...fields]
  return ` (translated${reason}${lost.length > 0 ? `, without ${lost.join(', ')}` : ''})`
}

function deniedStep(config: Config, caller: Caller, denied: DeniedAt): Step {
  const { stage, at } = denied
  const step = { stage, outcome: 'deny', text: denialText(config, caller, denied) } as const
  return at ? { ...step, at } : step
}

function denialText({ models }: Config, caller: Caller, { stage, denial }: DeniedAt): string {
  if (denial.code === 'VALIDATION_ERROR') return `${denial.field}: ${denial.problem}`
  if (denial.code === 'ACCOUNT_FROZEN' && denial.by === 'provider')
    return `${nameOf(caller)} is frozen: the identity provider deactivated this person`
  if (denial.code === 'ACCOUNT_FROZEN') {
    const what = denial.org === undefined ? 'is' : `belongs to org:${denial.org}, which is`
    return `${nameOf(caller)} ${what} frozen by an operator`
  }
  const { plan, model, tool, of } = denial
  if (of === 'key') return `key ${caller.key?.id} does not include ${model}`
  if (stage === 'who') return `${nameOf(caller)} is on plan ${plan}, which the files do not declare`
  if (tool !== undefined) return `plan ${plan} does not include the tool ${tool}`
  return `plan ${plan} does not include ${model}, which is tier ${models.get(model)?.tier}`
}
