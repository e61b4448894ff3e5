import {
  type ChatModel,
  type Config,
  type EmbeddingModel,
  type HeldPrice,
  type ImageModel,
  type Model,
  type Passthrough,
  type Plan,
  placeOf,
} from './config.ts'
import { type InvalidAt, invalidAt, type OutputClaim, type Pieces } from './decision.ts'
import { isNative } from './dialect.ts'
import {
  type ChatAsk,
  cacheTimeOf,
  type EmbeddingAsk,
  type ImageAsk,
  type InferenceRequest,
  type NativeSize,
  type PassthroughAsk,
} from './facts.ts'
import { mostOf, namedRule } from './limits/named-rules.ts'
import { ONE_NANO_USD } from './nano-usd.ts'
import { heldPrice, NO_PRICE, withCacheWrites, worstOf } from './price.ts'
import { tooLarge } from './too-large.ts'
import { servedTo } from './traffic/share.ts'

/** Whether the request fits the model and the plan's minute at all, and how much it may take. */
export function size(plan: Plan, model: Model, request: InferenceRequest): Sized | InvalidAt {
  if (model.kind === 'chat' && request.kind === 'chat') return sizeChat(plan, model, request)
  if (model.kind === 'embedding' && request.kind === 'embedding') return sizeEmbedding(plan, model, request)
  if (model.kind === 'image' && request.kind === 'image') return sizeImage(plan, model, request)
  throw new Error(`${model.name} was chosen for a request of kind ${request.kind}`)
}

function sizeEmbedding(plan: Plan, model: EmbeddingModel, request: EmbeddingAsk): Sized | InvalidAt {
  const { inputs, dimensions, tokenIds, textBytes } = request
  if (tokenIds && !model.tokenIds) {
    const text = `must be text: arrays of token ids are not accepted by ${model.name} (LangChain: set check_embedding_ctx_length to false)`
    return invalidAt('body', 'input', text, placeOf(model, 'token_ids'))
  }
  if (dimensions !== undefined && dimensions !== model.dimensions && !model.anyDimensions) {
    const text = `${model.name} has exactly ${model.dimensions} dimensions`
    return invalidAt('body', 'dimensions', text, placeOf(model, 'dimensions'))
  }
  const input = Math.min(textBytes + SPECIAL_TOKENS * inputs, model.context * inputs)
  if (input > mostOf(plan.limits, 'tpm')) return overMinute(plan, 'input', input)
  return { input, output: NO_OUTPUT, price: model.price, items: 0 }
}

/** Tokens that an embedding model adds to each input, such as a beginning and an end. */
const SPECIAL_TOKENS = 4

function sizeImage(plan: Plan, model: ImageModel, { images, size: asked, textBytes }: ImageAsk): Sized | InvalidAt {
  const [first] = model.sizes.keys()
  const chosen = asked ?? first ?? ''
  const item = model.sizes.get(chosen)
  if (item === undefined) {
    const text = `${model.name} makes ${[...model.sizes.keys()].join(', ')}, not ${chosen}`
    return invalidAt('body', 'size', text, model.at)
  }
  if (textBytes > mostOf(plan.limits, 'tpm')) return overMinute(plan, 'prompt', textBytes)
  const price = { ...NO_PRICE, item }
  return { input: textBytes, output: NO_OUTPUT, price, items: images, pieces: { images }, imageSize: chosen }
}

/** The least output worth granting when the client set no cap. */
export const LEAST_OUTPUT = 16
/** Tokens that a chat template adds around one message. */
const TEMPLATE_TOKENS = 16

/** Whether a chat fits the model and the plan's minute at all, and how many tokens it may take. */
function sizeChat(plan: Plan, model: ChatModel, request: ChatAsk): Sized | InvalidAt {
  const output = outputOf(model, request)
  const field = request.cap?.field ?? 'max_tokens'
  const images = Math.max(request.images, nativeSize(model, request)?.images ?? 0)
  if (images > 0 && !model.vision) {
    return invalidAt('body', 'messages', `${model.name} does not take images`, placeOf(model, 'vision'))
  }
  const least = thinkingLeast(model, request)
  if (request.cap && request.cap.tokens < least) {
    const text = `${model.name} needs at least ${least} with thinking on, or chat_template_kwargs {"enable_thinking": false}`
    return invalidAt('body', field, text, placeOf(model, 'thinking'))
  }
  if (output.min >= model.context) {
    const { name, context } = model
    const text = `${output.min} leaves no room for a prompt: the maximum context length of ${name} is ${context} tokens`
    const denied = invalidAt('body', field, text, placeOf(model, 'context'), 'context_length_exceeded')
    const overflow = { input: estimatedInput(model, request), output: output.min, limit: context }
    return { ...denied, denial: { ...denied.denial, overflow } }
  }
  const input = inputOf(model, request, output)
  const needed = input + output.min * output.choices
  if (needed > mostOf(plan.limits, 'tpm'))
    return overMinute(plan, input + LEAST_OUTPUT > mostOf(plan.limits, 'tpm') ? 'messages' : field, needed)
  const price = heldPrice(withCacheWrites(model.price, cacheTimeOf(request)))
  return { input, output, price, items: 0 }
}

