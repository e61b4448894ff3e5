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
  /** `status` is what it came with, where that is not 200. */
  { readonly kind: 'answered'; readonly answer: A; readonly status?: number } | NoAnswer

export type NoAnswer = Rejected | Failed | Left

/** How an answer that had begun ended: no replica is to blame for a client that leaves, or for a time that is over. */
export type AnswerEnd = 'well' | 'failed' | 'left'

/** The backend found the request itself wrong: no other would take it, unless it takes longer prompts. */
export interface Rejected {
  readonly kind: 'rejected'
  /** For the operator. */
  readonly cause: string
  /** For the client, once it is scrubbed. */
  readonly problem: string
  /** The backend's own word for it, such as `context_length_exceeded`. */
  readonly reason?: string
  readonly type?: string
  /** The field that it names. */
  readonly param?: string
  readonly tooLong: boolean
  /** The field that it does not take, whatever its value. */
  readonly unsupported?: string
  /** The kind of the refusal, where it is no 400. */
  readonly as?: 'forbidden' | 'not-found'
}

/** A backend's message for the client, once it is scrubbed. */
export type BackendMessage = Pick<Rejected, 'problem' | 'reason' | 'type' | 'param'>

/** The client left, and so the attempt was given up. */
export interface Left {
  readonly kind: 'left'
  /** The work that a backend may have done for it; absent when the request was not on its way. */
  readonly work?: Work
}

export interface Failed {
  readonly kind: 'failed'
  /** For the operator: `ECONNREFUSED`, `headers timeout`, `status 503`. */
  readonly cause: string
  /** Who may be at fault: the replica, the whole pool, as for wrong credentials, or none of them. */
  readonly blame: 'replica' | 'pool' | 'none'
  /** No request can cause it: breakers count it at once. They count any other only once it is confirmed. */
  readonly sure?: true
  /** The status says that this very request is what cannot be served: where the replica serves others, no third one is tried. */
  readonly isOfRequest?: true
  /** The thing that the pool may lack for all clients, as the status or its code says: an account, its model, or something that a 404 does not name. */
  readonly lacks?: 'account' | 'model' | 'unnamed'
  /** The refusal that it is if the replica serves others; for a 400 without a reason, if all replicas that gave one do. */
  readonly refusal?: Rejected
  /** How its answers differ from what the configuration declares: no replica is to blame, and no time mends it. */
  readonly misfit?: string
  /** The client's message if no other backend answers. */
  readonly message?: BackendMessage
  /** The next try: another replica, another pool, the same replica on a fresh connection, or none. */
  readonly next: 'replica' | 'pool' | 'fresh' | 'nothing'
  /** Whether a pool of one replica may try it once more. */
  readonly again?: boolean
  /** No requests of its kind for a while. */
  readonly pause?: Pause
  /** The work that the backend may have done, which no client is charged for. */
  readonly work?: Work
}

/** How long a replica is left alone. */
export interface Pause {
  readonly time: Millis
  /** The replica said so, by its Retry-After; a 429 without one gets a pause of ours. */
  readonly asked: boolean
  /** Set where it answered a guest, whose accounts cost nothing. */
  readonly isOfGuest?: true
}

/** One attempt that failed before anything of it reached the client, or that was not even made. */
export interface Failure {
  readonly pool: Pool
  readonly cause: string
  readonly misfit?: string
  /** The work that the backend may have done, which no client is charged for. */
  readonly work?: Work
}

/** The known work of a backend, beside reading the prompt. */
export interface Work {
  readonly usage?: Usage
  /** Bytes of what the model said; unknown when a whole answer never came, which may have been all of it. */
  readonly outputBytes?: number
  /** The least tokens that the backend made for a stream. */
  readonly tokens?: number
  /** The usage that the client of a cut answer is charged. */
  readonly least?: LeastUsage
  /** Pieces that are paid for, where their number is known. */
  readonly items?: number
  /** Seconds that the backend worked, where they are paid. */
  readonly seconds?: number
}

/** How an answer that had begun ended, and what the backend has done for it. */
export interface EndedAnswer extends Work {
  /** Events of it that could not be read, and that it went on without. */
  readonly skippedEvents?: number
  readonly how: AnswerEnd
  /** For the operator; empty where it ended well. */
  readonly cause: string
}

