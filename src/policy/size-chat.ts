import { type ChatModel, type Plan, placeOf } from './config.ts'
import type { OutputClaim } from './decision.ts'
import type { ChatAsk } from './facts.ts'
import { type Ruling, refused } from './ruling.ts'
import { overMinute, type Sized } from './sized.ts'

/** The least output worth granting when the client set no cap. */
export const LEAST_OUTPUT = 16
/** What a chat template adds around one message, in tokens. */
const TEMPLATE_TOKENS = 16

/** Whether a chat fits the model and the plan's minute at all, and how many tokens it may take. */
export function sizeChat(plan: Plan, model: ChatModel, request: ChatAsk): Ruling<Sized> {
  const output = outputOf(model, request)
  const field = request.cap?.field ?? 'max_tokens'
  if (request.images > 0 && !model.vision) {
    return refused('body', 'messages', `${model.name} does not take images`, placeOf(model, 'vision'))
  }
  const least = thinkingLeast(model, request)
  if (request.cap && request.cap.tokens < least) {
    const text = `${model.name} needs at least ${least} with thinking on, or chat_template_kwargs {"enable_thinking": false}`
    return refused('body', field, text, placeOf(model, 'thinking'))
  }
  if (output.min >= model.context) {
    const text = `${output.min} leaves no room for a prompt in the ${model.context} tokens of ${model.name}`
    return refused('body', field, text, placeOf(model, 'context'))
  }
  const input = inputOf(model, request, output)
  const needed = input + output.min * output.choices
  if (needed > plan.tpm) return overMinute(plan, input + LEAST_OUTPUT > plan.tpm ? 'messages' : field, needed)
  const messages = request.messages === 1 ? '1 message' : `${request.messages} messages`
  const text = `${messages}, at most ${input} input tokens, ${output.want} output`
  return {
    step: { stage: 'body', outcome: 'pass', text, at: placeOf(model, 'max_output') },
    value: { input, output, price: model.price, items: 0 },
  }
}

/** An explicit cap is never lowered; without one, what the model declares may shrink to what the limits leave. */
function outputOf(model: ChatModel, request: ChatAsk): OutputClaim {
  const { choices, cap } = request
  if (cap) return { want: cap.tokens, min: cap.tokens, choices }
  const min = Math.min(model.maxOutput, Math.max(LEAST_OUTPUT, thinkingLeast(model, request)))
  // Backends refuse a prompt and cap that exceed the context together, so a long prompt wants less.
  const room = model.context - estimatedInput(model, request)
  return { want: Math.max(min, Math.min(model.maxOutput, room)), min, choices }
}

/** What another call of the model may take in one answer of which `left` output tokens are left: too few for any, nothing. */
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
  const bound = request.textBytes + TEMPLATE_TOKENS * request.messages + model.imageTokens * request.images
  return Math.min(bound, model.context - output.min)
}

const estimatedInput = (model: ChatModel, { textBytes, messages, images }: ChatAsk): number =>
  Math.ceil(textBytes / 4) + TEMPLATE_TOKENS * messages + model.imageTokens * images

/** The least max_tokens while the model thinks; 0 when it does not. */
function thinkingLeast({ thinking }: ChatModel, request: ChatAsk): number {
  return thinking && (request.thinking ?? thinking.default) ? thinking.minMaxTokens : 0
}
