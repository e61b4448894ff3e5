import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { keptThought } from '../reasoning/thoughts.ts'
import { translatedUsage } from '../usage/reported-usage.ts'
import { withIterations } from './iterations.ts'

/** A message of a backend as a chat completion; undefined where it is none. */
export function completionOfMessage(message: unknown): JsonObject | undefined {
  if (!isObject(message) || message.type !== 'message' || !Array.isArray(message.content)) return undefined
  const { id, model, stop_reason, stop_sequence } = message
  const usage = chatUsage(message.usage)
  const finish = { finish_reason: finishOf(stop_reason), ...stopOf(stop_sequence) }
  return {
    id,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: saidIn(message.content.filter(isObject)), logprobs: null, ...finish }],
    ...(usage && { usage }),
  }
}

/** The finish reason of a chat for a stop reason. An unknown one passes unchanged, and chat clients take it for no good end. */
export const finishOf = (reason: unknown): string =>
  FINISHES.get(reason) ?? (typeof reason === 'string' && reason !== '' ? reason : 'stop')

const FINISHES: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])

/** The stop sequence that was met, under the name that vLLM gives it. */
export const stopOf = (sequence: unknown): JsonObject => (typeof sequence === 'string' ? { stop_reason: sequence } : {})

/** A usage as chats report it, and so as the gateway charges it; undefined where nothing was counted. */
export const chatUsage = (reported: unknown): JsonObject | undefined =>
  translatedUsage(withIterations(asObject(reported)))

function saidIn(blocks: readonly JsonObject[]): JsonObject {
  const text = joined(blocks, 'text')
  const reasoning = joined(blocks, 'thinking')
  const kept = blocks.flatMap(keptThought)
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(callOf)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    // A signature is lost with any change of its thought: clients that send these back have them whole.
    ...(kept.length > 0 && { thinking_blocks: kept }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** The texts of the blocks of a kind, which stand in the field of its name. */
const joined = (blocks: readonly JsonObject[], kind: 'text' | 'thinking'): string =>
  blocks.map(block => (block.type === kind && typeof block[kind] === 'string' ? block[kind] : '')).join('')

const callOf = ({ id, name, input }: JsonObject): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(asObject(input)) },
})