/**
 * An explicit cap is lowered to what the model declares, where it does, and to nothing less; without one, what the model
 * declares may shrink to what the limits leave.
 */
function outputOf(model: ChatModel, request: ChatAsk): OutputClaim {
  const { choices, cap } = request
  if (cap) {
    const tokens = model.capsOutput ? Math.min(cap.tokens, model.maxOutput) : cap.tokens
    return { want: tokens, min: tokens, choices }
  }
  const min = Math.min(model.maxOutput, Math.max(LEAST_OUTPUT, thinkingLeast(model, request)))
  // Backends refuse a prompt and cap that exceed the context together, so a long prompt wants less.
  const room = model.context - estimatedInput(model, request)
  return { want: Math.max(min, Math.min(model.maxOutput, room)), min, choices }
}

/** The claims of another model call in an answer of which `left` output tokens are left; undefined where too few are left. */
export function sizeRound(
  model: ChatModel,
  request: ChatAsk,
  left: number,
): Pick<Sized, 'input' | 'output'> | undefined {
  const min = Math.max(Math.min(LEAST_OUTPUT, left), thinkingLeast(model, request))
  if (left < Math.max(1, min)) return undefined
  const room = model.context - estimatedInput(model, request)
  const output = { want: Math.max(min, Math.min(left, room)), min, choices: 1 }
  return { input: inputOf(model, request, output), output }
}

/** An upper bound: no tokenizer makes more tokens than bytes, and what exceeds the context is refused by the backend. */
function inputOf(model: ChatModel, request: ChatAsk, output: OutputClaim): number {
  const most = model.context - output.min
  const native = nativeSize(model, request)
  if (native?.isUnbounded) return most
  const bytes = Math.max(request.textBytes, native?.bytes ?? 0)
  const images = Math.max(request.images, native?.images ?? 0)
  return Math.min(bytes + TEMPLATE_TOKENS * request.messages + model.imageTokens * images, most)
}

/** The size of the request at a pool that gets it natively, where the model has one. */
const nativeSize = (model: ChatModel, request: ChatAsk): NativeSize | undefined =>
  request.native && servedTo(model, request).some(pool => isNative(pool, request)) ? request.native : undefined

/** Tokens of a prompt as most tokenizers count them, for clients that want to know before they ask. */
export const estimatedInput = (model: ChatModel, { textBytes, messages, images }: ChatAsk): number =>
  Math.ceil(textBytes / 4) + TEMPLATE_TOKENS * messages + model.imageTokens * images

/** The least max_tokens while the model thinks; 0 when it does not. */
function thinkingLeast({ thinking }: ChatModel, request: ChatAsk): number {
  return thinking && (request.thinking ?? thinking.default) ? thinking.minMaxTokens : 0
}

/** The claims of a request on a pass-through route: the most that its meter declares. */
export function sizePassthrough(
  config: Pick<Config, 'passthrough'>,
  plan: Plan,
  request: PassthroughAsk,
): Sized | InvalidAt {
  const route = config.passthrough.get(request.path)
  if (!route) return invalidAt('body', 'path', `nothing is passed through at ${request.path}`)
  const sized = sizedBy(route, request)
  const needed = sized.input + sized.output.min
  if (needed > mostOf(plan.limits, 'tpm')) return overMinute(plan, 'body', needed)
  return sized
}

function sizedBy({ meter, model }: Passthrough, request: PassthroughAsk): Sized {
  if (meter.by !== 'usage') {
    // The request's cost is measured: each item is one nano-USD.
    const price = { ...NO_PRICE, item: ONE_NANO_USD }
    const sized = { input: 0, output: NO_OUTPUT, price, items: worstOf(meter) }
    return meter.by === 'second' ? { ...sized, pieces: { seconds: meter.max } } : sized
  }
  const output = { want: meter.output, min: meter.output, choices: 1 }
  const price = heldPrice(withCacheWrites(model.price ?? NO_PRICE, cacheTimeOf(request)))
  return { input: meter.input, output, price, items: 0 }
}

/** How much a request may take at most. */
export interface Sized {
  /** Prompt tokens held: never fewer than the backend can count. */
  readonly input: number
  readonly output: OutputClaim
  readonly price: HeldPrice
  readonly items: number
  readonly pieces?: Pieces
  /** The size of an image. */
  readonly imageSize?: string
}

/** Tokens are taken only as they are said, and here nothing is. */
export const NO_OUTPUT: OutputClaim = { want: 0, min: 0, choices: 1 }

const overMinute = (plan: Plan, field: string, needed: number): InvalidAt =>
  tooLarge(plan, namedRule('tpm', mostOf(plan.limits, 'tpm')), needed, { stage: 'body', field })
