import type { StreamError } from '../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { isCount, readUsage, type Usage } from '../openai/usage.ts'

/** A response object around what was said so far. */
export function writeFrame({ id, created, model, echoed }: FrameTerms, state: FrameState): JsonObject {
  const { status, error = null, incomplete = null, output, usage = null } = state
  const or = (field: string, otherwise: unknown): unknown => echoed[field] ?? otherwise
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    background: false,
    completed_at: status === 'completed' ? created : null,
    error,
    incomplete_details: incomplete,
    instructions: or('instructions', null),
    max_output_tokens: or('max_output_tokens', null),
    max_tool_calls: or('max_tool_calls', null),
    model,
    output,
    parallel_tool_calls: or('parallel_tool_calls', true),
    previous_response_id: null,
    prompt_cache_key: or('prompt_cache_key', null),
    reasoning: reasoningOf(asObject(echoed.reasoning)),
    safety_identifier: or('safety_identifier', null),
    service_tier: 'default',
    store: false,
    temperature: or('temperature', 1),
    text: textOf(asObject(echoed.text)),
    tool_choice: or('tool_choice', 'auto'),
    tools: Array.isArray(echoed.tools) ? echoed.tools.map(toolOf) : [],
    top_logprobs: or('top_logprobs', 0),
    top_p: or('top_p', 1),
    presence_penalty: or('presence_penalty', 0),
    frequency_penalty: or('frequency_penalty', 0),
    truncation: or('truncation', 'disabled'),
    usage,
    metadata: or('metadata', {}),
    ...(typeof echoed.user === 'string' && { user: echoed.user }),
  }
}

/** What is the same in all frames of one answer. */
export interface FrameTerms {
  readonly id: string
  readonly created: number
  readonly model: string
  /** The request, of which an answer repeats some fields. */
  readonly echoed: JsonObject
}

export interface FrameState {
  readonly status: Status | 'in_progress' | 'failed'
  readonly error?: JsonObject
  readonly incomplete?: { readonly reason: string }
  readonly output: readonly JsonObject[]
  readonly usage?: JsonObject
}

/** How an answer ended that came whole. */
export type Status = 'completed' | 'incomplete'

/** What was used, of what the backend reported in a chat; the other stands in where it reported nothing. */
export function writeUsage(reported: unknown, otherwise: Usage): JsonObject {
  const { inputTokens, outputTokens } = readUsage(reported) ?? otherwise
  const { prompt_tokens_details: ofInput, completion_tokens_details: ofOutput } = asObject(reported)
  const { cached_tokens, cache_write_tokens } = asObject(ofInput)
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: countOr0(cached_tokens), cache_write_tokens: countOr0(cache_write_tokens) },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: countOr0(asObject(ofOutput).reasoning_tokens) },
    total_tokens: inputTokens + outputTokens,
  }
}

/** Why a response failed. */
export const writeError = ({ code, message }: StreamError): JsonObject => ({
  code: OPENAI_CODE.test(code) ? code : 'server_error',
  message,
})

/** Codes of this gateway are in capitals, and no SDK knows them. */
const OPENAI_CODE = /^[a-z][a-z0-9_]*$/

const countOr0 = (value: unknown): number => (isCount(value) ? value : 0)

const reasoningOf = ({ effort, summary, generate_summary }: JsonObject): JsonObject => ({
  effort: effort ?? null,
  summary: summary ?? generate_summary ?? null,
})

const textOf = ({ format, verbosity }: JsonObject): JsonObject => ({
  format: format ?? { type: 'text' },
  verbosity: verbosity ?? 'medium',
})

/** SDKs take these three of a function for there. */
const toolOf = (tool: unknown): unknown =>
  isObject(tool) && tool.type === 'function'
    ? {
        ...tool,
        description: tool.description ?? null,
        parameters: tool.parameters ?? null,
        strict: tool.strict ?? null,
      }
    : tool
