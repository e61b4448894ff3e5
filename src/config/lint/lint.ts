import { BACKEND_DIALECTS } from '../../policy/backend-dialects.ts'
import { DIALECT_MEMBERS, isClientDialect } from '../../policy/dialect-members.ts'
import { whyUnpassable } from '../../policy/fields.ts'
import { DROPPABLE_OF_VECTORS } from '../../policy/providers/droppable.ts'
import { OF_ALL_DIALECTS, writtenName } from '../../policy/providers/profile.ts'
import { DEFAULTS } from '../defaults.ts'
import type {
  ChatModelSection,
  ConfigFile,
  EmbeddingModelSection,
  HostedToolSection,
  ImageModelSection,
  ModelSection,
  PassthroughModelSection,
  PlanSection,
  PoolSection,
} from '../file.ts'
import { servedNames } from '../model/served.ts'
import { type Node, nodeAt, type Path, shown } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { lintAccepts } from '../resolve/accepts.ts'
import { pricesOf, type WrittenPrices } from '../resolve/prices.ts'
import { lintBalance } from './balance.ts'
import { lintHeaders } from './headers.ts'
import { lintMirror } from './mirror.ts'
import { lintQueue } from './queue.ts'
import { lintSpill } from './spill.ts'
import { lintCanaries, lintTraffic } from './traffic.ts'

/** Reports what the schema allows and what still cannot work, or is hardly meant. */
export function lint(merged: MergedFiles, report: Report): void {
  for (const { name, at } of merged.aliases.values()) {
    if (!merged.models.has(name)) continue
    const message = `alias \`${name}\` has the name of a model`
    const hint = 'rename the alias: clients could not tell them apart'
    report({ ...at, rule: 'alias-shadows-model', severity: 'error', message, hint })
  }
  for (const { name, node, data } of merged.plans.values()) if (data) lintPlan(name, data, merged, sayer(node, report))
  const kinds = kindsByPool(merged)
  for (const { name, node, data } of merged.models.values())
    if (data) {
      lintModel(name, data, sayer(node, report))
      lintTraffic(name, data, sayer(node, report))
      lintCanaries(name, data, merged, sayer(node, report))
      lintMirror(name, data, merged, sayer(node, report))
      lintCacheWrites(name, data, merged, sayer(node, report))
    }
  for (const { name, node, data } of merged.pools.values())
    if (data) {
      lintPool(name, data, node, kinds.get(name) ?? new Set(), sayer(node, report))
      lintNative(name, data, merged, sayer(node, report))
      lintPasses(name, data, sayer(node, report))
      lintQueue(name, data, sayer(node, report))
      lintSpill(name, data, merged.models, sayer(node, report))
    }
}

/** The least tokens a chat of any use takes: 16 of output, 16 for its message, and a word. */
const LEAST_REQUEST = 16 + 16 + 1
/** The openai SDK gives up after as long. */
const SDK_TIMEOUT_MS = 600_000

/** Reports below a node. */
export const sayer =
  (node: Node, report: Report): Say =>
  (path, severity, rule, message, hint) =>
    report({ ...(nodeAt(node, path) ?? node).span, severity, rule, message, hint })

function lintPlan(name: string, plan: PlanSection, { models }: MergedFiles, say: Say): void {
  const chats = () => [...models.values()].some(model => planIncludes(plan, model, 'chat'))
  if (unitOf('count', plan.tpm) < LEAST_REQUEST && chats()) {
    const message = `plan \`${name}\` allows fewer tokens in a minute than any chat needs`
    say(['tpm'], 'error', 'tpm-too-small', message, `the smallest useful request takes ${LEAST_REQUEST}`)
  }
}

/** Whether an entry of a plan includes a model without mistakes, of a kind if one is given. */
export const includes = (by: string, { name, data }: Declaration<ModelSection>, kind = data?.kind): boolean =>
  data !== undefined && data.kind === kind && (by === 'all' || by === name || by === `tier:${data.tier}`)

/** Whether any entry of a plan includes a model. */
export const planIncludes = (plan: PlanSection, model: Declaration<ModelSection>, kind = model.data?.kind): boolean =>
  [plan.models].flat().some(by => includes(by, model, kind))

