import type { Denial } from '../../policy/denial.ts'
import type { StreamError } from '../client-dialect.ts'
import { sseEvent } from '../sse.ts'
import { type AnyDenial, errorCodes } from './codes.ts'
import { bodyIn, type ErrorForm, inResponses, statusIn, wordsOf } from './forms.ts'
import { reasonPhrase } from './reason-phrase.ts'
import type { Answer, ErrorTerms } from './texts.ts'

/** The one place where a denial becomes an answer, in the form that its client reads. */
export function renderDenial(denial: AnyDenial, terms: ErrorTerms, form: ErrorForm = 'spec'): ErrorAnswer {
  const { code } = denial
  const { status: usual, reason } = errorCodes[code]
  const status = statusIn(form, denial, usual)
  const answer = answerOf(denial, terms)
  const { error } = answer.body
  return {
    status,
    message: typeof error === 'string' ? error : error.message,
    reason: reasonPhrase(denial, answer.reason ?? reason),
    headers: {
      [`x-${terms.brand}-error-code`]: code,
      ...reasonHeader(denial, terms.brand),
      ...(form === 'messages' && terms.requestId !== undefined && { 'request-id': terms.requestId }),
      ...answer.headers,
    },
    body: bodyIn(form, denial, status, answer.body, terms.requestId),
  }
}

/** TypeScript cannot see that a row's `answer` accepts denials of its own code. */
const answerOf = (denial: AnyDenial, terms: ErrorTerms): Answer =>
  (errorCodes[denial.code].answer as (denial: AnyDenial, terms: ErrorTerms) => Answer)(denial, terms)

/** What a stream that has begun says of a denial, in whatever form its dialect ends one. */
export function streamErrorOf(denial: Denial, terms: ErrorTerms): StreamError {
  const status = statusIn('openai', denial, errorCodes[denial.code].status)
  const { message, type, code } = wordsOf(denial, status, answerOf(denial, terms).body)
  return { message, type, code: code ?? denial.code }
}

/** The last event of a stream that fails after its headers went out. SDKs read the error code only from this form. */
export function denialEvent(denial: Denial, terms: ErrorTerms, form: ErrorForm = 'spec'): string {
  const { status, body } = renderDenial(denial, terms, form)
  if (form === 'messages') return `event: error\n${sseEvent(JSON.stringify(body))}`
  if (form === 'openai') return sseEvent(JSON.stringify(body))
  if (form === 'responses') {
    const { message, param, code } = inResponses(wordsOf(denial, status, answerOf(denial, terms).body))
    return `event: error\n${sseEvent(JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 }))}`
  }
  const message = 'error' in body && typeof body.error === 'string' ? body.error : errorCodes[denial.code].meaning
  const more = denial.code === 'UPSTREAMS_EXHAUSTED' ? { tier: denial.tier, attempted: denial.attempted } : {}
  return sseEvent(
    JSON.stringify({
      error: { message, type: backendReason(denial) ?? eventType(denial.code, status), code: denial.code, ...more },
    }),
  )
}

/**
 * An event that refuses one of a client's in a session, which goes on: in the form of Realtime, with the status that Responses
 * have in theirs.
 */
export function sessionErrorEvent(
  denial: Denial,
  terms: ErrorTerms,
  ids: { id: string; of: string | undefined },
): string {
  const status = statusIn('openai', denial, errorCodes[denial.code].status)
  const error = { ...wordsOf(denial, status, answerOf(denial, terms).body), event_id: ids.of ?? null }
  return JSON.stringify({ type: 'error', event_id: ids.id, status, error })
}

function eventType(code: string, status: number): string {
  if (status < 500) return 'invalid_request_error'
  return code === 'UPSTREAMS_EXHAUSTED' ? 'upstream_error' : 'server_error'
}

/** What a backend calls its refusal: agents shorten their history where it is `context_length_exceeded`. */
function backendReason(denial: AnyDenial): string | undefined {
  switch (denial.code) {
    case 'VALIDATION_ERROR':
    case 'NOT_FOUND':
    case 'FORBIDDEN':
    case 'UPSTREAMS_EXHAUSTED':
      return denial.reason
    default:
      return undefined
  }
}

function reasonHeader(denial: AnyDenial, brand: string): Readonly<Record<string, string>> {
  const reason = backendReason(denial)
  return reason === undefined ? {} : { [`x-${brand}-error-reason`]: reason }
}

/** A denial as it goes over the wire. */
export interface ErrorAnswer {
  readonly status: number
  /** ASCII; what the AI SDK shows its user. */
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** Its text, in whatever form. */
  readonly message: string
}

/** The settings that error texts need. */
interface TermsSettings {
  readonly brand: string
  readonly errors: { readonly docs: string; readonly topup?: string }
  readonly server: { readonly consoleUrl?: string }
}

export const errorTermsOf = ({ brand, errors, server }: TermsSettings): ErrorTerms => ({
  brand,
  links: { docs: errors.docs, topup: errors.topup, console: server.consoleUrl },
})
