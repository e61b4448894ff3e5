import type { BackendSettings } from '../../config/settings.ts'
import type { Commit, Millis } from '../../policy/config.ts'
import type { Building } from '../../policy/decision.ts'
import { dialectOf } from '../../wire/dialects.ts'
import type { ChunkTerms } from '../../wire/openai/chunk.ts'
import type { StreamWanted } from '../../wire/openai/request.ts'
import { StreamReader, type StreamReading } from '../../wire/openai/stream.ts'
import type { DeltaReader } from '../../wire/tools/delta-reader.ts'
import type { Cancel, Client, Clock, Exchange } from '../ports.ts'
import { Deadlines } from '../timers.ts'
import { type AttemptPorts, openAttempt, type Reader, type Target } from '../upstream/attempt.ts'
import {
  type AnswerEnd,
  causeOf,
  type EndedAnswer,
  errorIn,
  type Failed,
  failed,
  type Outcome,
  ofError,
  type Rejected,
  type Work,
} from '../upstream/outcome.ts'
import { Inbox } from './inbox.ts'
import { joinTexts, type LiveStream, Outbox, type Sink } from './live-stream.ts'

/** The id of an answer whose backend gave it none. */
export const answerId = (requestId: string): string => `chatcmpl-${requestId}`

/** One attempt at a stream. It is answered at its commit; what came before is kept for the sink. */
export function attemptStream(
  ports: AttemptPorts,
  target: Target,
  terms: StreamWanted,
  client: Client,
): Promise<Outcome<AnswerStream>> {
  const stream = new AnswerStream(ports.clock, target, terms)
  stream.begin(openAttempt(ports, target, stream, answering(stream)), target.streamTime, client)
  return stream.answered
}

/** By itself: a function made beside the target would keep its body as long as the stream lives. */
const answering = (stream: AnswerStream) => (outcome: Rejected | Failed) => stream.answer(outcome)

/** A backend that said it is done gets this long to end its response, so that the connection can be used again. */
const LINGER: Millis = 1000
/** How long a stream that said all may take to tell its usage. */
const USAGE_WAIT: Millis = 5000
/** The pieces of a JSON answer in place of a stream that are read for the reason in it. */
const MAX_JSON_PIECES = 64

/** A stream of a backend: silent until its commit, then live until its end. */
export class AnswerStream implements Reader, LiveStream {
  /** Set for a round of an answer with hosted tools. */
  readonly deltas: DeltaReader | undefined
  /** Resolves at its commit, or with why there is none. */
  readonly answered: Promise<Outcome<AnswerStream>>
  readonly #clock: Clock
  readonly #settings: BackendSettings
  readonly #commit: Commit
  readonly #reader: StreamReader
  #resolve: (outcome: Outcome<AnswerStream>) => void = () => {}
  #unwatch: Cancel = () => {}
  readonly #deadlines: Deadlines
  #exchange: Exchange | undefined
  #phase: 'waiting' | 'live' | 'over' = 'waiting'
  readonly #inbox = new Inbox(() => this.#take())
  readonly #outbox = new Outbox(joinTexts)
  /** What came in place of events. */
  #json: Buffer[] | undefined
  #waits = false
  #refused = false
  #dispatched = false
  #headed = false
  #paused = false
  #heardAt: Millis
  #ending: EndedAnswer | undefined

  constructor(clock: Clock, target: Omit<Target, 'body'>, terms: StreamWanted) {
    this.#clock = clock
    this.#deadlines = new Deadlines(clock)
    this.#settings = target.settings
    this.#commit = target.commit
    this.answered = new Promise(resolve => {
      this.#resolve = resolve
    })
    this.#heardAt = clock.elapsed()
    const { usageWanted, choices } = terms
    const { model } = target.pool
    const id = answerId(target.requestId)
    const created = Math.floor(clock.now() / 1000)
    this.deltas = terms.deltas?.({ model, id, created })
    const chunks: Building<ChunkTerms> = { model, id, created, usageWanted }
    if (this.deltas) chunks.deltas = this.deltas
    // After a broken event before any content that the client saw, the next replica is tried.
    this.#reader = new StreamReader(chunks, choices, dialectOf(target.settings).translator?.())
  }

