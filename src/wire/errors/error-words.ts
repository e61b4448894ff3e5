import type { AnyDenial } from './codes.ts'
import type { ErrorBody } from './texts.ts'

/** The words of an error in every form: OpenAI's. */
export interface ErrorWords {
  readonly message: string
  readonly type: string
  /** The field that is wrong. */
  readonly param: string | null
  /** OpenAI's code where it has one, else ours; null where `type` says it all. */
  readonly code: string | null
}

/** A denial in the words of OpenAI. */
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

/** The text of a denial, with its field in front where it has one. */
export function messageWithField(denial: AnyDenial, { error }: ErrorBody): string {
  if (denial.code === 'NOT_FOUND' && denial.field) return `${denial.field}: ${denial.problem}`
  return typeof error === 'string' ? error : error.message
}

/** OpenAI's type for each of our codes; the status decides for the others. */
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

/** Null if OpenAI has none, and `type` is sufficient. */
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

/** A backend's code for its refusal: agents shorten their history where it is `context_length_exceeded`. */
export function backendReason(denial: AnyDenial): string | undefined {
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
