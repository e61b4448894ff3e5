import type { BackendSettings } from '../../config/settings.ts'
import type { Commit, Millis, Pool } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { InferenceKind } from '../../wire/dialect.ts'
import { unsupportedFieldIn } from '../../wire/errors/unsupported-field.ts'
import { parse } from '../../wire/json-bytes.ts'
import type { NativeDialect } from '../../wire/native/dialect.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { BackendHead, BackendListener, BackendRequest, Cancel, Clock, Exchange, Send } from '../ports.ts'
import type { AnswerWatch } from './answer-watch.ts'
import type { FirstToken } from './first-token.ts'
import type { Measure } from './measure.ts'
import { causeOf, type Failed, failedUnread, ofAnswer, ofBreak, type Rejected, type Work } from './outcome.ts'
import type { TokenSurplus } from './token-surplus.ts'

/** One attempt at one replica. */
export interface Target {
  readonly pool: Pool
  readonly replica: string
  /** Uses a new connection, after a reused one turned out to be dead. */
  readonly fresh: boolean
  readonly path: string
  readonly kind: InferenceKind
  readonly body: Buffer
  /** Set if the answer passes through in the dialect that client and backend share. */
  readonly native?: NativeDialect
  /** Headers of this request only, in addition to those of its pool. */
  readonly headers?: Readonly<Record<string, string>>
  readonly requestId: string
  readonly traceparent?: string
  readonly settings: BackendSettings
  readonly commit: Commit
  /** The tokens that the pool's backends count beyond those they send. */
  readonly surplus: TokenSurplus
  /** The time left for the whole stream. */
  readonly streamTime: Millis
  /** Called when the request has been sent. */
  readonly dispatched: () => void
  /** The output that the answer may have; absent if unbounded. */
  readonly grant?: Grant
  /** Told whether a stream that ended well reported its usage without being asked. */
  readonly usageTold?: (isTold: boolean) => void
  readonly measure?: Measure
  /** Records when a stream is requested, and when its first token arrives. */
  readonly firstToken?: FirstToken
  /** Observes the events of a stream and its end. */
  readonly watch?: AnswerWatch
}

/** The output that an answer was granted. */
export interface Grant {
  /** The output tokens of all choices together. */
  readonly tokens: number
  /** The usage charged to the client for some work. */
  charged(work: Work): Usage
}

export interface AttemptPorts {
  readonly send: Send
  readonly clock: Clock
}

/** Reads the answer of an attempt. It is not called after the exchange was aborted. */
export interface Reader<H extends BackendHead = BackendHead> {
  /** Whether this status means an answer; otherwise the body has the reason. */
  isAnswer(status: number): boolean
  /** The request was sent. */
  sent(): void
  head(head: H): void
  data(bytes: Buffer): void
  /** The answer's bytes end. */
  end(): void
  /** The connection broke before the end. */
  broken(cause: string): void
  /** There is no answer, for this reason. */
  unanswered(outcome: Rejected | Failed): void
  /** The work that the backend may have done so far. */
  work(): Work
}

/** Sends one attempt, and passes its answer to the reader. */
export function openAttempt({ send, clock }: AttemptPorts, target: Target, reader: Reader): Exchange {
  const { pool, replica, fresh, path, body, requestId, traceparent, headers } = target
  const request: Mutable<BackendRequest> = { pool: pool.name, replica, fresh, path, body, requestId }
  if (traceparent !== undefined) request.traceparent = traceparent
  if (headers) request.headers = headers
  return readExchange({ clock, open: listener => send(request, listener) }, target, reader)
}

/** How an exchange begins. */
export interface Opening<H extends BackendHead> {
  readonly clock: Clock
  readonly open: (listener: BackendListener<H>) => Exchange
}

/** Passes the answer of an exchange to a reader; the caller opens the exchange. */
export function readExchange<H extends BackendHead>(
  opening: Opening<H>,
  target: Pick<Target, 'settings' | 'dispatched'>,
  reader: Reader<H>,
): Exchange {
  return new Attempt(opening, target, reader)
}

/** Some errors repeat the whole prompt. */
const MAX_ERROR_BYTES = 262_144
const ERROR_BODY_TIMEOUT: Millis = 5000
/** A reused connection that closes later than this was read from. */
const STALE_WITHIN: Millis = 1000

/** Bounds the time of an exchange until its headers, and of the error body if there is no answer. */
class Attempt<H extends BackendHead> implements Exchange, BackendListener<H> {
  readonly #clock: Clock
  #dispatched: (() => void) | undefined
  readonly #reader: Reader<H>
  readonly #exchange: Exchange
  #callOff: Cancel
  #dispatchedAt: Millis | undefined
  #head: H | undefined
  #answered = false
  #errorBody: Buffer[] | undefined
  #isCut = false

  constructor(
    { clock, open }: Opening<H>,
    { settings, dispatched }: Pick<Target, 'settings' | 'dispatched'>,
    reader: Reader<H>,
  ) {
    this.#clock = clock
    this.#dispatched = dispatched
    this.#reader = reader
    // Uses its own timer, because undici's fire up to a second late.
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
    // The closure holds the whole request.
    this.#dispatched = undefined
    this.#reader.sent()
  }

  head(head: H): void {
    this.#head = head
    this.#answered = this.#reader.isAnswer(head.status)
    if (!this.#answered) this.#callOff = this.#clock.after(ERROR_BODY_TIMEOUT, () => this.#giveUp(this.#answer()))
    this.#reader.head(head)
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
    else this.#reader.unanswered(this.#answer())
  }

  failed(error: Error, stale: boolean): void {
    this.#callOff()
    const sentAt = this.#dispatchedAt
    if (this.#answered) this.#reader.broken(causeOf(error))
    else if (this.#head) this.#reader.unanswered(this.#answer())
    else if (sentAt === undefined) this.#reader.unanswered(ofBreak(error, { stale }))
    else {
      const isStale = stale && this.#clock.elapsed() - sentAt <= STALE_WITHIN
      this.#reader.unanswered(ofBreak(error, { stale: isStale, work: this.#reader.work() }))
    }
  }

  #giveUp(outcome: Rejected | Failed): void {
    this.abort()
    this.#reader.unanswered(outcome)
  }

  #answer(): Rejected | Failed {
    const { status = 0, retry } = this.#head ?? {}
    const body = Buffer.concat(this.#errorBody ?? [])
    const answer = { status, body, isCut: this.#isCut, ...(retry && { retry }) }
    const outcome = ofAnswer(answer, this.#clock.now())
    if (outcome.kind !== 'rejected') return outcome
    const unsupported = unsupportedFieldOf(body)
    return unsupported === undefined ? outcome : { ...outcome, unsupported }
  }
}

const unsupportedFieldOf = (body: Buffer): string | undefined => {
  const text = body.toString('utf8')
  return unsupportedFieldIn(text, parse(text))
}

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((size, chunk) => size + chunk.length, 0)