/** The kinds of the models that each pool serves. */
function kindsByPool({ models }: MergedFiles): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const { data } of models.values())
    for (const pool of poolsOf(data)) kinds.set(pool, (kinds.get(pool) ?? new Set()).add(data?.kind ?? ''))
  return kinds
}

/** The pools that requests of a model, or copies of them, come to. */
const poolsOf = (model: ModelSection | undefined): readonly string[] => [
  ...servedNames(model?.serve ?? []),
  ...(model?.kind === 'chat' && model.mirror ? [model.mirror.to] : []),
]

function lintPool(name: string, pool: PoolSection, node: Node, kinds: ReadonlySet<string>, say: Say): void {
  lintFirstContent(pool.first_content_timeout, ['first_content_timeout'], say)
  lintGuard(name, pool, kinds, say)
  lintSpeaks(name, pool, kinds, say)
  lintCap(name, pool, kinds, say)
  lintFetch(name, pool, kinds, say)
  lintProvider(name, pool, kinds, say)
  lintBalance(name, pool, kinds, say)
  lintHeaders(name, pool, say)
  const seen = new Set<string>()
  for (const [index, url] of pool.replicas.entries()) {
    const base = url.replace(/\/+$/, '')
    if (seen.has(base)) {
      const message = `\`${shown(nodeAt(node, ['replicas', index]))}\` is twice in \`replicas\``
      say(
        ['replicas', index],
        'error',
        'duplicate-entry',
        message,
        `pool \`${name}\` would use it twice as often: remove one`,
      )
    }
    seen.add(base)
  }
}

function lintGuard(name: string, pool: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  const hasImages = kinds.has('image')
  const hasTokens = kinds.size > (hasImages ? 1 : 0) || kinds.size === 0
  const lacking = [
    ...(hasTokens && pool.cost_usd_per_1m === undefined ? ['cost_usd_per_1m'] : []),
    ...(hasImages && pool.cost_usd_per_image === undefined ? ['cost_usd_per_image'] : []),
  ]
  if (pool.max_usd_per_hour !== undefined && lacking.length > 0) {
    const message = `pool \`${name}\` has an hourly cap, but no declared cost of a request`
    const hint = `add ${lacking.map(field => `\`${field}\``).join(' and ')}`
    say(['max_usd_per_hour'], 'error', 'needs-cost', message, hint)
  }
  if (pool.queue_timeout !== undefined && pool.max_concurrent === undefined && pool.max_concurrent_each === undefined) {
    const message = `pool \`${name}\` has \`queue_timeout\`, but no \`max_concurrent\``
    say(['queue_timeout'], 'error', 'needs-max-concurrent', message, 'add `max_concurrent`, or remove it')
  }
}

/** Dialects differ in chats alone. */
function lintSpeaks(name: string, { speaks = [] }: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  const [kind] = [...kinds].filter(each => each !== 'chat')
  const at = speaks.findIndex(speech => speech !== 'chat')
  if (kind === undefined || at < 0) return
  const message = `pool \`${name}\` speaks \`${speaks[at]}\`, but serves a model of kind \`${kind}\``
  say(['speaks', at], 'error', 'speaks-no-chat', message, 'give such models a pool of their own, or remove `speaks`')
}

/** Warns of `fetch` at a pool that serves no chats: nothing else has a stream that could be fetched. */
function lintFetch(name: string, { fetch }: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  if (fetch === undefined || kinds.has('chat') || kinds.size === 0) return
  const message = `pool \`${name}\` has \`fetch\`, but serves no chats`
  say(['fetch'], 'error', 'needs-chat', message, 'remove `fetch`')
}

/** The other dialects have one name for the cap. */
function lintCap(name: string, { cap, speaks = ['chat'] }: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  if (cap === undefined || (speaks.includes('chat') && (kinds.has('chat') || kinds.size === 0))) return
  const message = `pool \`${name}\` has \`cap\`, but receives no chat completions`
  say(['cap'], 'error', 'needs-chat', message, 'remove `cap`: only chats have two names for it')
}

