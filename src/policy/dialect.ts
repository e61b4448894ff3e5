import { type ChatModel, type Model, type Place, type Pool, placeOf } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import type { ChatAsk, InferenceRequest } from './facts.ts'

/**
 * The pools of a model that can be sent a request, in the order of the files: those that speak its dialect, and those
 * that it may be translated for.
 */
export function poolsFor(model: Model, request: InferenceRequest): readonly Pool[] | InvalidAt {
  if (request.kind !== 'chat' || model.kind !== 'chat') return model.serve
  const { losses, onlyNative } = request
  const isWhole = losses !== undefined && model.lossy === 'refuse'
  if (!onlyNative && !isWhole) return model.serve
  const pools = model.serve.filter(
    pool => isNative(pool, request) && (!isWhole || lackedTools(pool, request).length === 0),
  )
  return pools.length > 0 ? pools : deniedBy(model, request)
}

/** Whether the replicas of a pool get a request in the dialect of its client, so that nothing of it is translated. */
export const isNative = (pool: Spoken, request: ChatAsk): boolean =>
  isSpokenBy(pool, request) && toolsInTheWay(pool, request).length === 0

/** What of a request a pool does not get: tools that it does not allow, or all that its translation leaves out. */
export function lossesAt(pool: Spoken, request: InferenceRequest): readonly string[] {
  if (request.kind !== 'chat') return []
  return isNative(pool, request) ? lackedTools(pool, request) : (request.losses ?? [])
}

/** Tools that its backends would run, and that alone keep a request from going to a pool as its client wrote it. */
export const toolsInTheWay = (pool: Spoken, request: InferenceRequest): readonly string[] =>
  request.kind === 'chat' && isSpokenBy(pool, request)
    ? lackedTools(pool, request).filter(tool => !request.cuttable?.includes(tool))
    : []

type Spoken = Pick<Pool, 'speaks' | 'providerTools'>

function isSpokenBy({ speaks }: Spoken, { dialect, hosted }: ChatAsk): boolean {
  // The rounds of hosted tools are chats.
  if (dialect !== undefined && hosted && hosted.length > 0) return false
  return speaks.includes(dialect ?? 'chat')
}

const lackedTools = (pool: Spoken, { providerTools = [] }: ChatAsk): readonly string[] =>
  providerTools.filter(tool => !pool.providerTools.includes(tool))

function deniedBy(model: ChatModel, request: ChatAsk): InvalidAt {
  const { onlyNative, losses = [] } = request
  const near = model.serve.find(pool => toolsInTheWay(pool, request).length > 0)
  if (near) return unusable(toolsInTheWay(near, request), model, placeOf(near, 'provider_tools'))
  if (!onlyNative) return unusable(losses, model, placeOf(model, 'lossy'))
  const { field, problem, reason } = onlyNative
  const denied = invalidAt('body', field, problem, placeOf(model, 'serve'))
  return reason === undefined ? denied : { ...denied, denial: { ...denied.denial, reason } }
}

const unusable = (tools: readonly string[], { name }: ChatModel, at: Place): InvalidAt =>
  invalidAt('body', 'tools', `${tools.join(', ')} cannot be used with ${name}`, at)
