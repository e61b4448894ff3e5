import type { BackendSettings } from '../config/settings.ts'
import type { Commit, Millis, Pool } from '../policy/config.ts'
import { causeOf, type Failed, failed, ofAnswer, ofBreak, type Rejected, type Work } from './outcome.ts'
import type { BackendListener, Clock, Exchange, Send } from './ports.ts'

/** One attempt at one replica. */
export interface Target {
  readonly pool: Pool
  readonly replica: string
  /** On a connection of its own: one that was open turned out to be dead. */
  readonly fresh: boolean
  readonly path: string
  readonly body: string
  readonly requestId: string
  readonly traceparent?: string
  readonly settings: BackendSettings
  readonly commit: Commit
  /** What is left of the time for the whole stream. */
  readonly streamTime: Millis
  /** Runs when the request is on its way. */
  readonly dispatched: () => void
}

export interface AttemptPorts {
  readonly send: Send
  readonly clock: Clock
}

/** What becomes of an answer; of a 200 a reader hears `end` or `failed` last. */
export interface Reader {
  /** The request is on its way. */
  sent(): void
  /** Of what is no 200 nothing more is heard. */
  head(status: number, contentType: string): void
  data(bytes: Buffer): void
  end(): void
  failed(cause: string): void
  /** What the backend may have done by now. */
  work(): Work
}

/** Some repeat all of a prompt in what is wrong with it. */
const MAX_ERROR_BYTES = 262_144
const ERROR_BODY_TIMEOUT: Millis = 5000
/** A connection that was kept open and ends later than this has been read from. */
const STALE_WITHIN: Millis = 1000

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
  const { pool, replica, fresh, path, body, requestId, traceparent } = target
  const traced = traceparent === undefined ? {} : { traceparent }
  const open = (listener: BackendListener) =>
    send({ pool: pool.name, replica, fresh, path, body, requestId, ...traced }, listener)
  return readExchange({ clock, open, isAnswer: status => status === 200 }, target, reader, over)
}

/** How an exchange begins, and which statuses are answers. */
export interface Opening {
  readonly clock: Clock
  readonly open: (listener: BackendListener) => Exchange
  readonly isAnswer: (status: number) => boolean
}

/** The same of an exchange that is opened in whatever way. */
export function readExchange(
  { clock, open, isAnswer }: Opening,
  target: Pick<Target, 'settings' | 'dispatched'>,
  reader: Reader,
  over: (outcome: Rejected | Failed) => void,
): Exchange {
  const { settings } = target
  let dispatchedAt: Millis | undefined
  let head: { readonly status: number; readonly retryAfter?: string } | undefined
  const isAnswered = () => head !== undefined && isAnswer(head.status)
  let isCut = false
  const errorBody: Buffer[] = []
  const answer = () => ofAnswer({ status: 0, ...head, body: Buffer.concat(errorBody), isCut }, clock.now())
  const giveUp = (outcome: Rejected | Failed) => {
    callOff()
    exchange.abort()
    over(outcome)
  }
  // Our own timer: undici's fire up to a second late.
  let callOff = clock.after(settings.connectTimeout, () => giveUp(failed('connect timeout')))
  const exchange = open({
    connected: () => {
      callOff()
      dispatchedAt = clock.elapsed()
      target.dispatched()
      reader.sent()
    },
    head: ({ status, contentType, retryAfter }) => {
      head = { status, ...(retryAfter !== undefined && { retryAfter }) }
      if (!isAnswer(status)) callOff = clock.after(ERROR_BODY_TIMEOUT, () => giveUp(answer()))
      reader.head(status, contentType)
    },
    data: bytes => {
      if (isAnswered()) reader.data(bytes)
      else if (errorBody.push(bytes) > 0 && sizeOf(errorBody) > MAX_ERROR_BYTES) {
        isCut = true
        giveUp(answer())
      }
    },
    end: () => {
      callOff()
      if (isAnswered()) reader.end()
      else over(answer())
    },
    failed: (error, stale) => {
      callOff()
      if (isAnswered()) reader.failed(causeOf(error))
      else if (head) over(answer())
      else if (dispatchedAt === undefined) over(ofBreak(error, { stale }))
      else over(ofBreak(error, { stale: stale && clock.elapsed() - dispatchedAt <= STALE_WITHIN, work: reader.work() }))
    },
  })
  return {
    pause: () => exchange.pause(),
    resume: () => exchange.resume(),
    abort: () => {
      callOff()
      exchange.abort()
    },
  }
}

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((size, chunk) => size + chunk.length, 0)
