import type { AnyDenial } from './codes.ts'
import { overflowWords } from './overflow.ts'
import type { ErrorBody } from './texts.ts'

/**
 * How the body of an error is written: as the specification fixes it (`spec`), as the object of OpenAI for software that
 * reads nothing else (`openai`, and `responses` below /v1/responses), or as Anthropic's (`messages`).
 */
export type ErrorForm = 'spec' | 'openai' | 'responses' | 'messages'

/** What an error says in every form: OpenAI's words for it. */
export interface ErrorWords {
  readonly message: string
  readonly type: string
  /** The field that is wrong. */
  readonly param: string | null
  /** OpenAI's code where it has one, else ours; null where `type` says it all. */
  readonly code: string | null
}

/** The status of a denial in a form: both newer dialects call a model that is not there a 404. */
export function statusIn(form: ErrorForm, denial: AnyDenial, status: number): number {
  if (form === 'spec') return status
  // The specification knows one status for it. Software that reads the others asks 503 again at once, and waits after 429.
  if (denial.code === 'UPSTREAMS_EXHAUSTED' && denial.isBusy) return 429
  return denial.code === 'VALIDATION_ERROR' && denial.reason === NO_MODEL && form !== 'openai' ? 404 : status
}

/** The code of OpenAI for a model that is not there. */
const NO_MODEL = 'model_not_found'

/** The body of a denial in a form, of what it is in the form of the specification. */
export function bodyIn(
  form: ErrorForm,
  denial: AnyDenial,
  status: number,
  body: ErrorBody,
  requestId: string | undefined,
): object {
  if (form === 'spec') return body
  if (form === 'messages') {
    const overflow = denial.code === 'VALIDATION_ERROR' ? denial.overflow : undefined
    const message = overflow ? overflowWords(overflow) : messageWithField(denial, body)
    const error = { type: messagesType(status), message, ...detailsOf(denial) }
    return { type: 'error', error, request_id: requestId ?? null }
  }
  const { error, code: _, ...beside } = body
  const words = form === 'responses' ? inResponses(wordsOf(denial, status, body)) : wordsOf(denial, status, body)
  // SDKs give their users what is in `error`, and nothing beside it.
  return { error: { ...(typeof error === 'object' && error), ...words, ...beside }, code: denial.code }
}

/** Its prompt has another name, and Codex waits as long as a text says in these words. */
export const inResponses = ({ message, param, ...words }: ErrorWords): ErrorWords => ({
  ...words,
  message: message.replace(/\bRetry in (?=\d)/, 'Try again in '),
  param: param === 'messages' ? 'input' : param,
})

/** The same in the object of OpenAI. */
export const wordsOf = (denial: AnyDenial, status: number, body: ErrorBody): ErrorWords => ({
  message: messageOf(denial, body),
  type: typeOf(denial, status),
  param: paramOf(denial),
  code: codeOf(denial),
})

/** A whole sentence stands alone; any other text begins with the field that it is about. */
function messageOf(denial: AnyDenial, body: ErrorBody): string {
  const problem = 'field' in denial && 'problem' in denial ? denial.problem : undefined
  return problem !== undefined && /^[A-Z]/.test(problem) ? problem : messageWithField(denial, body)
}

function messageWithField(denial: AnyDenial, { error }: ErrorBody): string {
  if (denial.code === 'NOT_FOUND' && denial.field) return `${denial.field}: ${denial.problem}`
  return typeof error === 'string' ? error : error.message
}

/** By code of ours; each other code is said by its status. */
const TYPES: Readonly<Partial<Record<AnyDenial['code'], string>>> = {
  NO_AUTH: 'authentication_error',
  INVALID_KEY: 'authentication_error',
  INVALID_TOKEN: 'authentication_error',
  quota_exceeded: 'insufficient_quota',
}

function typeOf(denial: AnyDenial, status: number): string {
  if (denial.code === 'rate_limit_exceeded') return denial.type
  const own = 'backendType' in denial ? denial.backendType : undefined
  if (status === 429) return 'rate_limit_error'
  return own ?? TYPES[denial.code] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
}

function paramOf(denial: AnyDenial): string | null {
  const own = 'param' in denial ? denial.param : undefined
  const field = 'field' in denial ? denial.field : undefined
  return own ?? (field || null)
}

/** Null where OpenAI has none, and `type` says it all. */
const CODES: Readonly<Partial<Record<AnyDenial['code'], string | null>>> = {
  NO_AUTH: 'invalid_api_key',
  INVALID_KEY: 'invalid_api_key',
  INVALID_TOKEN: 'invalid_api_key',
  quota_exceeded: 'insufficient_quota',
  VALIDATION_ERROR: null,
}

function codeOf(denial: AnyDenial): string | null {
  if (denial.code === 'UPSTREAMS_EXHAUSTED' && denial.isBusy) return 'rate_limit_exceeded'
  const own = CODES[denial.code]
  const other = own === undefined ? denial.code : own
  if (!('reason' in denial) || denial.reason === undefined || denial.code === 'APPLY_REFUSED') return other
  // A backend that names a type alone has no code.
  return 'backendType' in denial && denial.reason === denial.backendType ? other : denial.reason
}

/** What Anthropic's library looks for when it keeps a conversation at the server. */
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