/** Facts of a provider are about chats, and most of them about chat completions. */
function lintProvider(name: string, pool: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  const { provider, speaks = ['chat'] } = pool
  if (typeof provider !== 'object') return
  if (provider.cap !== undefined && pool.cap !== undefined) {
    const message = `pool \`${name}\` has \`cap\` twice`
    say(['provider', 'cap'], 'error', 'duplicate-entry', message, 'remove one of them')
  }
  const isOfChats = kinds.has('chat') || kinds.size === 0
  for (const fact of [
    'cap',
    'drops',
    'developer_role',
    'stream_options',
    'finish_reason',
    'call_ids',
    'cache_marks',
    'cache_salt',
    'priority',
    'choices_usage',
  ] as const) {
    if (fact === 'drops' && kinds.has('embedding') && provider.drops?.every(field => DROPPABLE_OF_VECTORS.has(field)))
      continue
    if (provider[fact] === undefined || (isOfChats && (OF_ANY_DIALECT.has(fact) || speaks.includes('chat')))) continue
    const message = `pool \`${name}\` has \`provider.${fact}\`, and is sent no ${isOfChats ? 'chat completions' : 'chats'}`
    say(['provider', fact], 'error', 'needs-chat', message, `remove \`${fact}\``)
  }
}

const OF_ANY_DIALECT: ReadonlySet<string> = new Set([...OF_ALL_DIALECTS].map(writtenName))

/** Chats reach every pool with what is known of them, and no tools that a provider runs; sessions over WebSocket may do more. */
function lintNative(name: string, pool: PoolSection, merged: MergedFiles, say: Say): void {
  const { speaks = [] } = pool
  if (speaks.some(isClientDialect)) return
  const isLive = hasSessions(name, merged)
  for (const field of NATIVE) {
    if (pool[field] === undefined || (isLive && field !== 'unknown_fields')) continue
    const message = `pool \`${name}\` has \`${field}\`, but speaks neither \`responses\` nor \`messages\``
    say([field], 'error', 'needs-dialect', message, `add one of them to \`speaks\`, or remove \`${field}\``)
  }
}

const NATIVE = ['provider_tools', 'unknown_fields', 'passes', 'fetches'] as const

/** Reports members that no pool may pass on, and those that every request may have. */
function lintPasses(name: string, { passes = [], speaks = [] }: PoolSection, say: Say): void {
  const spoken = speaks.filter(isClientDialect).map(dialect => DIALECT_MEMBERS[dialect].top)
  for (const [index, field] of passes.entries()) {
    const isKnown = spoken.length > 0 && spoken.every(top => top.has(field))
    const why = isKnown ? 'every request may have it' : whyUnpassable(field)
    if (why === undefined) continue
    const message = `pool \`${name}\` cannot pass \`${field}\` on`
    say(['passes', index], 'error', 'not-passable', message, `remove it: ${why}`)
  }
}

/** Whether a pool serves a route that opens WebSockets. */
const hasSessions = (pool: string, { models, passthrough }: MergedFiles): boolean =>
  [...passthrough.values()].some(
    ({ data }) => data?.upgrade !== undefined && servedNames(models.get(data.model)?.data?.serve ?? []).includes(pool),
  )

/** Warns of a wait that no client stays for. */
export function lintFirstContent(written: string | undefined, path: Path, say: Say): void {
  if (written === undefined || unitOf('duration', written) <= SDK_TIMEOUT_MS) return
  say(path, 'warning', 'timeout-too-long', 'stock SDKs give up after 600s', 'clients will have left before this passes')
}

/** Reports what cannot work, or is hardly meant, in one model. */
function lintModel(name: string, model: ModelSection, say: Say): void {
  lintAccepts(name, model, say)
  if (model.kind === 'chat') lintChat(name, model, say)
  else if (model.kind === 'embedding') lintEmbedding(model, say)
  else if (model.kind === 'image') lintImage(model, say)
  else lintPassthroughModel(model, say)
}

/** `n` goes up to 4, so that a chat may cost four times its output. */
const MOST_CHOICES = 4
/** The most inputs that `limits.embedding_batch` allows. */
const MOST_INPUTS = 2048

