import type { Timeouts } from '../config/settings.ts'
import type { Millis, Pool } from '../policy/config.ts'
import { isObject } from '../wire/body.ts'
import { errorText, parse } from '../wire/chunk.ts'
import type { Clock, Exchange, Send } from './ports.ts'

/** One attempt at one replica. */
export interface Target {
  readonly pool: Pool
  readonly replica: string
  readonly path: string
  readonly body: string
  readonly requestId: string
  readonly timeouts: Timeouts
  /** Runs when the request is on its way. */
  readonly dispatched: () => void
}

export interface AttemptPorts {
  readonly send: Send
  readonly clock: Clock
}

/** How an attempt ended, before anything of it reached the client. */
export type Outcome<A> = { readonly kind: 'answered'; readonly answer: A } | Rejected | Failed | Left

/** The backend found the request itself wrong: no other would take it. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly problem: string
}

/** The client left, and so the attempt was given up. */
export interface Left {
  readonly kind: 'left'
  /** Whether the request was on its way, so that a backend may have worked for it. */
  readonly dispatched: boolean
}

export interface Failed {
  readonly kind: 'failed'
  /** For the operator: `ECONNREFUSED`, `headers timeout`, `status 503`. */
  readonly cause: string
  /** Who is to be left out next: the replica, or the whole pool, as for wrong credentials. */
  readonly blame: 'replica' | 'pool' | 'nobody'
}

export const failed = (cause: string, blame: Failed['blame'] = 'replica'): Failed => ({ kind: 'failed', cause, blame })

/** What becomes of a 200; a reader hears `end` or `failed` last. */
export interface Reader {
  /** The request is on its way. */
  sent(): void
  head(contentType: string): void
  data(bytes: Buffer): void
  end(): void
  failed(cause: string): void
}

/** An error body that is larger tells nobody more. */
const MAX_ERROR_BYTES = 65_536
const ERROR_BODY_TIMEOUT: Millis = 5000

/**
 * Sends one attempt. A 200 goes to the reader; any other end, and a failure before the headers, to `over`.
 * What is still under way when the caller aborts the exchange is told to nobody.
 */
export function openAttempt(
  { send, clock }: AttemptPorts,
  target: Target,
  reader: Reader,
  over: (outcome: Rejected | Failed) => void,
): Exchange {
  const { pool, replica, path, body, requestId, timeouts, dispatched } = target
  let status = 0
  const errorBody: Buffer[] = []
  const giveUp = (outcome: Rejected | Failed) => {
    callOff()
    exchange.abort()
    over(outcome)
  }
  // Our own timer: undici's fire up to a second late.
  let callOff = clock.after(timeouts.connectTimeout, () => giveUp(failed('connect timeout')))
  const exchange = send(
    { pool: pool.name, replica, path, body, requestId },
    {
      connected: () => {
        callOff()
        dispatched()
        reader.sent()
      },
      head: (code, contentType) => {
        status = code
        if (status === 200) reader.head(contentType)
        else callOff = clock.after(ERROR_BODY_TIMEOUT, () => giveUp(statusOutcome(status, Buffer.alloc(0))))
      },
      data: bytes => {
        if (status === 200) reader.data(bytes)
        else if (errorBody.push(bytes) > 0 && sizeOf(errorBody) > MAX_ERROR_BYTES)
          giveUp(statusOutcome(status, Buffer.concat(errorBody)))
      },
      end: () => {
        callOff()
        if (status === 200) reader.end()
        else over(statusOutcome(status, Buffer.concat(errorBody)))
      },
      failed: error => {
        callOff()
        if (status === 200) reader.failed(causeOf(error))
        else over(status === 0 ? failed(causeOf(error), blameOf(error)) : statusOutcome(status, Buffer.alloc(0)))
      },
    },
  )
  return exchange
}

/** Statuses that say the request is wrong, wherever it is sent. */
const REJECTIONS = new Set([400, 413, 422])
/** Statuses that mean our own configuration of the pool is wrong: never the client's fault. */
const MISCONFIGURED = new Set([401, 403, 404])

function statusOutcome(status: number, body: Buffer): Rejected | Failed {
  if (REJECTIONS.has(status)) return { kind: 'rejected', problem: problemIn(body) }
  const cause = `status ${status}`
  if (MISCONFIGURED.has(status) || (status >= 300 && status < 400)) return failed(cause, 'pool')
  return failed(cause, status === 429 ? 'nobody' : 'replica')
}

function problemIn(body: Buffer): string {
  const answer = parse(body.toString('utf8'))
  return errorText(isObject(answer) ? (answer.error ?? answer) : undefined)
}

/** Name resolution and TLS fail alike for every replica of a pool. */
const POOL_ERRORS = /^(ENOTFOUND|EAI_|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO)/

const causeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)
const blameOf = (error: Error): Failed['blame'] => (POOL_ERRORS.test(causeOf(error)) ? 'pool' : 'replica')
const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((size, chunk) => size + chunk.length, 0)
