import { acceptsOf } from './accepts.ts'
import { BACKEND_DIALECTS, BETA_DIALECTS, DIALECT_NAMES, type DialectName } from './backend-dialects.ts'
import { type ChatModel, type Model, type Place, type Pool, placeOf } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import { type ChatAsk, cacheTimeOf, extraCacheTime, type InferenceRequest } from './facts.ts'
import type { CacheTime } from './price.ts'
import { chatNameOf, LABELS } from './providers/droppable.ts'
import { servedTo } from './traffic/share.ts'

/**
 * The pools of a model that can be sent a request, in the order of the files: those that speak its dialect, and those
 * that it may be translated for.
 */
export function poolsFor(model: Model, request: InferenceRequest): readonly Pool[] | InvalidAt {
  const serve = servedTo(model, request)
  if (request.kind !== 'chat' || model.kind !== 'chat') return serve
  if (!isChoosy(model, request)) return serve
  const pools = serve.filter(pool => takenBy(model, pool, request))
  return pools.length > 0 ? pools : deniedBy(model, request)
}

/** Whether a pool takes a chat as it is written, or with no loss that its model forbids. */
export const takenBy = (model: ChatModel, pool: Pool, request: ChatAsk): boolean =>
  !isChoosy(model, request) ||
  ((!request.onlyNative || isNative(pool, request)) &&
    (!mustBeWhole(model, request) || losesNothing(model, pool, request)) &&
    refusedAt(model, pool, request) === undefined)

/** Whether some pools may not take it. */
const isChoosy = (model: ChatModel, request: ChatAsk): boolean =>
  Boolean(request.onlyNative || request.unknown) || mustBeWhole(model, request)

const mustBeWhole = ({ lossy }: ChatModel, { losses, lostFields, optional, unknown }: ChatAsk): boolean =>
  (losses ?? lostFields ?? optional ?? unknown) !== undefined && lossy === 'refuse'

/** Whether the replicas of a pool get a request in the dialect of its client, so that nothing of it is translated. */
export const isNative = (pool: Spoken, request: ChatAsk): boolean =>
  isSpokenBy(pool, request) &&
  toolsInTheWay(pool, request).length === 0 &&
  (request.address === undefined || pool.fetches)

/** The dialect into which a request is translated for a pool: of those that it speaks, the one that loses least. */
export function translationFor({ speaks }: Pick<Pool, 'speaks'>): DialectName {
  const name = DIALECT_NAMES.find(each => speaks.includes(each))
  if (name === undefined) throw new Error('a pool speaks no dialect, and the schema did not refuse it')
  return name
}

/** The tools of a request that a pool does not get: those that it does not allow, or all that its translation leaves out. */
export function lossesAt(pool: Spoken, request: InferenceRequest): readonly string[] {
  if (request.kind !== 'chat') return []
  const { dialect, losses = [] } = request
  if (!isNative(pool, request)) return losses
  return dialect === undefined && losses.length > 0 ? losses : lackedTools(pool, request)
}

/**
 * The fields of a request that a pool does not get: its dialect does not have them, its translation leaves them out, or its
 * provider does not take them. Those that the model declares are known to all of its pools.
 */
export function fieldsLostAt(model: Model, pool: Spoken, request: InferenceRequest): readonly string[] {
  if (request.kind !== 'chat') return []
  const { lostFields, optional, unknown } = request
  if (!(lostFields ?? optional ?? unknown)) return []
  const lost = untoldAt(model, pool, request)
  const dropped = droppedAt(pool, request)
  return dropped.length === 0 ? lost : [...new Set([...lost, ...dropped])]
}

/** The fields that its dialect does not have, or that its translation leaves out. */
export function untoldAt(model: Model, pool: Spoken, request: ChatAsk): readonly string[] {
  const { dialect, lostFields } = request
  const undeclared = (names: readonly string[] = []) => names.filter(name => !isDeclared(model, request, name))
  if (!isNative(pool, request)) return undeclared(lostFields?.[translationFor(pool)])
  // A chat that was read from another body has lost what it lost before any pool was chosen.
  return dialect === undefined && lostFields?.chat ? undeclared(lostFields.chat) : unpassed(model, pool, request)
}

/** The fields of a request that the provider of a pool does not take, as its client calls them. */
export function droppedAt(pool: Spoken, request: ChatAsk): readonly string[] {
  const { drops } = pool.provider.facts
  if (!request.optional || drops.length === 0) return []
  const dropped = request.optional.filter(field => drops.includes(chatNameOf(field)))
  // A native request loses whole members, not parts of them.
  return request.dialect !== undefined && isNative(pool, request)
    ? dropped.filter(field => !field.includes('.'))
    : dropped
}

/** The lost fields and the cache marks. No answer depends on marks: a request that may lose nothing goes without them. */
export function fieldsIgnoredAt(model: Model, pool: Spoken, request: InferenceRequest): readonly string[] {
  const lost = fieldsLostAt(model, pool, request)
  const marks = marksLostAt(pool, request)
  return marks.length > 0 ? [...lost, ...marks] : lost
}