function lintChat(name: string, model: ChatModelSection, say: Say): void {
  const context = unitOf('count', model.context)
  const maxOutput = unitOf('count', model.max_output ?? DEFAULTS.maxOutput)
  if (maxOutput >= context) {
    const where = model.max_output === undefined ? 'context' : 'max_output'
    const message = `model \`${name}\` leaves no room for a prompt: max_output ${maxOutput} of context ${context}`
    say([where], 'error', 'no-room-for-prompt', message, 'max_output must be smaller than context')
  }
  if (model.image_tokens !== undefined && !model.vision) {
    const message = `model \`${name}\` has \`image_tokens\`, but no \`vision\``
    say(['image_tokens'], 'error', 'needs-vision', message, 'add `vision: true`, or remove it')
  }
  lintThinking(name, model, Math.min(maxOutput, context), say)
  lintPrices(model.usd_per_1m, context * MOST_CHOICES, say)
}

/** Warns of prices that a request with up to `most` tokens of each could not pay. */
function lintPrices(prices: WrittenPrices, most: number, say: Say): void {
  for (const side of ['input', 'cached_input', 'output'] as const) {
    const written = prices[side]
    if (written !== undefined) lintPrice(unitOf('price', written), most, ['usd_per_1m', side], say)
  }
  const { input, cached_input: cached } = prices
  const { cacheWrite, cacheWrite1h } = pricesOf(prices)
  if (cacheWrite !== undefined)
    lintPrice(Math.max(cacheWrite, cacheWrite1h ?? 0), most, ['usd_per_1m', 'cache_write'], say)
  if (cached === undefined || unitOf('price', cached) <= unitOf('price', input)) return
  const hint = 'caching should be cheaper: is this the price of `cache_write`?'
  say(['usd_per_1m', 'cached_input'], 'warning', 'cached-dearer', 'cached input costs more than other input', hint)
}

/** Where backends know marks for a cache, clients choose what is written into it, and for how long. */
function lintCacheWrites(name: string, model: ModelSection, { pools }: MergedFiles, say: Say): void {
  if (model.kind !== 'chat' || model.usd_per_1m.cache_write !== undefined) return
  const marked = (name: string) =>
    pools.get(name)?.data?.speaks?.find(each => BACKEND_DIALECTS[each].cacheMarks === true)
  const pool = servedNames(model.serve).find(each => marked(each) !== undefined)
  if (pool === undefined) return
  const message = `pool \`${pool}\` speaks \`${marked(pool)}\`, but model \`${name}\` has no price for cache writes`
  const hint =
    'add `cache_write`, such as `{ 5m: 3.75, 1h: 6 }`; without it: 1.25 times the input, and twice for an hour'
  say(['usd_per_1m'], 'warning', 'cache-unpriced', message, hint)
}

function lintThinking(name: string, { thinking }: ChatModelSection, most: number, say: Say): void {
  if (!thinking || unitOf('count', thinking.min_max_tokens) <= most) return
  const message = `model \`${name}\` needs more tokens for thinking than its output allows`
  say(['thinking', 'min_max_tokens'], 'error', 'thinking-too-large', message, `max_output and context allow ${most}`)
}

function lintEmbedding({ context, usd_per_1m: price }: EmbeddingModelSection, say: Say): void {
  const most = unitOf('count', context) * MOST_INPUTS
  lintPrice(unitOf('price', price.input), most, ['usd_per_1m', 'input'], say)
}

/** A price in nano-USD for 1,000 tokens, of which one request may hold as many as `most`. */
function lintPrice(nano: number, most: number, path: Path, say: Say): void {
  if (most * nano > Number.MAX_SAFE_INTEGER) {
    const message = 'a full context at this price exceeds what the ledger can count'
    say(path, 'error', 'cost-too-large', message, 'lower it, or `context`')
  } else if (nano > 200_000_000) {
    const hint = 'is this a price for a thousand tokens?'
    say(path, 'warning', 'price-high', 'more than 200 USD for a million tokens', hint)
  } else if (nano > 0 && nano < 100) {
    const hint = 'is this a price for a single token?'
    say(path, 'warning', 'price-low', 'less than 0.0001 USD for a million tokens', hint)
  }
}

