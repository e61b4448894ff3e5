import { type ChatModel, type Model, type Pool, placeOf, type Speech } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import type { ChatAsk, InferenceRequest } from './facts.ts'

/**
 * The pools of a model that can be sent a request, in the order of the files: those that speak its dialect, and those
 * that it may be translated for.
 */
export function poolsFor(model: Model, request: InferenceRequest): readonly Pool[] | InvalidAt {
  if (request.kind !== 'chat' || model.kind !== 'chat') return model.serve
  const { losses, onlyNative } = request
  if (!onlyNative && (!losses || model.lossy === 'allow')) return model.serve
  const pools = model.serve.filter(pool => isNative(pool, request))
  return pools.length > 0 ? pools : deniedBy(model, request)
}

/** Whether the replicas of a pool get a request in the dialect of its client, so that nothing of it is translated. */
export function isNative({ speaks }: Pick<Pool, 'speaks'>, { dialect, hosted }: ChatAsk): boolean {
  // The rounds of hosted tools are chats.
  if (dialect !== undefined && hosted && hosted.length > 0) return false
  return speaks.includes(speechOf({ dialect }))
}

/** What of a request a pool does not get, since it is translated for it. */
export const lossesAt = (pool: Pick<Pool, 'speaks'>, request: InferenceRequest): readonly string[] =>
  request.kind === 'chat' && request.losses && !isNative(pool, request) ? request.losses : []

const speechOf = ({ dialect = 'chat' }: { readonly dialect: Speech | undefined }): Speech => dialect

function deniedBy(model: ChatModel, { onlyNative, losses = [] }: ChatAsk): InvalidAt {
  if (!onlyNative)
    return invalidAt('body', 'tools', `${losses.join(', ')} cannot be used with ${model.name}`, placeOf(model, 'lossy'))
  const { field, problem, reason } = onlyNative
  const denied = invalidAt('body', field, problem, placeOf(model, 'serve'))
  return reason === undefined ? denied : { ...denied, denial: { ...denied.denial, reason } }
}
