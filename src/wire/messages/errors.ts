import type { AnyDenial } from '../errors/codes.ts'
import { messageWithField } from '../errors/error-words.ts'
import { type DeniedAnswer, type ErrorForm, newerStatus } from '../errors/forms.ts'
import { overflowWords } from '../errors/overflow.ts'
import { addAnthropicRate } from '../quota-headers.ts'
import { sseEvent } from '../sse.ts'

/** How Messages write errors: Anthropic's object with Anthropic's types. */
export const messagesErrors: ErrorForm = {
  headers: { requestId: 'request-id', addRate: addAnthropicRate },
  status: newerStatus,
  body: bodyOf,
  lastEvent: of => `event: error\n${sseEvent(JSON.stringify(bodyOf(of)))}`,
}

function bodyOf({ denial, status, body, requestId }: DeniedAnswer): object {
  const overflow = denial.code === 'VALIDATION_ERROR' ? denial.overflow : undefined
  const message = overflow ? overflowWords(overflow) : messageWithField(denial, body)
  const error = { type: messagesType(status), message, ...detailsOf(denial) }
  return { type: 'error', error, request_id: requestId ?? null }
}

/** The details that Anthropic's library looks for when it keeps a conversation at the server. */
function detailsOf(denial: AnyDenial): object {
  if (!('reason' in denial) || denial.reason !== 'thread_unsupported_request') return {}
  return { details: { error_code: denial.reason, unsupported: ['thread'] } }
}

/** Anthropic's types by status. */
function messagesType(status: number): string {
  return MESSAGES_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

const MESSAGES_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
}
