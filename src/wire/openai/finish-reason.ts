/** How an answer ended, in the words of the public API. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter'

/**
 * Reads what a backend calls the end of an answer: `failed` where the backend gave up, undefined where nothing has ended.
 * A reason that nobody knows counts as a limit, since an answer that was cut must never look finished.
 */
export function readFinishReason(value: unknown): FinishReason | 'failed' | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return REASONS.get(value) ?? REASONS.get(folded(value)) ?? 'length'
}

/** Whether it is in the words of the public API already. */
export const isFinishReason = (value: unknown): value is FinishReason =>
  value === 'stop' ||
  value === 'length' ||
  value === 'tool_calls' ||
  value === 'function_call' ||
  value === 'content_filter'

const folded = (reason: string): string =>
  reason
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^finish_reason_/, '')

const SPELLINGS: Readonly<Record<FinishReason | 'failed', readonly string[]>> = {
  stop: ['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'stop_token', 'complete', 'completed', 'done', 'end'],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_length',
    'model_length',
    'model_context_window_exceeded',
    'context_length_exceeded',
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_calls'],
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
    'guardrail_intervened',
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
    // DeepSeek.
    'insufficient_system_resource',
    // Gemini: the model wrote a call that cannot be read.
    'malformed_function_call',
    'unexpected_tool_call',
  ],
}

const REASONS: ReadonlyMap<string, FinishReason | 'failed'> = new Map(
  Object.entries(SPELLINGS).flatMap(([reason, spellings]) =>
    spellings.map(spelling => [spelling, reason as FinishReason | 'failed'] as const),
  ),
)
