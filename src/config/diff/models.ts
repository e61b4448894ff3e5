import { boundText } from '../../policy/accepts.ts'
import {
  type Accepts,
  type Bound,
  type ChatModel,
  type EmbeddingModel,
  type ImageModel,
  type Mirror,
  type Model,
  type PassthroughModel,
  type Pool,
  type Price,
  placeOf,
  type TrafficShare,
} from '../../policy/config.ts'
import { type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { NO_PRICE } from '../../policy/price.ts'
import { rulesText } from '../../policy/traffic/canary.ts'
import { plainPools, shareText } from '../../policy/traffic/share.ts'
import {
  type Change,
  compare,
  compareNamed,
  type Effect,
  highIsMore,
  lowIsMore,
  type Own,
  other,
  plumbing,
  type Rules,
  type Said,
  type Sides,
  same,
  value,
} from './changes.ts'
import { whoHas } from './plans.ts'
import { count, listed, price as priceText, swapped, text, usd, without } from './values.ts'

/** The changes of models. */
export function compareModels({ before, after }: Sides): readonly Change[] {
  const [was, is] = [before.loaded.config, after.loaded.config]
  return compareNamed(was.models, is.models, after.loaded, {
    subject: name => name,
    gone: ({ name }) => goneOf('model', 'models', name, whoHas(was, 'models', name)),
    added: ({ name }) => newOf('model', 'models', name, whoHas(is, 'models', name)),
    stayed: compareModel,
  })
}

/** `model svc-image is gone, which plans pro and team had` */
export const goneOf = (noun: string, field: string, name: string, plans: readonly string[]): Said => ({
  field,
  from: name,
  to: null,
  text: `${noun} ${name} is gone${plans.length > 0 ? `, which ${plansText(plans)} had` : ''}`,
  effect: plans.length > 0 ? 'lost' : 'plumbing',
})

/** `model svc-image is new, in plans pro and team` */
export const newOf = (noun: string, field: string, name: string, plans: readonly string[]): Said => ({
  field,
  from: null,
  to: name,
  text: `${noun} ${name} is new, in ${plans.length > 0 ? plansText(plans) : 'no plan'}`,
  effect: plans.length > 0 ? 'more' : 'plumbing',
})

const plansText = (plans: readonly string[]): string => `${plans.length === 1 ? 'plan' : 'plans'} ${listed(plans)}`

function compareModel(one: Model, other: Model): readonly Change[] {
  const [before, after] = [withPlainPools(one), withPlainPools(other)]
  const at = (field: string) => placeOf(after, field)
  const { name } = after
  if (before.kind === 'chat' && after.kind === 'chat') return compare(CHAT, name, [before, after], at)
  if (before.kind === 'embedding' && after.kind === 'embedding') return compare(EMBEDDING, name, [before, after], at)
  if (before.kind === 'image' && after.kind === 'image') return compare(IMAGE, name, [before, after], at)
  if (before.kind === 'passthrough' && after.kind === 'passthrough')
    return compare(PASSTHROUGH, name, [before, after], at)
  const said = `${name} is now of kind ${after.kind}, no longer ${before.kind}`
  const kind: Change = {
    ...{ subject: name, field: 'kind', from: before.kind, to: after.kind, text: said },
    ...{ effect: 'lost', at: at('kind') },
  }
  return [kind, ...compare<Served>(SERVED, name, [before, after], at)]
}

/** The order of pools with a share means nothing: no conversation comes to two of them. */
const withPlainPools = (model: Model): Model => (model.traffic ? { ...model, serve: plainPools(model) } : model)

type Served = Pick<Own<Model>, 'tier' | 'serve' | 'traffic'>

const SERVED: Rules<Served> = {
  tier: value('tier', text, plumbing),
  serve: serveRule,
  traffic: trafficRule,
}

const CHAT: Rules<Own<ChatModel>> = {
  ...SERVED,
  accepts: acceptsRule,
  kind: same(),
  context: value('context', count, highIsMore),
  maxOutput: value('max_output', count, highIsMore),
  capsOutput: capsRule,
  vision: visionRule,
  imageTokens: value('image_tokens', count, lowIsMore),
  thinking: thinkingRule,
  price: (from, to, subject) => priceRule(from, to, subject),
  commit: value('commit', text, other),
  lossy: value('lossy', text, other),
  mirror: mirrorRule,
}

const EMBEDDING: Rules<Own<EmbeddingModel>> = {
  ...SERVED,
  accepts: acceptsRule,
  kind: same(),
  context: value('context', count, highIsMore),
  dimensions: value('dimensions', text, other),
  anyDimensions: value('dimensions.any', text, (_, to) => (to ? 'more' : 'less')),
  tokenIds: value('token_ids', text, (_, to) => (to ? 'more' : 'less')),
  price: (from, to, subject) => priceRule(from, to, subject),
}

const IMAGE: Rules<Own<ImageModel>> = { ...SERVED, accepts: acceptsRule, kind: same(), sizes: sizesRule }

const PASSTHROUGH: Rules<Own<PassthroughModel>> = {
  ...SERVED,
  kind: same(),
  price: (from = NO_PRICE, to = NO_PRICE, subject) => priceRule(from, to, subject),
}

function serveRule(from: readonly Pool[], to: readonly Pool[], subject: string): readonly Said[] {
  const [before, after] = [from, to].map(pools => pools.map(({ name }) => name))
  if (!before || !after) return []
  const said = (was: string | null, is: string | null, sentence: string): Said => ({
    ...{ field: 'serve', from: was, to: is, text: `${subject} ${sentence}`, effect: 'plumbing' },
  })
  return [
    ...without(before, after).map(pool => said(pool, null, `loses pool ${pool}`)),
    ...without(after, before).map(pool => said(null, pool, `gains pool ${pool}, ${whenTried(pool, after)}`)),
    ...swapped(before, after).map(([pool, next]) =>
      said(listed(before), listed(after), `is now served by ${pool} before ${next}`),
    ),
  ]
}

/** Changes of the rules by which canaries are stopped. Another comparison begins with new counts. */
const canaryRule = (from: TrafficShare | undefined, to: TrafficShare | undefined, subject: string): readonly Said[] => {
  const [was, is] = [from, to].map(share => share?.canary && rulesText(share.canary))
  if (!to || was === is) return []
  const said = { field: 'serve', from: was ?? null, to: is ?? null, effect: 'plumbing' as const, at: to.at }
  const pool = to.pool.name
  if (is === undefined) return [{ ...said, text: `${subject} no longer stops pool ${pool}, whatever it does` }]
  return [{ ...said, text: `${subject} ${was === undefined ? 'now stops' : 'stops'} pool ${pool} at ${is}` }]
}

/** Changes of where copies go. Clients notice nothing of them. */
function mirrorRule(from: Mirror | undefined, to: Mirror | undefined, subject: string): readonly Said[] {
  const [was, is] = [from, to].map(mirror => mirror && mirrorText(mirror))
  if (was === is) return []
  const said = { field: 'mirror', from: was ?? null, to: is ?? null, effect: 'plumbing' as const }
  if (!to || is === undefined) return [{ ...said, text: `${subject} no longer sends copies to ${from?.to.name}` }]
  const text = was === undefined ? `${subject} now sends copies of ${is}` : `${subject}: copies of ${was} → ${is}`
  return [{ ...said, text, at: to.at }]
}

/** `5% to new, at most $10 a day, across sites` */
const mirrorText = ({ to, millionths, maxNanoUsdPerDay: most, acrossSites }: Mirror): string =>
  [
    `${shareText(millionths)} to ${to.name}`,
    ...(most === undefined ? [] : [`at most $${usd(most)} a day`]),
    ...(acrossSites ? ['across sites'] : []),
  ].join(', ')

/** Changes of the shares of pools. Whose conversations go elsewhere is no less served. */
function trafficRule(from: Model['traffic'] = [], to: Model['traffic'] = [], subject: string): readonly Said[] {
  const pools = [...new Set([...from, ...to].map(({ pool }) => pool.name))]
  return pools.flatMap(pool => {
    const [one, other] = [from, to].map(traffic => traffic.find(each => each.pool.name === pool))
    return [...shareRule(pool, one, other, subject), ...canaryRule(one, other, subject)]
  })
}

function shareRule(
  pool: string,
  from: TrafficShare | undefined,
  to: TrafficShare | undefined,
  subject: string,
): readonly Said[] {
  const [was, is] = [from, to].map(share => share && shareText(share.millionths))
  if (was === is) return []
  const said = {
    field: 'serve',
    from: was ?? null,
    to: is ?? null,
    effect: 'plumbing' as const,
    ...(to && { at: to.at }),
  }
  if (was === undefined)
    return [{ ...said, text: `${subject} now sends ${is} of its conversations to pool ${pool} first` }]
  if (is === undefined)
    return [{ ...said, text: `${subject} no longer sends ${was} of its conversations to pool ${pool}` }]
  return [{ ...said, text: `${subject}: share of pool ${pool} ${was} → ${is}` }]
}

function whenTried(pool: string, serve: readonly string[]): string {
  const before = serve[serve.indexOf(pool) - 1]
  return before === undefined ? 'tried first' : `tried after ${before}`
}

function visionRule(from: boolean, to: boolean, subject: string): readonly Said[] {
  if (from === to) return []
  const said = `${subject} ${to ? 'now' : 'no longer'} takes images`
  return [{ field: 'vision', from: String(from), to: String(to), text: said, effect: to ? 'more' : 'lost' }]
}

function capsRule(from: true | undefined, to: true | undefined, subject: string): readonly Said[] {
  if (from === to) return []
  const text = to ? `${subject} now lowers client caps above its max_output` : `${subject} no longer lowers client caps`
  return [{ field: 'max_output', from: null, to: null, text, effect: to ? 'less' : 'more' }]
}

function thinkingRule(from: ChatModel['thinking'], to: ChatModel['thinking'], subject: string): readonly Said[] {
  if (!from && !to) return []
  const told = (was: string | null, is: string | null, sentence: string, effect: Effect): readonly Said[] => [
    { field: 'thinking', from: was, to: is, text: `${subject} ${sentence}`, effect },
  ]
  if (!from) return told(null, thinkingText(to), `can now think, ${thinkingText(to)}`, 'other')
  if (!to) return told(thinkingText(from), null, 'no longer thinks', 'other')
  const least = value<number>('min_max_tokens', count, lowIsMore)(from.minMaxTokens, to.minMaxTokens, subject)
  const [was, is] = [thinkingText(from), thinkingText(to)]
  return [
    ...(was === is ? [] : told(was, is, `now thinks ${is}`, 'other')),
    ...least.map(each => ({ ...each, field: 'thinking' })),
  ]
}

const thinkingText = (thinking: ChatModel['thinking']): string =>
  thinking?.default ? 'unless asked not to' : 'only when asked to'

/** USD for a million tokens, and for images. */
function priceRule(from: Price, to: Price, subject: string): readonly Said[] {
  return [
    ...TOKENS.flatMap(([part, words]) => tokenPrice(`price of ${subject} ${words}`, part, from, to)),
    ...(from.item === undefined && to.item === undefined ? [] : itemPrice(subject, from, to)),
  ]
}

type TokenPart = (typeof TOKENS)[number][0]
const TOKENS = [
  ['input', 'input'],
  ['cachedInput', 'cached input'],
  ['cacheWrite', 'cache writes'],
  ['cacheWrite1h', 'cache writes of an hour'],
  ['output', 'output'],
] as const

function tokenPrice(what: string, part: TokenPart, before: Price, after: Price): readonly Said[] {
  // A part without a price of its own follows that of input, whose change has a line.
  if (before[part] === undefined && after[part] === undefined) return []
  const [from, to] = [partOf(before, part), partOf(after, part)]
  return cost(what, 'usd_per_1m', [from, to].map(priceText), 'USD per 1M', to > from)
}

/** The price of a part. One without a price of its own is paid as the whole that it belongs to. */
const partOf = (prices: Price, part: TokenPart): NanoUsd =>
  prices[part] ?? (part === 'cacheWrite1h' ? prices.cacheWrite : undefined) ?? prices.input

const itemPrice = (subject: string, { item: from = ZERO_USD }: Price, { item: to = ZERO_USD }: Price) =>
  cost(`price of ${subject}`, 'usd_per_image', [from, to].map(usd), 'USD', to > from)

/** `price of svc-pro output 2.40 → 3.00 USD per 1M` */
function cost(
  what: string,
  field: string,
  [from = '', to = '']: string[],
  unit: string,
  isUp: boolean,
): readonly Said[] {
  if (from === to) return []
  return [{ field, from, to, text: `${what} ${from} → ${to} ${unit}`, effect: isUp ? 'less' : 'more' }]
}

type Sizes = ImageModel['sizes']

function sizesRule(from: Sizes, to: Sizes, subject: string): readonly Said[] {
  const field = 'usd_per_image'
  const [was, is] = [from, to].map(sizes => [...sizes.keys()][0] ?? null)
  const first: readonly Said[] =
    was === is || !was || !is
      ? []
      : [
          {
            field,
            from: was,
            to: is,
            text: `${subject} makes ${is}, no longer ${was}, when no size is named`,
            effect: 'other',
          },
        ]
  return [
    ...without(from.keys(), to.keys()).map((size): Said => {
      return { field, from: size, to: null, text: `${subject} no longer makes ${size}`, effect: 'lost' }
    }),
    ...[...to].flatMap(([size, is]): readonly Said[] => {
      const was = from.get(size)
      if (was !== undefined) return cost(`price of ${subject} ${size}`, field, [was, is].map(usd), 'USD', is > was)
      return [{ field, from: null, to: size, text: `${subject} now makes ${size}, for ${usd(is)} USD`, effect: 'more' }]
    }),
    ...first,
  ]
}

const NONE: Accepts = new Map()

/** `svc-image accepts num_inference_steps up to 50`: the fields beyond the known ones that requests may carry. */
export function acceptsRule(
  from: Accepts | undefined = NONE,
  to: Accepts | undefined = NONE,
  subject: string,
): readonly Said[] {
  const fields = new Set([...from.keys(), ...to.keys()])
  return [...fields].flatMap(field => fieldRule(field, from.get(field), to.get(field), subject))
}

function fieldRule(name: string, from: Bound | undefined, to: Bound | undefined, subject: string): readonly Said[] {
  const [was, is] = [from, to].map(bound => (bound ? `${name} ${boundText(bound)}` : null))
  if (was === undefined || is === undefined || was === is) return []
  if (!to)
    return [{ field: 'accepts', from: was, to: is, text: `${subject} no longer accepts ${name}`, effect: 'lost' }]
  const before = from ? `, no longer ${boundText(from)}` : ''
  const text = `${subject} accepts ${is}${before}`
  return [{ field: 'accepts', from: was, to: is, text, effect: from ? feel(from, to) : 'more', at: to.at }]
}

/** The effect of a bound's change: whether every value accepted before still is, and more. */
function feel(from: Bound, to: Bound): Effect {
  if (holds(to, from)) return 'more'
  return holds(from, to) ? 'less' : 'other'
}

/** Whether a bound allows all that another one does. */
function holds(bound: Bound, other: Bound): boolean {
  if (bound.is === 'json')
    return other.is === 'boolean' || other.is === 'number' || (other.is === 'json' && other.max <= bound.max)
  if (bound.is === 'number') return other.is === 'number' && other.min >= bound.min && other.max <= bound.max
  if (bound.is === 'boolean') return other.is === 'boolean'
  if (other.is === 'one_of')
    return other.words.every(word => (bound.is === 'text' ? word.length <= bound.max : bound.words.includes(word)))
  return bound.is === 'text' && other.is === 'text' && other.max <= bound.max
}