  begin(exchange: Exchange, streamTime: Millis, client: Client): void {
    this.#exchange = exchange
    this.#unwatch = client.onGone(() => this.leave())
    this.#deadlines.after(streamTime, () => this.#give({ ...this.#failed('stream timeout'), ...PATIENCE_LOST }))
  }

  attach(sink: Sink<string>): void {
    this.#outbox.attach(sink)
  }

  pause(): void {
    this.#paused = true
    this.#exchange?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#take()
    if (!this.#paused) this.#exchange?.resume()
  }

  abort(): EndedAnswer {
    this.#exchange?.abort()
    this.#outbox.detach()
    // An answer that is over cannot be cut short any more.
    return this.#ending ?? this.#end('left', 'client gone')
  }

  clientLeft(): Promise<EndedAnswer> {
    if (this.#phase !== 'live' || !this.#reader.finished) return Promise.resolve(this.abort())
    return new Promise(resolve => {
      this.#outbox.attach({ write: () => {}, end: resolve })
      this.resume()
    })
  }

  sent(): void {
    const { headersTimeout, firstContentTimeout, idleTimeout } = this.#settings
    this.#dispatched = true
    this.#heardAt = this.#clock.elapsed()
    this.#deadlines.after(headersTimeout, () => this.#headed || this.#late('headers timeout'))
    this.#deadlines.after(firstContentTimeout, () => this.#reader.started || this.#late('first content timeout'))
    this.#watchSilence(idleTimeout)
  }

  head(status: number, contentType: string): void {
    this.#headed = true
    // Only what was wrong is still to be heard, which has a time of its own.
    if (status !== 200) {
      this.#refused = true
      this.#deadlines.callOff()
    } else if (/^application\/json\b/i.test(contentType)) this.#json = []
    else if (!/^text\/event-stream\b/i.test(contentType)) this.fail('not an event stream')
  }

  data(bytes: Buffer): void {
    if (!this.#json) {
      this.#inbox.add(bytes)
      return
    }
    this.#json.push(bytes)
    if (this.#json.length > MAX_JSON_PIECES) this.fail('not an event stream')
  }

  end(): void {
    if (this.#json && this.#phase !== 'over') this.#give(this.#ofJson(Buffer.concat(this.#json)))
    this.#takeAll()
    if (this.#phase !== 'over') this.#read(this.#reader.end())
    if (this.#phase !== 'over') this.#finish('ended without a finish')
    this.#deadlines.callOff()
  }

  failed(cause: string): void {
    this.#takeAll()
    if (this.#phase !== 'over') this.#finish(cause)
  }

  /** The client left before anything was committed. */
  leave(): void {
    this.#exchange?.abort()
    this.answer({ kind: 'left', ...(this.#dispatched && !this.#refused && { work: this.work() }) })
  }

  /** Gives the stream up: as a failed attempt while nothing is committed, as a cut stream after that. */
  fail(cause: string): void {
    this.#give(this.#failed(cause))
  }

  /** Tells, once, how the attempt came out. */
  answer(outcome: Outcome<AnswerStream>): void {
    if (this.#phase !== 'waiting') return
    this.#phase = outcome.kind === 'answered' ? 'live' : 'over'
    if (this.#phase === 'over') this.#deadlines.callOff()
    this.#unwatch()
    this.#resolve(outcome)
  }

  #give(failure: Failed | Rejected): void {
    if (this.#phase === 'over') return
    this.#exchange?.abort()
    if (this.#phase === 'waiting') this.answer(failure)
    else if (failure.kind === 'rejected') this.#end('failed', 'error event')
    else this.#end(failure.next === 'nothing' ? 'left' : 'failed', failure.cause)
  }

  /** Reads what came, as far as the client takes it. */
  #take(): void {
    this.#heardAt = this.#clock.elapsed()
    try {
      while (!this.#paused && this.#takeNext());
    } catch (error) {
      // No stream may end another one.
      this.fail(error instanceof Error ? causeOf(error) : 'error')
    }
  }

  /** Nothing more comes: what is left is read whether it is taken or not. */
  #takeAll(): void {
    while (this.#takeNext());
  }

  /** False when there is nothing left, or it is of no use any more. */
  #takeNext(): boolean {
    if (this.#phase === 'over') this.#inbox.clear()
    const bytes = this.#inbox.next()
    if (bytes) this.#read(this.#reader.read(bytes))
    return bytes !== undefined
  }

  #read({ events, stop }: StreamReading): void {
    if (events !== '' && !this.#outbox.write(events)) this.fail('answer too large')
    if (this.#commit === 'first_content' && this.#reader.shows) this.answer({ kind: 'answered', answer: this })
    if (stop?.kind === 'done') this.#done()
    else if (stop?.kind === 'broken') this.#late(stop.cause)
    else if (stop) this.#give(ofError(stop.error, this.work()))
    else if (this.#reader.finished) this.#waitForUsage()
  }

  /** What is said instead of a stream may say why there is none. */
  #ofJson(bytes: Buffer): Failed | Rejected {
    const error = errorIn(bytes)
    return error === undefined ? this.#failed('not an event stream') : ofError(error, this.work())
  }

  /** All was said, but for the usage and the marker, which need not come. */
  #waitForUsage(): void {
    if (this.#waits) return
    this.#waits = true
    this.#deadlines.after(USAGE_WAIT, () => this.#late('silence'))
  }

  /** Nothing more is waited for. */
  #late(cause: string): void {
    if (this.#phase === 'over') return
    this.#exchange?.abort()
    this.#finish(cause)
  }

  #done(): void {
    if (!this.#reader.finished) this.fail(this.#reader.started ? 'ended without a finish' : 'empty answer')
    else {
      this.#finish('')
      this.#deadlines.after(LINGER, () => this.#exchange?.abort())
    }
  }

  /** Nothing more comes. A backend that finished every choice ended well, however its connection ended. */
  #finish(cause: string): void {
    const { finished } = this.#reader
    if (finished) this.answer({ kind: 'answered', answer: this })
    if (this.#phase === 'waiting') this.answer(this.#failed(cause))
    else if (finished) this.#end('well')
    else this.#end('failed', cause)
  }

  #end(how: AnswerEnd, cause = ''): EndedAnswer {
    this.#deadlines.callOff()
    this.#phase = 'over'
    const { usage, outputBytes, tokens, least, hasReported } = this.#reader
    const ending: Building<EndedAnswer> = { how, cause, outputBytes, tokens }
    if (how === 'well' && usage) ending.usage = usage
    // A usage that came before the last of the answer counts a part of it, also where the answer ended well.
    else if (how !== 'well' || hasReported) ending.least = least
    this.#ending = ending
    this.#outbox.end(ending)
    return ending
  }

  work(): Work {
    const { outputBytes, tokens, least } = this.#reader
    return { outputBytes, tokens, least }
  }

  #failed(cause: string): Failed {
    return failed(cause, this.#dispatched ? this.work() : undefined)
  }

  #watchSilence(time: Millis): void {
    const { idleTimeout } = this.#settings
    this.#deadlines.after(time, () => {
      // Before the first content the other timers rule: a model may think long before it speaks.
      const silent = this.#paused || !this.#reader.started ? 0 : this.#clock.elapsed() - this.#heardAt
      const left = idleTimeout - silent
      if (left > 0) this.#watchSilence(left)
      else this.#late('silence')
    })
  }
}

/** The time for the whole stream is over: no replica is at fault, and no time is left for another attempt. */
const PATIENCE_LOST = { blame: 'nobody', next: 'nothing' } as const
