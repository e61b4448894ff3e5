import type {
  CanaryRules,
  ChatModel,
  Config,
  Declared,
  EmbeddingModel,
  HostedTool,
  ImageModel,
  Inclusion,
  Meter,
  Model,
  Passthrough,
  PassthroughModel,
  Place,
  Plan,
  Pool,
  Route,
  Upgrade,
} from '../../policy/config.ts'
import { nameOfRule } from '../../policy/limits/named-rules.ts'
import { type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { groupClaim, serviceClaim, withLimits } from '../../policy/plan.ts'
import { guaranteedSlots } from '../../policy/queue/slot-shares.ts'
import { conditionOf, matchersIn } from '../check/conditions.ts'
import { imageSizesOf } from '../check/refs.ts'
import { DEFAULTS } from '../defaults.ts'
import type {
  ChatModelSection,
  ConfigFile,
  EmbeddingModelSection,
  HostedToolSection,
  ImageModelSection,
  LimitRuleSection,
  MeterSection,
  ModelSection,
  PassthroughModelSection,
  PassthroughSection,
  PlanSection,
  PoolSection,
  RouteSection,
  StopWhenSection,
} from '../file.ts'
import { baseUrl } from '../model/formats.ts'
import { servedNames } from '../model/served.ts'
import { entriesOf, keyAt, type Node, nodeAt, type Span } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import { wordsIn } from '../pool-words.ts'
import type { Declaration, Declarations, MergedFiles } from '../read/merge.ts'
import { acceptsOf, declaredIn } from './accepts.ts'
import { betaMembersOf } from './beta-members.ts'
import { calendarOf } from './calendar.ts'
import { labelsOf } from './labels.ts'
import { limitsOf, rowsOf, withCounts } from './limits.ts'
import { noticesOf } from './notices.ts'
import { mannersOf } from './pool-manners.ts'
import { pricesOf } from './prices.ts'

/** Links names to objects. Only for what was checked: a name that nothing declares is a bug here. */
export function link(
  main: ConfigFile,
  merged: MergedFiles,
  { revision, fields }: { readonly revision: string; readonly fields: ReadonlyMap<string, Span> },
): Config {
  const imageSizes = imageSizesOf(main)
  const pools = each(merged.pools, linkPool)
  const models = each(merged.models, declaration => linkModel(declaration, pools, imageSizes))
  const aliases = each(merged.aliases, ({ data, ...declaration }) => ({
    ...declared(declaration),
    model: the(data, models),
  }))
  const tools = each(merged.tools, linkTool)
  const plans = withCounts(each(merged.plans, declaration => linkPlan(declaration, models, tools)))
  const defaultName = merged.defaultModel?.data ?? ''
  const defaultModel = aliases.get(defaultName) ?? the(defaultName, models)
  const { identity, guests } = main
  const calendar = calendarOf(main)
  const passthrough = each(merged.passthrough, declaration => linkPassthrough(declaration, models, main))
  const routes = merged.routes.map(declaration => linkRoute(declaration, models))
  return Object.freeze({
    revision,
    plans,
    models,
    pools,
    aliases,
    defaultModel,
    routes,
    matchers: matchersIn(routes.map(({ when }) => when)),
    tools,
    declared: declaredIn(models.values()),
    passthrough,
    labels: labelsOf(main, fields),
    notices: noticesOf(main),
    ...(identity && { defaultPlan: the(identity.default_plan, plans) }),
    servicePlans: servicePlansOf(identity, plans),
    ...(guests && { guestPlan: the(guests.plan, plans) }),
    ...([...models.values()].some(isDrawn) && { hasShares: true as const }),
    ...(calendar && { calendar }),
  })
}

/** Plans with the limits of an entry of services or groups, by what its accounts claim. */
function servicePlansOf(identity: ConfigFile['identity'], plans: ReadonlyMap<string, Plan>): ReadonlyMap<string, Plan> {
  const limited = (claimed: string, plan: string, limits: readonly LimitRuleSection[]): [string, Plan] => {
    const rules = rowsOf({ limits: [...limits] }).map(({ rule }) => rule)
    return [claimed, Object.freeze(withLimits(the(plan, plans), rules))]
  }
  const services = (identity?.issuers ?? []).flatMap(({ issuer, accounts }) =>
    accounts.flatMap(({ name, plan, limits }) =>
      limits ? [limited(serviceClaim(plan, issuer, name), plan, limits)] : [],
    ),
  )
  const groups = (identity?.groups ?? []).flatMap(({ claim, is, plan, limits }) =>
    limits && plan !== undefined
      ? [limited(groupClaim(plan, identity?.issuer ?? '', { claim, is: [is].flat() }), plan, limits)]
      : [],
  )
  // The first of two equal entries decides.
  return new Map([...services, ...groups.reverse()])
}

function linkRoute({ data, ...rest }: Declaration<RouteSection>, models: ReadonlyMap<string, Model>): Route {
  if (data === undefined) throw new Error(`route \`${rest.name}\` has a mistake that was not reported`)
  return Object.freeze({ ...declared(rest), when: conditionOf(data.when), model: the(data.use, models) })
}

/** A declaration without mistakes. */
interface Sound<T> extends Omit<Declaration<T>, 'data'> {
  readonly data: T
}

function each<T, R>(declarations: Declarations<T>, build: (declaration: Sound<T>) => R): ReadonlyMap<string, R> {
  const built = new Map<string, R>()
  for (const [name, { data, ...rest }] of declarations) {
    if (data === undefined) throw new Error(`\`${name}\` has a mistake that was not reported`)
    built.set(name, Object.freeze(build({ ...rest, data })))
  }
  return built
}

function the<T>(name: string, among: ReadonlyMap<string, T>): T {
  const found = among.get(name)
  if (!found) throw new Error(`\`${name}\` is declared nowhere, and that was not reported`)
  return found
}

const placeOf = ({ file, line, column }: Span): Place => ({ file, line, column })

function declared({ name, at, node }: Pick<Declaration<unknown>, 'name' | 'at' | 'node'>): Declared {
  const fields = Object.fromEntries([...entriesOf(node)].map(([field, { key }]) => [field, placeOf(key)]))
  return { name, at: placeOf(at), fields }
}

function linkPool({ data, ...declaration }: Sound<PoolSection>): Pool {
  const shares = sharesOf(data, declaration.node)
  const replicas = data.replicas.map(url => baseUrl.read(url) ?? url)
  const words = wordsIn(data)
  return {
    ...declared(declaration),
    replicas,
    ...words,
    ...(shares && { shares }),
    passes: [...words.passes, ...betaMembersOf(data)],
    ...mannersOf(data),
  }
}

/** The shares of a pool's slots; undefined where it declares none. */
function sharesOf({ shares, max_concurrent: slots }: PoolSection, node: Node): Pool['shares'] {
  if (!shares || slots === undefined) return undefined
  const written = Object.entries(shares).map(([owner, share]) => [owner, unitOf('percent', share)] as const)
  const guaranteed = guaranteedSlots(
    written.map(([, millionths]) => millionths),
    unitOf('count', slots),
  )
  return written.map(([owner, millionths], place) => ({
    ...{ owner, millionths, slots: guaranteed[place] ?? 0 },
    at: placeOf(keyAt(node, ['shares', owner]) ?? node.span),
  }))
}

function linkModel(
  { data, ...declaration }: Sound<ModelSection>,
  pools: ReadonlyMap<string, Pool>,
  imageSizes: readonly string[],
): Model {
  const served = {
    ...declared(declaration),
    tier: data.tier,
    serve: servedNames(data.serve).map(name => the(name, pools)),
    ...trafficOf(data.serve, declaration.node, pools),
  }
  switch (data.kind) {
    case 'chat':
      return {
        ...served,
        ...linkChat(data),
        ...acceptsOf(data, declaration.node),
        ...mirrorOf(data, declaration.node, pools),
      }
    case 'embedding':
      return { ...served, ...linkEmbedding(data), ...acceptsOf(data, declaration.node) }
    case 'image':
      return { ...served, kind: 'image', sizes: sizesOf(data, imageSizes), ...acceptsOf(data, declaration.node) }
    case 'passthrough':
      return { ...served, ...linkPassthroughModel(data) }
  }
}

/** The shares among the pools of a model; nothing where there are none. */
function trafficOf(
  serve: ModelSection['serve'],
  model: Node,
  pools: ReadonlyMap<string, Pool>,
): Pick<Model, 'traffic'> {
  const traffic = serve.flatMap((entry, index) => {
    if (typeof entry === 'string') return []
    const at = placeOf((nodeAt(model, ['serve', index]) ?? model).span)
    const canary = entry.canary && { canary: canaryOf(entry.canary.stop_when) }
    return [{ pool: the(entry.pool, pools), millionths: unitOf('percent', entry.share), ...canary, at }]
  })
  return traffic.length > 0 ? { traffic } : {}
}

function mirrorOf(
  { mirror }: ChatModelSection,
  model: Node,
  pools: ReadonlyMap<string, Pool>,
): Pick<ChatModel, 'mirror'> {
  if (!mirror) return {}
  const { to, sample, max_usd_per_day: most, across_sites: acrossSites } = mirror
  return {
    mirror: {
      to: the(to, pools),
      millionths: unitOf('percent', sample),
      ...(most !== undefined && { maxNanoUsdPerDay: unitOf('usd', most) }),
      acrossSites: acrossSites ?? DEFAULTS.acrossSites,
      at: placeOf((nodeAt(model, ['mirror']) ?? model).span),
    },
  }
}

/** Whether conversations have to be identified, for shares of traffic or for a sample. */
const isDrawn = (model: Model): boolean =>
  model.traffic !== undefined || (model.kind === 'chat' && model.mirror !== undefined)

const canaryOf = ({ errors_over, first_token_p95_over, against, after }: StopWhenSection): CanaryRules => ({
  ...(errors_over !== undefined && { errorsOver: unitOf('percent', errors_over) }),
  ...(first_token_p95_over !== undefined && { firstTokenP95Over: unitOf('factor', first_token_p95_over) }),
  against,
  after: unitOf('count', after ?? DEFAULTS.canaryAfter),
})

type Own<T extends Model> = Omit<T, keyof Declared | 'tier' | 'serve' | 'traffic' | 'mirror'>

function linkChat({ thinking, usd_per_1m: price, ...data }: ChatModelSection): Own<ChatModel> {
  return {
    kind: 'chat',
    context: unitOf('count', data.context),
    maxOutput: unitOf('count', data.max_output ?? DEFAULTS.maxOutput),
    ...(data.max_output !== undefined && { capsOutput: true as const }),
    vision: data.vision ?? false,
    imageTokens: unitOf('count', data.image_tokens ?? DEFAULTS.imageTokens),
    ...(thinking && {
      thinking: { default: thinking.default, minMaxTokens: unitOf('count', thinking.min_max_tokens) },
    }),
    price: pricesOf(price),
    commit: data.commit ?? DEFAULTS.commit,
    lossy: data.lossy ?? DEFAULTS.lossy,
  }
}

const linkEmbedding = ({
  context,
  dimensions,
  token_ids: tokenIds,
  usd_per_1m: price,
}: EmbeddingModelSection): Own<EmbeddingModel> => ({
  kind: 'embedding',
  context: unitOf('count', context),
  // The schema allows no other number.
  dimensions: DEFAULTS.dimensions,
  anyDimensions: typeof dimensions === 'object' && dimensions.any === true,
  tokenIds: tokenIds ?? DEFAULTS.tokenIds,
  price: { input: unitOf('price', price.input), output: ZERO_USD },
})

const linkPassthroughModel = ({ usd_per_1m: price }: PassthroughModelSection): Own<PassthroughModel> => ({
  kind: 'passthrough',
  ...(price && { price: pricesOf(price) }),
})

/** One price holds for every size; of a map only the sizes in it are made. */
function sizesOf({ usd_per_image: price }: ImageModelSection, imageSizes: readonly string[]): ImageModel['sizes'] {
  const sizes = new Map<string, NanoUsd>()
  for (const size of imageSizes) {
    const usd = typeof price === 'object' ? price[size] : price
    if (usd !== undefined) sizes.set(size, unitOf('usd', usd))
  }
  return sizes
}

function linkPassthrough(
  { data, ...declaration }: Sound<PassthroughSection>,
  models: ReadonlyMap<string, Model>,
  { limits }: ConfigFile,
): Passthrough {
  const model = the(data.model, models)
  if (model.kind !== 'passthrough')
    throw new Error(`${data.path} has a model of another kind, and that was not reported`)
  return {
    ...declared(declaration),
    methods: data.methods,
    model,
    meter: meterOf(data.meter),
    accepts: data.accepts ?? DEFAULTS.accepts,
    maxBody: unitOf('size', data.max_body ?? limits?.body ?? DEFAULTS.body),
    ...(data.upgrade && { upgrade: upgradeOf(data) }),
  }
}

const upgradeOf = (data: PassthroughSection): Upgrade => ({
  maxSession: unitOf('duration', data.max_session ?? DEFAULTS.maxSession),
  idleTimeout: unitOf('duration', data.idle_timeout ?? DEFAULTS.sessionIdle),
  maxMessage: unitOf('size', data.max_message ?? DEFAULTS.maxMessage),
})

/** Exactly one of them was written, and what it needs. */
function meterOf(written: MeterSection): Meter {
  const { usd_per_call: call, usd_per_second: second, usd_per_mb: mb, usage } = written
  if (call !== undefined) return { by: 'call', price: unitOf('usd', call) }
  if (second !== undefined)
    return { by: 'second', price: unitOf('usd', second), max: unitOf('count', written.max_seconds ?? 0) }
  if (mb !== undefined) return { by: 'mb', price: unitOf('usd', mb), max: unitOf('count', written.max_mb ?? 0) }
  if (!usage) throw new Error('a meter measures nothing, and that was not reported')
  return {
    by: 'usage',
    input: unitOf('count', usage.max_input),
    output: unitOf('count', usage.max_output ?? DEFAULTS.maxUsageOutput),
  }
}

const linkTool = ({ data, ...declaration }: Sound<HostedToolSection>): HostedTool => ({
  ...declared(declaration),
  maxCalls: unitOf('count', data.max_calls ?? DEFAULTS.maxCalls),
  price: unitOf('usd', data.usd_per_call ?? DEFAULTS.usdPerCall),
})

function linkPlan(
  { data, ...declaration }: Sound<PlanSection>,
  models: ReadonlyMap<string, Model>,
  tools: ReadonlyMap<string, HostedTool>,
): Plan {
  const rows = rowsOf(data).map(({ rule, place }) => {
    const { node } = declaration
    return { rule, name: nameOfRule(rule), at: placeOf((nodeAt(node, ['limits', place]) ?? node).span) }
  })
  const own = declared(declaration)
  const fields = rows.flatMap(({ name, at }) => (name === undefined ? [] : [[name, at]]))
  return {
    ...own,
    fields: { ...own.fields, ...Object.fromEntries(fields) },
    models: inclusions(data.models, declaration.node, models),
    tools: toolInclusions(data.tools, declaration.node, tools),
    limits: limitsOf(data),
    rules: rows.flatMap(({ rule, name, at }) => (name === undefined ? [{ rule, at }] : [])),
    counts: [],
    monthlyNanoUsd: unitOf('usd', data.monthly_usd),
    overage: overage(data.overage),
    ...(data.priority !== undefined && { priority: unitOf('count', data.priority) }),
    ...(data.weight !== undefined && { weight: unitOf('count', data.weight) }),
    ...(data.commit !== undefined && { commit: data.commit }),
  }
}

const overage = (written: PlanSection['overage']): Plan['overage'] =>
  typeof written === 'object' ? { capNanoUsd: unitOf('usd', written.cap_usd) } : (written ?? false)

/** The models of a plan. One that is included twice keeps the entry that names it itself, or else the first. */
function inclusions(
  written: PlanSection['models'],
  plan: Node,
  models: ReadonlyMap<string, Model>,
): ReadonlyMap<string, Inclusion> {
  const included = new Map<string, Inclusion>()
  const node = nodeAt(plan, ['models']) ?? plan
  for (const [index, by] of [written].flat().entries()) {
    const at = placeOf((nodeAt(node, [index]) ?? node).span)
    const tier = by.startsWith('tier:') ? by.slice('tier:'.length) : undefined
    for (const model of models.values()) {
      if (by === model.name) included.set(model.name, { by, at })
      else if ((by === 'all' || tier === model.tier) && !included.has(model.name)) included.set(model.name, { by, at })
    }
  }
  return included
}

/** The hosted tools of a plan; none where it names none. */
function toolInclusions(
  written: PlanSection['tools'] = [],
  plan: Node,
  tools: ReadonlyMap<string, HostedTool>,
): ReadonlyMap<string, Inclusion> {
  const node = nodeAt(plan, ['tools']) ?? plan
  if (written === 'all') return new Map([...tools.keys()].map(name => [name, { by: 'all', at: placeOf(node.span) }]))
  const entries = [written].flat().entries()
  return new Map(
    [...entries].map(([index, name]) => [name, { by: name, at: placeOf((nodeAt(node, [index]) ?? node).span) }]),
  )
}
