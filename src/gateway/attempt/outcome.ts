import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { type BackendError, errorInAnswer, errorText, isPage, readBackendError } from '../../wire/backend-error.ts'
import { saysTooLong, saysUnservable } from '../../wire/errors/overflow.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { type RetryHeaders, readRetryAfter } from '../../wire/retry-after.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import { isOwnFault } from '../own-faults.ts'

/** How an attempt ended, before anything of it reached the client. The table is in docs/failover.md. */
export type Outcome<A> =
  /** `status` is set if it is not 200. */
  { readonly kind: 'answered'; readonly answer: A; readonly status?: number } | NoAnswer

export type NoAnswer = Rejected | Failed | Left

/** How an answer that had begun ended. No replica is to blame if the client left or the time ran out. */
export type AnswerEnd = 'well' | 'failed' | 'left'

/** The backend judged the request itself invalid: no other pool would accept it, except one for longer prompts. */
export interface Rejected {
  readonly kind: 'rejected'
  /** For the operator. */
  readonly cause: string
  /** For the client, after scrubbing. */
  readonly problem: string
  /** The backend's own code, such as `context_length_exceeded`. */
  readonly reason?: string
  readonly type?: string
  /** The field that it names. */
  readonly param?: string
  readonly tooLong: boolean
  /** The field that it refuses, whatever its value. */
  readonly unsupported?: string
  /** The kind of the refusal, unless it is a 400. */
  readonly as?: 'forbidden' | 'not-found'
}

/** A backend's message for the client, after scrubbing. */
export type BackendMessage = Pick<Rejected, 'problem' | 'reason' | 'type' | 'param'>

/** The client left, so the attempt was given up. */
export interface Left {
  readonly kind: 'left'
  /** The work that a backend may have done for it; absent if the request was never sent. */
  readonly work?: Work
}

export interface Failed {
  readonly kind: 'failed'
  /** For the operator: `ECONNREFUSED`, `headers timeout`, `status 503`. */
  readonly cause: string
  /** Who may be at fault: the replica; the whole pool, for example for wrong credentials; or neither. */
  readonly blame: 'replica' | 'pool' | 'none'
  /** No request can cause this failure, so breakers count it at once. They count any other only once confirmed. */
  readonly sure?: true
  /** The status blames this request: if the replica serves others, no third one is tried. */
  readonly isOfRequest?: true
  /**
   * Something that the pool may lack for all clients, according to the status or its code: an account, its model, or
   * something that a 404 does not name.
   */
  readonly lacks?: 'account' | 'model' | 'unnamed'
  /**
   * The refusal to return if the replica serves other requests; for a 400 without a reason, if all replicas that
   * refused do.
   */
  readonly refusal?: Rejected
  /** How its answers differ from the configuration: no replica is to blame, and waiting does not help. */
  readonly misfit?: string
  /** The client's message if no other backend answers. */
  readonly message?: BackendMessage
  /** The next try: another replica, another pool, the same replica on a new connection, or nothing. */
  readonly next: 'replica' | 'pool' | 'fresh' | 'nothing'
  /** Whether a pool with one replica may try it again. */
  readonly again?: boolean
  /** How long to send no requests of this kind. */
  readonly pause?: Pause
  /** The work that the backend may have done, which no client is charged for. */
  readonly work?: Work
}

/** How long a replica is left alone. */
export interface Pause {
  readonly time: Millis
  /** Whether the replica asked for it with Retry-After; a 429 without one gets a default pause. */
  readonly asked: boolean
  /** Set if it answered a guest, whose account is free. */
  readonly isOfGuest?: true
}

/** One attempt that failed before its answer reached the client, or that was never made. */
export interface Failure {
  readonly pool: Pool
  readonly cause: string
  readonly misfit?: string
  /** The work that the backend may have done, which no client is charged for. */
  readonly work?: Work
}

/** The known work of a backend, except reading the prompt. */
export interface Work {
  readonly usage?: Usage
  /** The bytes of output; unknown if a whole answer never arrived, which may have been complete. */
  readonly outputBytes?: number
  /** A lower bound of the tokens generated for a stream. */
  readonly tokens?: number
  /** The usage charged to the client of a cut answer. */
  readonly least?: LeastUsage
  /** The number of charged items, if known. */
  readonly items?: number
  /** The seconds that the backend worked, if charged. */
  readonly seconds?: number
}