/** The end of an answer, as far as it was told. */
export type Ended = Work & Partial<Pick<EndedAnswer, 'cause' | 'skippedEvents'>>

/** Charged where nothing of an answer came: the prompt. */
export const PROMPT_ONLY: LeastUsage = { outputTokens: 0 }

/** Nothing was seen of an answer: its client is charged the prompt, and no picture. */
export const UNSEEN: Work = { least: PROMPT_ONLY, items: 0 }

const READ_ONLY: Work = { outputBytes: 0 }

/** A backend's error in place of an answer. */
export interface ErrorAnswer {
  readonly status: number
  readonly body: Buffer
  /** Whether there was more of it than is read. */
  readonly isCut: boolean
  /** The headers that say when to come again. */
  readonly retry?: RetryHeaders
}

/** Nothing of the request was read. */
export const failedUnread = (cause: string): Failed => ({ ...failed(cause), sure: true })

/** A replica failed, having worked on the request for all that is known. */
export const failed = (cause: string, work?: Work): Failed => ({
  kind: 'failed',
  cause,
  blame: 'replica',
  next: 'replica',
  ...(work && { work }),
})

/** The answers of a pool are not what the configuration declares. */
export const failedToFit = (misfit: string): Failed => ({
  kind: 'failed',
  cause: misfit,
  misfit,
  blame: 'none',
  next: 'pool',
  work: {},
})

/** After a 429 that asked for none. */
const PAUSE: Pause = { time: 1000, asked: false }
/** Statuses that say the request is wrong, wherever it is sent. */
const REJECTIONS = new Set([400, 413, 415, 422])
const NEEDS_REASON = new Set([400, 422])
/** Statuses of those who did not begin to work. */
const UNWORKED = new Set([502, 503, 529])
const AGAIN = new Set([500, 502, 503])
/** Statuses of those who are busy or gone, whatever they are asked. Any other 5xx may be the request's doing. */
const UNAVAILABLE = new Set([408, 502, 503, 504, 529])
/** Statuses that only operators may learn of: about our key, our account, and where the backend is. */
const OURS = new Set([401, 402, 407])

