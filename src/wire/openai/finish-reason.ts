import { isObject } from '../json-safety.ts'

/** How an answer ended, in the words of the public API. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter'

/**
 * Reads what a backend calls the end of an answer, a text or an object with a type: `failed` where the backend gave up, undefined
 * where nothing has ended.
 * A reason that nobody knows counts as a limit, since an answer that was cut must never look finished.
 */
export function readFinishReason(value: unknown): FinishReason | 'failed' | undefined {
  const said = isObject(value) ? value.type : value
  if (typeof said !== 'string' || UNFINISHED.has(folded(said))) return undefined
  return REASONS.get(said) ?? REASONS.get(folded(said)) ?? 'length'
}

/** Whether it is in the words of the public API already. */
export const isFinishReason = (value: unknown): value is FinishReason =>
  value === 'stop' ||
  value === 'length' ||
  value === 'tool_calls' ||
  value === 'function_call' ||
  value === 'content_filter'

/** Whether a whole answer says that there is more of it: it was cut. */
export const saysUnfinished = (value: unknown): boolean =>
  typeof value === 'string' && ['not_finished', 'in_progress'].includes(folded(value))

const folded = (reason: string): string =>
  reason
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^finish_reason_/, '')

/** Words that some backends write in place of null until an answer ends. */
const UNFINISHED: ReadonlySet<string> = new Set(['', 'null', 'none', 'unspecified', 'not_finished', 'in_progress'])

const SPELLINGS: Readonly<Record<FinishReason | 'failed', readonly string[]>> = {
  stop: [
    ...['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'stop_token', 'stop_string', 'stop_str', 'stop_word'],
    ...['complete', 'completed', 'done', 'end', 'finish', 'finished', 'success', 'end_of_text', 'end_of_turn', 'eot'],
    // ERNIE.
    'normal',
  ],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_length',
    'model_length',
    'model_context_window_exceeded',
    'context_length_exceeded',
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'tool', 'tools', 'function_calls', 'function', 'call'],
  function_call: ['function_call'],
  content_filter: [
    'content_filter',
    'content_filtered',
    'refusal',
    'sensitive',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
    'image_prohibited_content',
    'model_armor',
    'guardrail_intervened',
    'moderation',
    'blocked',
    'flagged',
    // Cohere.
    'error_toxic',
  ],
  failed: [
    'error',
    'failed',
    'abort',
    'aborted',
    'cancelled',
    'canceled',
    'interrupted',
    'timeout',
    'network_error',
    'server_error',
    'internal_error',
    'overloaded',
    'user_cancel',
    'user_cancelled',
    // DeepSeek.
    'insufficient_system_resource',
    // Gemini: the model wrote a call that cannot be read.
    'malformed_function_call',
    'malformed_response',
    'unexpected_tool_call',
    'too_many_tool_calls',
    'missing_thought_signature',
  ],
}

const REASONS: ReadonlyMap<string, FinishReason | 'failed'> = new Map(
  Object.entries(SPELLINGS).flatMap(([reason, spellings]) =>
    spellings.map(spelling => [spelling, reason as FinishReason | 'failed'] as const),
  ),
)
