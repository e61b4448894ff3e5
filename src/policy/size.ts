import type { Model, Place, Plan } from './config.ts'
import { placeOf } from './config.ts'
import type { OutputClaim } from './decision.ts'
import type { InferenceRequest } from './facts.ts'
import type { Ruling } from './ruling.ts'

/** The least output worth granting when the client set no cap. */
const LEAST_OUTPUT = 16
/** What a chat template adds around one message, in tokens. */
const TEMPLATE_TOKENS = 16

export interface Sized {
  /** Prompt tokens held: never fewer than the backend can count. */
  readonly input: number
  readonly output: OutputClaim
}

/** Whether the request fits the model and the plan's minute at all, and how many tokens it may take. */
export function size(plan: Plan, model: Model, request: InferenceRequest): Ruling<Sized> {
  const output = outputOf(model, request)
  const field = request.cap?.field ?? 'max_tokens'
  if (request.images > 0 && !model.vision) {
    return refused('messages', `${model.name} does not take images`, placeOf(model, 'vision'))
  }
  const least = thinkingLeast(model, request)
  if (request.cap && request.cap.tokens < least) {
    const text = `${model.name} needs at least ${least} with thinking on, or chat_template_kwargs {"enable_thinking": false}`
    return refused(field, text, placeOf(model, 'thinking'))
  }
  if (output.min >= model.context) {
    return refused(
      field,
      `${output.min} leaves no room for a prompt in the ${model.context} tokens of ${model.name}`,
      placeOf(model, 'context'),
    )
  }
  const input = inputOf(model, request, output)
  const needed = input + output.min * output.choices
  if (needed > plan.tpm) {
    // A 429 would be retried for ever: no minute is large enough.
    const tooLong = input + LEAST_OUTPUT > plan.tpm
    const text = `the request needs up to ${needed} tokens, but plan ${plan.name} allows ${plan.tpm} a minute`
    return refused(tooLong ? 'messages' : field, text, placeOf(plan, 'tpm'))
  }
  const text = `${request.messages} messages, at most ${input} input tokens, ${output.want} output`
  return { step: { stage: 'body', outcome: 'pass', text, at: placeOf(model, 'max_output') }, value: { input, output } }
}

/** An explicit cap is never lowered; without one, what the model declares may shrink to what the limits leave. */
function outputOf(model: Model, request: InferenceRequest): OutputClaim {
  const { choices, cap } = request
  if (cap) return { want: cap.tokens, min: cap.tokens, choices }
  const min = Math.min(model.maxOutput, Math.max(LEAST_OUTPUT, thinkingLeast(model, request)))
  // Backends refuse a prompt and cap that exceed the context together, so a long prompt wants less.
  const room = model.context - estimatedInput(model, request)
  return { want: Math.max(min, Math.min(model.maxOutput, room)), min, choices }
}

/** An upper bound: no tokenizer makes more tokens than bytes, and what exceeds the context is refused by the backend. */
function inputOf(model: Model, request: InferenceRequest, output: OutputClaim): number {
  const bound = request.textBytes + TEMPLATE_TOKENS * request.messages + model.imageTokens * request.images
  return Math.min(bound, model.context - output.min)
}

const estimatedInput = (model: Model, { textBytes, messages, images }: InferenceRequest): number =>
  Math.ceil(textBytes / 4) + TEMPLATE_TOKENS * messages + model.imageTokens * images

/** The least max_tokens while the model thinks; 0 when it does not. Spec 4.2 and 8. */
function thinkingLeast({ thinking }: Model, request: InferenceRequest): number {
  return thinking && (request.thinking ?? thinking.default) ? thinking.minMaxTokens : 0
}

function refused(field: string, problem: string, at: Place): Ruling<Sized> {
  return {
    step: { stage: 'body', outcome: 'deny', text: `${field}: ${problem}`, at },
    denial: { code: 'VALIDATION_ERROR', field, problem },
  }
}
