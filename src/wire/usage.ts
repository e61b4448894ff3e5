import { isObject } from './body.ts'

/** Tokens as a backend counted them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The usage object of an answer, if it is one. Zero is a count like any other. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const { prompt_tokens, completion_tokens } = value
  return isCount(prompt_tokens) && isCount(completion_tokens)
    ? { inputTokens: prompt_tokens, outputTokens: completion_tokens }
    : undefined
}

/** No request takes a billion tokens: a backend that says so has counted something else. */
const COUNT_MAX = 1e9

/** Whether a value counts something. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= COUNT_MAX

/** Bytes of what the model said in a message or a delta: text, reasoning and tool calls. */
export function spokenBytes(message: unknown): number {
  if (!isObject(message)) return 0
  let bytes = 0
  for (const text of [message.content, message.reasoning_content, message.reasoning, message.refusal]) {
    if (typeof text === 'string') bytes += Buffer.byteLength(text)
  }
  const { tool_calls, function_call } = message
  if (Array.isArray(tool_calls) && tool_calls.length > 0) bytes += Buffer.byteLength(JSON.stringify(tool_calls))
  if (isObject(function_call)) bytes += Buffer.byteLength(JSON.stringify(function_call))
  return bytes
}
