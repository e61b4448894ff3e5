import type { Denial } from '../../policy/denial.ts'
import type { StreamError } from '../client-dialect.ts'
import { type AnyDenial, errorCodes } from './codes.ts'
import { backendReason, wordsOf } from './error-words.ts'
import { type DeniedAnswer, type ErrorForm, openaiForm, specForm } from './forms.ts'
import { reasonPhrase } from './reason-phrase.ts'
import type { Answer, ErrorTerms } from './texts.ts'

/** The one place where a denial becomes an answer, in the form that its client reads. */
export function renderDenial(denial: AnyDenial, terms: ErrorTerms, form: ErrorForm = specForm): ErrorAnswer {
  const { code } = denial
  const { brand, requestId } = terms
  const answer = answerOf(denial, terms)
  const of = deniedAnswer(denial, terms, form, answer)
  const { error } = answer.body
  const idHeader = form.headers.requestId
  return {
    status: of.status,
    message: typeof error === 'string' ? error : error.message,
    reason: reasonPhrase(denial, answer.reason ?? errorCodes[code].reason),
    headers: {
      [`x-${brand}-error-code`]: code,
      ...reasonHeader(denial, brand),
      ...(idHeader !== undefined && requestId !== undefined && { [idHeader]: requestId }),
      ...answer.headers,
    },
    body: form.body(of),
  }
}

function deniedAnswer(denial: AnyDenial, terms: ErrorTerms, form: ErrorForm, { body }: Answer): DeniedAnswer {
  const status = form.status(denial, errorCodes[denial.code].status)
  return { denial, status, body, requestId: terms.requestId }
}

/** TypeScript cannot see that a row's `answer` accepts denials of its own code. */
const answerOf = (denial: AnyDenial, terms: ErrorTerms): Answer =>
  (errorCodes[denial.code].answer as (denial: AnyDenial, terms: ErrorTerms) => Answer)(denial, terms)

/** The error with which a stream that has begun ends for a denial, in the form of its dialect. */
export function streamErrorOf(denial: Denial, terms: ErrorTerms): StreamError {
  const status = openaiForm.status(denial, errorCodes[denial.code].status)
  const { message, type, code } = wordsOf(denial, status, answerOf(denial, terms).body)
  return { message, type, code: code ?? denial.code }
}

/** The last event of a stream that fails after its headers went out. */
export function denialEvent(denial: Denial, terms: ErrorTerms, form: ErrorForm = specForm): string {
  return form.lastEvent(deniedAnswer(denial, terms, form, answerOf(denial, terms)))
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
  const status = openaiForm.status(denial, errorCodes[denial.code].status)
  const error = { ...wordsOf(denial, status, answerOf(denial, terms).body), event_id: ids.of ?? null }
  return JSON.stringify({ type: 'error', event_id: ids.id, status, error })
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
