import type { StreamError } from '../client-dialect.ts'
import { namedEvent } from '../sse.ts'

/** One event of a stream; `members` are JSON, without braces. */
export const messageEvent = (type: string, members?: string): string =>
  namedEvent(type, `{"type":"${type}"${members === undefined ? '' : `,${members}`}}`)

/** The last event of a stream that failed. */
export function failureEvent({ message, type, code }: StreamError, requestId: string): string {
  const error = JSON.stringify({ type: TYPES.get(code) ?? TYPES.get(type) ?? 'api_error', message })
  return messageEvent('error', `"error":${error},"request_id":${JSON.stringify(requestId)}`)
}

/** Anthropic's types by our codes, and by the types of OpenAI. Any other is a failure of the service. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['UPSTREAMS_EXHAUSTED', 'overloaded_error'],
  ['TOOL_UNAVAILABLE', 'overloaded_error'],
  ['STORE_UNAVAILABLE', 'overloaded_error'],
  ['OVERLOADED', 'overloaded_error'],
  ['DRAINING', 'overloaded_error'],
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['rate_limit_error', 'rate_limit_error'],
  ['insufficient_quota', 'billing_error'],
  ['invalid_request_error', 'invalid_request_error'],
])