/** How an answer that had begun ended, and the work of its backend. */
export interface EndedAnswer extends Work {
  /** The number of malformed events that were skipped. */
  readonly skippedEvents?: number
  readonly how: AnswerEnd
  /** For the operator; empty if it ended well. */
  readonly cause: string
}

/** The end of an answer, as far as known. */
export type Ended = Work & Partial<Pick<EndedAnswer, 'cause' | 'skippedEvents'>>

/** The charge if no part of an answer arrived: the prompt. */
export const PROMPT_ONLY: LeastUsage = { outputTokens: 0 }

/** The work of an answer of which nothing was seen: its client is charged the prompt, and no image. */
export const UNSEEN: Work = { least: PROMPT_ONLY, items: 0 }

const READ_ONLY: Work = { outputBytes: 0 }

/** A backend's error instead of an answer. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: Buffer
  /** Whether it was longer than the gateway reads. */
  readonly isCut: boolean
  /** The headers that say when to retry. */
  readonly retry?: RetryHeaders
}

/** The backend read nothing of the request. */
export const failedUnread = (cause: string): Failed => ({ ...failed(cause), sure: true })

/** A replica failed, and may have worked on the request. */
export const failed = (cause: string, work?: Work): Failed => ({
  kind: 'failed',
  cause,
  blame: 'replica',
  next: 'replica',
  ...(work && { work }),
})

/** The answers of a pool contradict the configuration. */
export const failedToFit = (misfit: string): Failed => ({
  kind: 'failed',
  cause: misfit,
  misfit,
  blame: 'none',
  next: 'pool',
  work: {},
})

/** The pause after a 429 without one. */
const PAUSE: Pause = { time: 1000, asked: false }
/** Statuses that mean the request is invalid everywhere. */
const REJECTIONS = new Set([400, 413, 415, 422])
const NEEDS_REASON = new Set([400, 422])
/** Statuses of backends that did not start to work. */
const UNWORKED = new Set([502, 503, 529])
const AGAIN = new Set([500, 502, 503])
/** Statuses of backends that are busy or gone, whatever the request. Any other 5xx may be caused by the request. */
const UNAVAILABLE = new Set([408, 502, 503, 504, 529])
/** Statuses that only operators may see: about the pool's key or account, and where the backend is. */
const OURS = new Set([401, 402, 407])