/** The name of the marks of a chat, where a pool does not know them. */
export const marksLostAt = (pool: Spoken, request: InferenceRequest): readonly string[] =>
  marksOf(request) && !takesMarks(pool) ? ['cache_control'] : []

/** Whether a chat has its backend keep parts of the prompt in a cache. */
const marksOf = (request: InferenceRequest): boolean =>
  request.kind === 'chat' && request.dialect === undefined && request.cacheTime !== undefined

/** Whether the backends of a pool know marks for a cache in a chat that goes to them. */
export function takesMarks({ speaks, provider }: Pick<Pool, 'speaks' | 'provider'>): boolean {
  const { cacheMarks } = BACKEND_DIALECTS[translationFor({ speaks })]
  return cacheMarks === 'by provider' ? provider.facts.cacheMarks : cacheMarks
}

/** How long a request has the backends of a pool keep the prompt in a cache. */
export const cacheTimeAt = (pool: Spoken, request: InferenceRequest): CacheTime | undefined =>
  marksOf(request) && !takesMarks(pool) ? extraCacheTime(request) : cacheTimeOf(request)

/** The first member of a request by which a pool refuses it. One of a beta feature is left out: agents send those unasked. */
const refusedAt = (model: Model, pool: Spoken, request: ChatAsk): string | undefined =>
  pool.unknownFields === 'refuse' && isNative(pool, request)
    ? unpassed(model, pool, request).find(name => !isOfBeta(name))
    : undefined

const isOfBeta = (name: string): boolean => [...BETA_DIALECTS.values()].some(({ members }) => members.has(name))

const unpassed = (model: Model, { passes }: Spoken, request: ChatAsk): readonly string[] =>
  (request.unknown ?? []).filter(name => !passes.includes(name) && !isDeclared(model, request, name))

const isDeclared = (model: Model, { extras = {} }: ChatAsk, name: string): boolean =>
  Object.hasOwn(extras, name) && acceptsOf(model)?.has(name) === true

const losesNothing = (model: Model, pool: Spoken, request: ChatAsk): boolean =>
  lossesAt(pool, request).length === 0 &&
  untoldAt(model, pool, request).length === 0 &&
  droppedAt(pool, request).every(field => LABELS.has(field))

/** Tools that its backends would run, and that alone keep a request from going to a pool as its client wrote it. */
export const toolsInTheWay = (pool: Spoken, request: InferenceRequest): readonly string[] =>
  request.kind === 'chat' && isSpokenBy(pool, request)
    ? lackedTools(pool, request).filter(tool => !request.cuttable?.includes(tool))
    : []

type Spoken = Pick<Pool, 'speaks' | 'providerTools' | 'unknownFields' | 'passes' | 'fetches' | 'provider'>

function isSpokenBy({ speaks }: Spoken, { dialect, hosted }: ChatAsk): boolean {
  // The rounds of hosted tools are chats.
  if (dialect !== undefined && hosted && hosted.length > 0) return false
  return speaks.includes(dialect ?? 'chat')
}

const lackedTools = (pool: Spoken, { providerTools = [] }: ChatAsk): readonly string[] =>
  providerTools.filter(tool => !pool.providerTools.includes(tool))

function deniedBy(model: ChatModel, request: ChatAsk): InvalidAt {
  const { onlyNative, losses = [], lostFields, unknown = [] } = request
  const serve = servedTo(model, request)
  const near = serve.find(pool => toolsInTheWay(pool, request).length > 0)
  if (near) return unusable(toolsInTheWay(near, request), model, placeOf(near, 'provider_tools'))
  const engine = serve.find(pool => refusedAt(model, pool, request) !== undefined)
  if (engine) return refused(refusedAt(model, engine, request) ?? '', model, placeOf(engine, 'passes'))
  if (!onlyNative && losses.length > 0) return unusable(losses, model, placeOf(model, 'lossy'))
  if (!onlyNative) {
    const untold = [...Object.values(lostFields ?? {}).flat(), ...unknown]
    const dropped = serve.flatMap(pool => droppedAt(pool, request))
    return lost([...untold.filter(name => !isDeclared(model, request, name)), ...dropped], model)
  }
  const { field, problem, reason } = onlyNative
  const denied = invalidAt('body', field, problem, placeOf(model, 'serve'))
  return reason === undefined ? denied : { ...denied, denial: { ...denied.denial, reason } }
}

const unusable = (tools: readonly string[], { name }: ChatModel, at: Place): InvalidAt =>
  invalidAt('body', 'tools', `${tools.join(', ')} cannot be used with ${name}`, at)

const refused = (field: string, { name }: ChatModel, at: Place): InvalidAt =>
  invalidAt('body', field === OTHERS ? 'body' : field, `is not accepted by ${name}`, at)

/** Replaces the names beyond the limit. */
const OTHERS = 'others'

function lost(fields: readonly string[], model: ChatModel): InvalidAt {
  const [field = '', ...others] = new Set(fields)
  const problem = `cannot be used with ${model.name}${others.length > 0 ? `, and neither can ${others.join(', ')}` : ''}`
  return invalidAt('body', field, problem, placeOf(model, 'lossy'))
}
