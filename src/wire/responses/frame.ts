import type { StreamError } from '../client-dialect.ts'
import { isKnown, know, oncePerValue } from '../fast/known-value.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { readUsage, reasoningTokensIn } from '../usage/reported-usage.ts'
import type { Usage } from '../usage/usage.ts'

/** A response object around the output so far. */
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
    tools: Array.isArray(echoed.tools) ? echoedTools(echoed.tools) : [],
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

/** The terms that all frames of one answer share. */
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

/** Writes the usage that is charged, with the reasoning tokens that the backend reported. */
export function writeUsage(charged: Usage, reported: unknown): JsonObject {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = charged
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: Math.min(reasoningTokensIn(reported), outputTokens) },
    total_tokens: inputTokens + outputTokens,
  }
}

/** The usage of a backend's response with all that OpenAI's has, which Codex insists on; the same where it lacks nothing. */
export function completedUsage(reported: unknown): unknown {
  const usage = readUsage(reported)
  if (!usage || !isObject(reported)) return reported
  const { input_tokens_details: ofInput, output_tokens_details: ofOutput } = reported
  const whole = writeUsage(usage, reported)
  const isWhole =
    reported.input_tokens === whole.input_tokens &&
    reported.output_tokens === whole.output_tokens &&
    reported.total_tokens === whole.total_tokens &&
    asObject(ofInput).cached_tokens === asObject(whole.input_tokens_details).cached_tokens &&
    asObject(ofOutput).reasoning_tokens === asObject(whole.output_tokens_details).reasoning_tokens
  if (isWhole) return reported
  return {
    ...reported,
    ...whole,
    input_tokens_details: { ...asObject(ofInput), ...asObject(whole.input_tokens_details) },
    output_tokens_details: { ...asObject(ofOutput), ...asObject(whole.output_tokens_details) },
  }
}

/** Why a response failed. */
export const writeError = ({ code, message }: StreamError): JsonObject => ({
  code: OPENAI_CODE.test(code) ? code : 'server_error',
  message,
})

/** Codes of this gateway are in capitals, and no SDK knows them. */
const OPENAI_CODE = /^[a-z][a-z0-9_]*$/

const reasoningOf = ({ effort, summary, generate_summary }: JsonObject): JsonObject => ({
  effort: effort ?? null,
  summary: summary ?? generate_summary ?? null,
})

const textOf = ({ format, verbosity }: JsonObject): JsonObject => ({
  format: format ?? { type: 'text' },
  verbosity: verbosity ?? 'medium',
})

const echoedTools = (tools: readonly unknown[]): readonly unknown[] =>
  isKnown(tools) ? knownEcho(tools) : tools.map(toolOf)

const knownEcho = oncePerValue((tools: readonly unknown[]) => know(tools.map(toolOf)))

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