/** The outcome of an answer other than 200. */
export function ofAnswer({ status, body, isCut, retry }: ErrorAnswer, now: EpochMs): Rejected | Failed {
  const text = body.toString('utf8')
  const answer = parse(text)
  const error = readBackendError(answer ?? text)
  const outcome = ofStatus(status, error, pauseIn(retry, now))
  if (!NEEDS_REASON.has(status) || outcome.kind !== 'rejected' || outcome.tooLong) return outcome
  // A backend that judged the request says why, if at length; one that could not read it gives no reason, and another may.
  if (isReason(answer, error) || (isCut && /^[[{]/.test(text)) || (answer === undefined && isSentence(text)))
    return outcome
  const refusal = { ...outcome, problem: error.message ?? 'it gave no reason' }
  return { ...failed(`status ${status} without a reason`), isOfRequest: true, refusal }
}

const isReason = (answer: unknown, { message }: BackendError): boolean => isObject(answer) || message !== undefined

/** Words of its own, rather than those of a proxy's page or of the status. */
const isSentence = (text: string): boolean =>
  !isPage(text) && text.length > 1 && !/^\W*(?:\d{3} )?(?:bad request|unprocessable (?:entity|content))\W*$/i.test(text)

/** The outcome of an error in place of a 200's answer: by its own code, or else as a 500. */
export function ofError(value: unknown, work: Work): Rejected | Failed {
  const error = readBackendError(value)
  const status = isTooLong(error) ? 400 : statusIn(error)
  const outcome = ofStatus(status ?? 500, error, undefined)
  if (outcome.kind === 'rejected') return outcome
  return { ...outcome, cause: eventCause(error), ...(outcome.blame === 'replica' && { work }) }
}

/** Its text is a backend's to write: it may hold anything, and as much of it. */
function eventCause(error: BackendError): string {
  const code = codesOf(error).find(each => typeof each === 'number' || (typeof each === 'string' && PLAIN.test(each)))
  return code === undefined ? 'error event' : `error event ${code}`
}

const PLAIN = /^[A-Za-z0-9_.-]{1,40}$/

/** The error in an answer that is none: `{"error": …}`. */
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

/** The outcome by the error's words, where they say more than the status. */
function ofWords(status: number, error: BackendError, message: BackendMessage): Rejected | Failed | undefined {
  const cause = `status ${status}`
  const empty = emptyAccountIn(error)
  if (empty !== undefined) return { ...POOR, cause: `${cause}: ${empty}` }
  if (REJECTIONS.has(status)) {
    if (saysNoKey(error)) return { ...POOR, cause: `${cause}: the key is refused` }
    return saysNoModel(error) ? undefined : rejected(cause, message, isTooLong(error))
  }
  if (status < 500) return undefined
  // Some call a mistake of the client an error of their own.
  const tooLong = isTooLong(error)
  return tooLong || saysUnservable(message.problem) ? rejected(cause, message, tooLong) : undefined
}

const POOR = { kind: 'failed', blame: 'pool', next: 'pool', lacks: 'account' } as const

const rejected = (cause: string, message: BackendMessage, tooLong: boolean): Rejected => ({
  kind: 'rejected',
  cause,
  ...message,
  // Agents make their history shorter by this word alone.
  ...(tooLong && { reason: 'context_length_exceeded' }),
  tooLong,
})

/** Wrong credentials, address or model, the same for every replica; or this request alone, where others are served. */
function ofPool(status: number, message: BackendMessage, lacks: Failed['lacks']): Failed {
  const cause = `status ${status}`
  const failure: Failed = { kind: 'failed', cause, blame: 'pool', next: 'pool', message, ...(lacks && { lacks }) }
  if (status < 400 || OURS.has(status)) return failure
  const refusal: Rejected = { kind: 'rejected', cause, ...message, tooLong: false, ...AS[status] }
  return { ...failure, refusal }
}

const LACKING: Readonly<Record<number, Failed['lacks']>> = { 401: 'account', 402: 'account', 404: 'unnamed' }

const AS: Readonly<Record<number, Pick<Rejected, 'as'>>> = { 403: { as: 'forbidden' }, 404: { as: 'not-found' } }

/** Its own words for it, as far as they are words. */
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

/** An account without money, whatever the status: OpenAI says it with a 429, and of images with a 400. */
const emptyAccountIn = (error: BackendError): string | undefined =>
  EMPTY_ACCOUNT.find(code => hasCode(error, code)) ?? EMPTY_WORDS.exec(errorText(error))?.[0]
const EMPTY_ACCOUNT = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'billing_error']
/** Anthropic says it with a 400, and in words alone. */
const EMPTY_WORDS = /^Your credit balance is too low/

/** The model is named here, and not by clients. */
const saysNoModel = (error: BackendError): boolean =>
  NO_MODEL.some(code => hasCode(error, code)) ||
  (hasCode(error, 'not_found_error') && /^model: /.test(errorText(error)))
const NO_MODEL = ['model_not_found', 'model_decommissioned', 'DeploymentNotFound']

/** The key is ours. Google and xAI say it with a 400. */
const saysNoKey = (error: BackendError): boolean => NO_KEY.test(errorText(error))
const NO_KEY = /^(?:API key (?:not valid|expired)|Incorrect API key provided)/

/** Name resolution and TLS fail alike for every replica of a pool. */
const POOL_ERRORS = /^(ENOTFOUND|EAI_|ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
/** The connection never stood. */
const CONNECT_ERRORS = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/

/** The outcome of a connection that broke before the headers. */
export function ofBreak(error: Error, { stale, work }: { readonly stale: boolean; readonly work?: Work }): Failed {
  const cause = causeOf(error)
  if (stale) return { kind: 'failed', cause, blame: 'none', next: 'fresh' }
  // Another pool may have a connection that is open.
  if (isOwnFault(cause)) return { kind: 'failed', cause, blame: 'none', next: 'pool' }
  if (POOL_ERRORS.test(cause)) return { kind: 'failed', cause, blame: 'pool', next: 'pool', sure: true }
  if (!work || CONNECT_ERRORS.test(cause)) return failedUnread(cause)
  return { ...failed(cause, work), again: true }
}

/** Whether an attempt was given up because nothing came of it for too long. */
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

/** Errors that come within an answer have no status: these are the types and codes of OpenAI, Anthropic, Google, AWS and DashScope. */
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