function lintPassthroughModel({ usd_per_1m: prices }: PassthroughModelSection, say: Say): void {
  if (prices) lintPrices(prices, MOST_TOKENS, say)
}

/** The most that the meter of a route reserves. */
const MOST_TOKENS = 10_000_000

function lintImage({ usd_per_image: price }: ImageModelSection, say: Say): void {
  const prices =
    typeof price === 'object'
      ? Object.entries(price).map(([size, usd]) => ({ usd, path: ['usd_per_image', size] }))
      : [{ usd: price, path: ['usd_per_image'] }]
  for (const { usd, path } of prices) {
    const nano = unitOf('usd', usd)
    if (nano > 10_000_000_000) {
      say(path, 'warning', 'price-high', 'more than 10 USD for an image', 'is this a price for a thousand images?')
    } else if (nano > 0 && nano < 100_000) {
      say(path, 'warning', 'price-low', 'less than 0.0001 USD for an image', 'is this a price for a part of one?')
    }
  }
}

/** Reports what cannot work, or is hardly meant, of hosted tools and of the plans that include them. */
export function lintTools(main: ConfigFile, { plans, tools }: MergedFiles, report: Report): void {
  const prefix = `${main.brand ?? DEFAULTS.brand}_`
  const time = unitOf('duration', main.limits?.tool_time ?? DEFAULTS.toolTime)
  for (const tool of tools.values()) {
    lintName(tool, prefix, report)
    if (tool.data) lintTool(tool.data, time, sayer(tool.node, report))
  }
  for (const { name, node, data } of plans.values()) if (data) lintPlanTools(name, data, tools, sayer(node, report))
}

/** The prefix is how a request may mark a function as one that runs here. */
function lintName({ name, at }: Declaration<unknown>, prefix: string, report: Report): void {
  if (!name.startsWith(prefix)) return
  const message = `tool \`${name}\` begins with \`${prefix}\`, the prefix that requests put before names of hosted tools`
  const hint = `name it \`${name.slice(prefix.length) || 'tool'}\`: requests could not tell them apart`
  report({ ...at, rule: 'reserved-name', severity: 'error', message, hint })
}

function lintTool(tool: HostedToolSection, toolTime: number, say: Say): void {
  if (unitOf('usd', tool.usd_per_call ?? DEFAULTS.usdPerCall) > 10_000_000_000) {
    const hint = 'is this a price for a thousand calls?'
    say(['usd_per_call'], 'warning', 'price-high', 'more than 10 USD for a call', hint)
  }
  if (tool.timeout === undefined || unitOf('duration', tool.timeout) <= toolTime) return
  const message = 'no call can take that long: `limits.tool_time` ends it earlier'
  say(['timeout'], 'warning', 'timeout-too-long', message, 'lower it, or raise `limits.tool_time`')
}

/** All calls that a request may make of a tool are held when it is admitted. */
function lintPlanTools(name: string, plan: PlanSection, tools: MergedFiles['tools'], say: Say): void {
  if (plan.overage === true) return
  const cap = typeof plan.overage === 'object' ? unitOf('usd', plan.overage.cap_usd) : 0
  const month = unitOf('usd', plan.monthly_usd) + cap
  for (const { data, name: tool } of includedIn(plan, tools)) {
    const calls = unitOf('count', data?.max_calls ?? DEFAULTS.maxCalls)
    const price = unitOf('usd', data?.usd_per_call ?? DEFAULTS.usdPerCall)
    if (calls * price <= month) continue
    const message = `plan \`${name}\` can never pay for \`${tool}\`: ${calls} calls cost ${(calls * price) / 1e9} USD, and a month has ${month / 1e9}`
    say(['monthly_usd'], 'error', 'tool-too-dear', message, 'raise it, or lower `max_calls` of the tool')
  }
}

const includedIn = ({ tools: written = [] }: PlanSection, tools: MergedFiles['tools']) =>
  [...tools.values()].filter(({ name }) => written === 'all' || [written].flat().includes(name))