/** The outcome of an answer other than 200. */
export function ofAnswer({ status, body, isCut, retry }: ErrorAnswer, now: EpochMs): Rejected | Failed {
  const text = body.toString('utf8')
  const answer = parse(text)
  const error = readBackendError(answer ?? text)
  const outcome = ofStatus(status, error, pauseIn(retry, now))
  if (!NEEDS_REASON.has(status) || outcome.kind !== 'rejected' || outcome.tooLong) return outcome
  // A backend that judged the request gives a reason, perhaps at length. One that could not read it gives none, and
  // another may.
  if (isReason(answer, error) || (isCut && /^[[{]/.test(text)) || (answer === undefined && isSentence(text)))
    return outcome
  const refusal = { ...outcome, problem: error.message ?? 'it gave no reason' }
  return { ...failed(`status ${status} without a reason`), isOfRequest: true, refusal }
}

const isReason = (answer: unknown, { message }: BackendError): boolean => isObject(answer) || message !== undefined

/** A message of the backend's own, rather than that of a proxy's page or of the status. */
const isSentence = (text: string): boolean =>
  !isPage(text) && text.length > 1 && !/^\W*(?:\d{3} )?(?:bad request|unprocessable (?:entity|content))\W*$/i.test(text)

/** The outcome of an error instead of a 200's answer: by its own code, or else as a 500. */
export function ofError(value: unknown, work: Work): Rejected | Failed {
  const error = readBackendError(value)
  const status = isTooLong(error) ? 400 : statusIn(error)
  const outcome = ofStatus(status ?? 500, error, undefined)
  if (outcome.kind === 'rejected') return outcome
  return { ...outcome, cause: eventCause(error), ...(outcome.blame === 'replica' && { work }) }
}

/** A backend writes the text: it may contain anything, at any length. */
function eventCause(error: BackendError): string {
  const code = codesOf(error).find(each => typeof each === 'number' || (typeof each === 'string' && PLAIN.test(each)))
  return code === undefined ? 'error event' : `error event ${code}`
}

const PLAIN = /^[A-Za-z0-9_.-]{1,40}$/

/** The error in a 200 that is not an answer: `{"error": …}`. */
export const errorIn = (bytes: Buffer): unknown => errorInAnswer(parse(bytes.toString('utf8')))

function ofStatus(status: number, error: BackendError, pause: Pause | undefined): Rejected | Failed {
  const cause = `status ${status}`
  const message = messageOf(error)
  const told = ofWords(status, error, message)
  if (told) return told
  if (status === 429) return { kind: 'failed', cause, blame: 'none', next: 'replica', message, pause: pause ?? PAUSE }
  if (status === 409 || status === 425) return { kind: 'failed', cause, blame: 'none', next: 'replica', message }
  if (status >= 300 && status < 500 && status !== 408)
    return ofPool(status, message, saysNoModel(error) ? 'model' : LACKING[status])
  const isOfRequest = !UNAVAILABLE.has(status) && status >= 500
  return {
    ...failed(cause, UNWORKED.has(status) ? undefined : READ_ONLY),
    again: AGAIN.has(status),
    ...(isOfRequest && { isOfRequest, message }),
    ...(pause !== undefined && { pause }),
  }
}

/** The outcome by the error's message, if that says more than the status. */
function ofWords(status: number, error: BackendError, message: BackendMessage): Rejected | Failed | undefined {
  const cause = `status ${status}`
  const empty = emptyAccountIn(error)
  if (empty !== undefined) return { ...POOR, cause: `${cause}: ${empty}` }
  if (REJECTIONS.has(status)) {
    if (saysNoKey(error)) return { ...POOR, cause: `${cause}: the key is refused` }
    return saysNoModel(error) ? undefined : rejected(cause, message, isTooLong(error))
  }
  if (status < 500) return undefined
  // Some report a client's mistake as an error of their own.
  const tooLong = isTooLong(error)
  return tooLong || saysUnservable(message.problem) ? rejected(cause, message, tooLong) : undefined
}

const POOR = { kind: 'failed', blame: 'pool', next: 'pool', lacks: 'account' } as const

const rejected = (cause: string, message: BackendMessage, tooLong: boolean): Rejected => ({
  kind: 'rejected',
  cause,
  ...message,
  // Agents compact their history only for this code.
  ...(tooLong && { reason: 'context_length_exceeded' }),
  tooLong,
})

/** Wrong credentials, address or model, the same for every replica; or only this request, if others are served. */
function ofPool(status: number, message: BackendMessage, lacks: Failed['lacks']): Failed {
  const cause = `status ${status}`
  const failure: Failed = { kind: 'failed', cause, blame: 'pool', next: 'pool', message, ...(lacks && { lacks }) }
  if (status < 400 || OURS.has(status)) return failure
  const refusal: Rejected = { kind: 'rejected', cause, ...message, tooLong: false, ...AS[status] }
  return { ...failure, refusal }
}

const LACKING: Readonly<Record<number, Failed['lacks']>> = { 401: 'account', 402: 'account', 404: 'unnamed' }

const AS: Readonly<Record<number, Pick<Rejected, 'as'>>> = { 403: { as: 'forbidden' }, 404: { as: 'not-found' } }

/** The backend's own message, if it has one. */
function messageOf(error: BackendError): BackendMessage {
  const [code, type] = codesOf(error).map(each => (typeof each === 'string' && REASON.test(each) ? each : undefined))
  const reason = code ?? type
  const param = typeof error.param === 'string' && FIELD.test(error.param) ? error.param : undefined
  return {
    problem: errorText(error),
    ...(reason !== undefined && { reason }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param }),
  }
}

const REASON = /^[A-Za-z][A-Za-z0-9_.-]{2,63}$/
const FIELD = /^[A-Za-z][A-Za-z0-9_.[\]-]{0,127}$/

/** An account without money, whatever the status: OpenAI reports it with a 429, and for images with a 400. */
const emptyAccountIn = (error: BackendError): string | undefined =>
  EMPTY_ACCOUNT.find(code => hasCode(error, code)) ?? EMPTY_WORDS.exec(errorText(error))?.[0]
const EMPTY_ACCOUNT = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'billing_error']
/** Anthropic reports it with a 400, and only in the message. */
const EMPTY_WORDS = /^Your credit balance is too low/

