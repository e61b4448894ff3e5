import type { BackendSettings } from '../../config/settings.ts'
import type { Commit, Millis, Pool } from '../../policy/config.ts'
import type { Building } from '../../policy/decision.ts'
import type { InferenceKind } from '../../wire/dialect.ts'
import type { BackendHead, BackendListener, BackendRequest, Cancel, Clock, Exchange, Send } from '../ports.ts'
import { causeOf, type Failed, failedUnread, ofAnswer, ofBreak, type Rejected, type Work } from './outcome.ts'

/** One attempt at one replica. */
export interface Target {
  readonly pool: Pool
  readonly replica: string
  /** On a connection of its own: one that was open turned out to be dead. */
  readonly fresh: boolean
  readonly path: string
  readonly kind: InferenceKind
  readonly body: Buffer
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
  /** After a status other than 200 the reader is called no more. */
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
 * Once the caller has aborted the exchange, neither is called.
 */
export function openAttempt(
  { send, clock }: AttemptPorts,
  target: Target,
  reader: Reader,
  over: (outcome: Rejected | Failed) => void,
): Exchange {
  const { pool, replica, fresh, path, body, requestId, traceparent } = target
  const request: Building<BackendRequest> = { pool: pool.name, replica, fresh, path, body, requestId }
  if (traceparent !== undefined) request.traceparent = traceparent
  return readExchange({ clock, open: listener => send(request, listener), isAnswer }, target, reader, over)
}

const isAnswer = (status: number): boolean => status === 200

/** How an exchange begins, and which statuses are answers. */
export interface Opening {
  readonly clock: Clock
  readonly open: (listener: BackendListener) => Exchange
  readonly isAnswer: (status: number) => boolean
}

/** Keeps the time of an exchange that the caller knows how to open, and calls the reader as openAttempt does. */
export function readExchange(
  opening: Opening,
  target: Pick<Target, 'settings' | 'dispatched'>,
  reader: Reader,
  over: (outcome: Rejected | Failed) => void,
): Exchange {
  return new Attempt(opening, target, reader, over)
}

/** Keeps the time of an exchange, and tells its reader from those who hear that it came to nothing. */
class Attempt implements Exchange, BackendListener {
  readonly #clock: Clock
  readonly #isAnswer: (status: number) => boolean
  #dispatched: (() => void) | undefined
  readonly #reader: Reader
  readonly #over: (outcome: Rejected | Failed) => void
  readonly #exchange: Exchange
  #callOff: Cancel
  #dispatchedAt: Millis | undefined
  #head: BackendHead | undefined
  #answered = false
  #errorBody: Buffer[] | undefined
  #isCut = false

  constructor(
    { clock, open, isAnswer }: Opening,
    { settings, dispatched }: Pick<Target, 'settings' | 'dispatched'>,
    reader: Reader,
    over: (outcome: Rejected | Failed) => void,
  ) {
    this.#clock = clock
    this.#isAnswer = isAnswer
    this.#dispatched = dispatched
    this.#reader = reader
    this.#over = over
    // Our own timer: undici's fire up to a second late.
    this.#callOff = clock.after(settings.connectTimeout, () => this.#giveUp(failedUnread('connect timeout')))
    this.#exchange = open(this)
  }

  pause(): void {
    this.#exchange.pause()
  }

  resume(): void {
    this.#exchange.resume()
  }

  abort(): void {
    this.#callOff()
    this.#exchange.abort()
  }

  connected(): void {
    this.#callOff()
    this.#dispatchedAt = this.#clock.elapsed()
    this.#dispatched?.()
    // It keeps all of the request.
    this.#dispatched = undefined
    this.#reader.sent()
  }

  head(head: BackendHead): void {
    this.#head = head
    this.#answered = this.#isAnswer(head.status)
    if (!this.#answered) this.#callOff = this.#clock.after(ERROR_BODY_TIMEOUT, () => this.#giveUp(this.#answer()))
    this.#reader.head(head.status, head.contentType)
  }

  data(bytes: Buffer): void {
    if (this.#answered) {
      this.#reader.data(bytes)
      return
    }
    this.#errorBody ??= []
    this.#errorBody.push(bytes)
    if (sizeOf(this.#errorBody) <= MAX_ERROR_BYTES) return
    this.#isCut = true
    this.#giveUp(this.#answer())
  }

  end(): void {
    this.#callOff()
    if (this.#answered) this.#reader.end()
    else this.#over(this.#answer())
  }

  failed(error: Error, stale: boolean): void {
    this.#callOff()
    const sentAt = this.#dispatchedAt
    if (this.#answered) this.#reader.failed(causeOf(error))
    else if (this.#head) this.#over(this.#answer())
    else if (sentAt === undefined) this.#over(ofBreak(error, { stale }))
    else {
      const isStale = stale && this.#clock.elapsed() - sentAt <= STALE_WITHIN
      this.#over(ofBreak(error, { stale: isStale, work: this.#reader.work() }))
    }
  }

  #giveUp(outcome: Rejected | Failed): void {
    this.abort()
    this.#over(outcome)
  }

  #answer(): Rejected | Failed {
    const { status = 0, retryAfter } = this.#head ?? {}
    const body = Buffer.concat(this.#errorBody ?? [])
    const answer = { status, body, isCut: this.#isCut, ...(retryAfter !== undefined && { retryAfter }) }
    return ofAnswer(answer, this.#clock.now())
  }
}

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((size, chunk) => size + chunk.length, 0)
