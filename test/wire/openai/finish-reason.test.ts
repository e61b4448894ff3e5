import { expect, it } from 'vitest'
import { readFinishReason } from '../../../src/wire/openai/finish-reason.ts'

/** Words of services and engines for the end of an answer, by what they mean. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  stop: [
    ...[
      'stop',
      'STOP',
      'Stop',
      'FINISH_REASON_STOP',
      'end_turn',
      'endTurn',
      'END_TURN',
      'stop_sequence',
      'stopSequence',
    ],
    ...['eos', 'eos_token', 'EOS_TOKEN', 'stop_str', 'COMPLETE', 'completed', 'done', 'finished', 'normal', 'success'],
    ...['end_of_text', 'end_of_turn', { type: 'stop', matched: 2 }],
  ],
  length: [
    ...['length', 'LENGTH', 'MAX_TOKENS', 'max_tokens', 'maxTokens', 'max_output_tokens', 'model_length', 'max_length'],
    ...['model_context_window_exceeded', 'token_limit', 'time_limit', 'truncated', 'pause_turn', 'repetition'],
    ...['OTHER', 'of next year', { type: 'length', length: 4 }],
  ],
  tool_calls: [
    'tool_calls',
    'tool_call',
    'toolCalls',
    'tool-calls',
    'tool_use',
    'TOOL_CALL',
    'toolUse',
    'function_calls',
  ],
  function_call: ['function_call', 'FUNCTION_CALL', 'functionCall'],
  content_filter: [
    ...['content_filter', 'content-filter', 'contentFilter', 'content_filtered', 'refusal', 'SAFETY', 'RECITATION'],
    ...['sensitive', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'MODEL_ARMOR', 'guardrail_intervened'],
    ...['ERROR_TOXIC', 'moderation', 'blocked'],
  ],
  failed: [
    ...['error', 'ERROR', 'abort', 'aborted', 'cancelled', 'network_error', 'insufficient_system_resource', 'timeout'],
    ...['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'USER_CANCEL'],
    ...['server_error', 'internal_error', 'overloaded', { type: 'abort', message: 'x' }],
  ],
  undefined: [
    ...[null, undefined, '', 'null', 'None', 'NONE', 'not_finished', 'NOT_FINISHED', 'in_progress', 0, {}, []],
    'FINISH_REASON_UNSPECIFIED',
  ],
}

const CASES = Object.entries(WORDS).flatMap(([meaning, words]) => words.map(word => [word, meaning] as const))

it.each(CASES)('a backend that ends an answer with %j means %s', (word, meaning) => {
  expect(String(readFinishReason(word))).toBe(meaning)
})