/** The gateway names the model, not the client. */
const saysNoModel = (error: BackendError): boolean =>
  NO_MODEL.some(code => hasCode(error, code)) ||
  (hasCode(error, 'not_found_error') && /^model: /.test(errorText(error)))
const NO_MODEL = ['model_not_found', 'model_decommissioned', 'DeploymentNotFound']

/** The gateway's key was refused. Google and xAI report that with a 400. */
const saysNoKey = (error: BackendError): boolean => NO_KEY.test(errorText(error))
const NO_KEY = /^(?:API key (?:not valid|expired)|Incorrect API key provided)/

/** Name resolution and TLS fail alike for every replica of a pool. */
const POOL_ERRORS = /^(ENOTFOUND|EAI_|ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
/** The connection was never established. */
const CONNECT_ERRORS = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/

/** The outcome of a connection that broke before the headers. */
export function ofBreak(error: Error, { stale, work }: { readonly stale: boolean; readonly work?: Work }): Failed {
  const cause = causeOf(error)
  if (stale) return { kind: 'failed', cause, blame: 'none', next: 'fresh' }
  // Another pool may have an open connection.
  if (isOwnFault(cause)) return { kind: 'failed', cause, blame: 'none', next: 'pool' }
  if (POOL_ERRORS.test(cause)) return { kind: 'failed', cause, blame: 'pool', next: 'pool', sure: true }
  if (!work || CONNECT_ERRORS.test(cause)) return failedUnread(cause)
  return { ...failed(cause, work), again: true }
}

/** Whether an attempt was given up after too long a silence. */
export const isSilence = (cause: string): boolean => SILENCES.has(cause)
const SILENCES: ReadonlySet<string> = new Set(['headers timeout', 'first content timeout', 'answer timeout', 'silence'])

export const causeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : error.name

const codesOf = ({ code, type }: BackendError): unknown[] => [code, type]
const hasCode = (error: BackendError, code: string): boolean => codesOf(error).includes(code)

const isTooLong = (error: BackendError): boolean =>
  codesOf(error).some(code => typeof code === 'string' && saysTooLong(code)) || saysTooLong(errorText(error))

function statusIn(error: BackendError): number | undefined {
  const { code, status, status_code } = error
  const said = [code, status, status_code].map(Number).find(each => Number.isInteger(each) && each >= 400 && each < 600)
  return said ?? [...codesOf(error), status].map(each => STATUSES.get(each)).find(each => each !== undefined)
}

/**
 * Errors inside an answer have no status: these are the types and codes of OpenAI, Anthropic, Google, AWS and
 * DashScope.
 */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    ...['invalid_prompt', 'invalid_request_error', 'invalid_request', 'bad_request', 'bad_request_error', 'BadRequest'],
    ...['BadRequestError', 'INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'ValidationException'],
    ...['validation_error', 'InvalidParameter', 'invalid_parameter_error', 'content_filter'],
    ...['content_policy_violation', 'DataInspectionFailed', 'data_inspection_failed'],
  ],
  401: ['authentication_error', 'AuthenticationError', 'invalid_api_key', 'InvalidApiKey', 'UNAUTHENTICATED'],
  403: ['permission_error', 'PERMISSION_DENIED', 'AccessDenied', 'AccessDeniedException'],
  404: ['not_found_error', 'NOT_FOUND', 'NotFoundError', 'ResourceNotFoundException'],
  413: ['request_too_large'],
  429: [
    ...['rate_limit_error', 'rate_limit_exceeded', 'RateLimitError', 'RESOURCE_EXHAUSTED', 'ThrottlingException'],
    ...['Throttling', 'Throttling.RateQuota', 'TooManyRequests', 'too_many_requests', 'engine_overloaded_error'],
  ],
  504: ['timeout_error', 'DEADLINE_EXCEEDED'],
  529: ['overloaded_error'],
}

const STATUSES: ReadonlyMap<unknown, number> = new Map(
  Object.entries(CODES).flatMap(([status, codes]) => codes.map(code => [code, Number(status)] as const)),
)

function pauseIn(retry: RetryHeaders | undefined, now: EpochMs): Pause | undefined {
  const time = retry && readRetryAfter(retry, now)
  return time === undefined ? undefined : { time, asked: true }
}
