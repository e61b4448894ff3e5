import type { Commit, Millis } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { AnswerReader, StreamReading } from '../../wire/answer-reader.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { NativeStreamReader } from '../../wire/native/native-stream.ts'
import type { ChunkTerms } from '../../wire/openai/chunk.ts'
import type { StreamWanted } from '../../wire/openai/request.ts'
import { StreamReader } from '../../wire/openai/stream.ts'
import type { DeltaReader } from '../../wire/tools/delta-reader.ts'
import type { BackendHead, Client, Clock } from '../ports.ts'
import { type AttemptPorts, openAttempt, type Target } from '../upstream/attempt.ts'
import {
  type AnswerEnd,
  causeOf,
  type EndedAnswer,
  errorIn,
  type Failed,
  type Outcome,
  ofError,
  type Rejected,
  type Work,
} from '../upstream/outcome.ts'
import type { TokenSurplus } from '../upstream/token-surplus.ts'
import { BackendAnswer } from './backend-answer.ts'
import { joinTexts, type LiveStream, Outbox, type Sink } from './live-stream.ts'

/** One attempt at a stream. It is answered at its commit; what came before is kept for the sink. */
export function attemptStream(
  ports: AttemptPorts,
  target: Target,
  terms: StreamWanted,
  client: Client,
): Promise<Outcome<AnswerStream>> {
  const stream = new AnswerStream(ports.clock, target, terms)
  return stream.start(openAttempt(ports, target, stream), client)
}

/** A backend that said it is done gets this long to end its response, so that the connection can be used again. */
const LINGER: Millis = 1000
/** How long to wait for the usage event after the last choice finished. */
const USAGE_WAIT: Millis = 5000
/**
 * A backend that sent any byte so recently is alive, and may go on without content until the longest life. Comments come
 * every 15 s, this gateway's own as well; a second is for their way.
 */
const LIFE: Millis = 16_000
const LONGEST_LIFE: Millis = 600_000
/** The pieces of a JSON answer in place of a stream that are read for the reason in it. */
const MAX_JSON_PIECES = 64

/**
 * A stream of a backend, with the life of a BackendAnswer: it is passed on from its first content, or once it is whole,
 * as its model commits. It also keeps a read state:
 *
 *   reading   head of JSON   every choice has finished   [DONE]         error event   malformed event   bytes end
 *   events    json           usage                       fail           fail          fail or skip      fail
 *   usage     –              –                           conclude well  fail          conclude well     conclude well
 *   json      –              –                           –              –             –                 fail
 *
 * In `usage` only the usage and the marker are missing, which need not come: it ended well, unless the backend calls it an
 * error. A malformed event within prose is skipped: such an answer ends well only where the usage comes, and counts no
 * more than what was sent.
 */
export class AnswerStream extends BackendAnswer<AnswerStream> implements LiveStream {
  /** Set for a round of an answer with hosted tools. */
  readonly deltas: DeltaReader | undefined
  readonly native: NativeStreamReader | undefined
  readonly #commit: Commit
  readonly #reader: AnswerReader
  readonly #surplus: TokenSurplus
  #reading: 'events' | 'usage' | 'json' = 'events'
  readonly #inbox = new Inbox(() => this.#take())
  readonly #outbox = new Outbox(joinTexts)
  /** What came in place of events. */
  readonly #json: Buffer[] = []

  constructor(clock: Clock, target: Omit<Target, 'body'>, terms: StreamWanted) {
    super(clock, target.settings)
    this.#commit = target.commit
    const { usageWanted, choices, thoughtsApart, maySkip = false } = terms
    const { model } = target.pool
    const id = answerId(target.requestId)
    const created = Math.floor(clock.now() / 1000)
    this.deltas = terms.deltas?.({ model, id, created })
    const chunks: Mutable<ChunkTerms> = { model, id, created, usageWanted }
    if (this.deltas) chunks.deltas = this.deltas
    // After a broken event before any content that the client saw, the next replica is tried.
    this.native = target.native && new NativeStreamReader(target.native, maySkip)
    const translator = () => dialectOf(target.pool).translator?.(thoughtsApart)
    this.#reader = this.native ?? new StreamReader(chunks, choices, translator(), maySkip)
    this.#surplus = target.surplus
    this.deadlines.after(target.streamTime, () => this.giveUp({ ...this.failure('stream timeout'), ...PATIENCE_LOST }))
  }

  attach(sink: Sink<string>): void {
    this.#outbox.attach(sink)
  }

  override resume(): void {
    this.isPaused = false
    this.#take()
    if (!this.isPaused) super.resume()
  }

  override abort(): EndedAnswer {
    this.#outbox.detach()
    return super.abort()
  }

  clientLeft(): Promise<EndedAnswer> {
    if (this.state !== 'passing' || !this.#reader.finished) return Promise.resolve(this.abort())
    return new Promise(resolve => {
      this.#outbox.attach({ write: () => {}, end: resolve })
      this.resume()
    })
  }

  data(bytes: Buffer): void {
    if (this.#reading !== 'json') {
      this.#inbox.add(bytes)
      return
    }
    this.#json.push(bytes)
    if (this.#json.length > MAX_JSON_PIECES) this.giveUp(this.failure('not an event stream'))
  }

  end(): void {
    if (this.#reading === 'json' && this.state !== 'over') this.giveUp(this.#ofJson(Buffer.concat(this.#json)))
    this.#takeAll()
    if (this.state !== 'over') this.#read(this.#reader.end())
    if (this.state !== 'over') this.#finish('ended without a finish')
    this.deadlines.callOff()
  }

  broken(cause: string): void {
    this.#takeAll()
    if (this.state !== 'over') this.#finish(cause)
  }

  work(): Work {
    const { outputBytes, tokens, least } = this.#reader
    return { outputBytes, tokens, least }
  }

  protected override onSent(): void {
    const { headersTimeout, firstContentTimeout } = this.settings
    this.heardAt = this.clock.elapsed()
    this.deadlines.after(headersTimeout, () => this.state !== 'sent' || this.late('headers timeout'))
    this.#watchFirstContent(firstContentTimeout, this.heardAt)
    this.watchSilence()
  }

  /**
   * Gives up an attempt that brings no content. A backend that shows life, be it by comments, is waited for longer than a
   * silent one.
   */
  #watchFirstContent(time: Millis, sentAt: Millis): void {
    this.deadlines.after(time, () => {
      if (this.#reader.started) return
      const now = this.clock.elapsed()
      const { firstContentTimeout } = this.settings
      const lives = this.heardAt + Math.min(LIFE, firstContentTimeout) - now
      const left = Math.min(lives, sentAt + Math.max(LONGEST_LIFE, firstContentTimeout) - now)
      if (left > 0) this.#watchFirstContent(left, sentAt)
      else this.late('first content timeout')
    })
  }

  protected override onHeaded({ contentType }: BackendHead): void {
    if (/^application\/json\b/i.test(contentType)) this.#reading = 'json'
    else if (!/^text\/event-stream\b/i.test(contentType)) this.giveUp(this.failure('not an event stream'))
  }

  protected override onConcluded(ending: EndedAnswer): void {
    this.#outbox.end(ending)
  }

  /** Before the first content other deadlines rule: a model may think long before it speaks. */
  protected override get isSilenceCounted(): boolean {
    return this.#reader.started
  }

  protected override late(cause: string): void {
    if (this.state === 'over') return
    this.abortExchange()
    this.#finish(cause)
  }

  protected override endingOf(how: AnswerEnd, cause: string): EndedAnswer {
    const { usage, outputBytes, tokens, least, hasReported, skippedEvents } = this.#reader
    const ending: Mutable<EndedAnswer> = { how, cause, outputBytes, tokens }
    if (skippedEvents > 0) ending.skippedEvents = skippedEvents
    if (how === 'well' && usage) ending.usage = usage
    // A usage that came before the last of the answer counts a part of it, also where the answer ended well.
    else if (how !== 'well' || hasReported) ending.least = least
    return ending
  }

  /** Reads what came, as far as the client takes it. */
  #take(): void {
    this.heardAt = this.clock.elapsed()
    try {
      while (!this.isPaused && this.#takeNext());
    } catch (error) {
      // No stream may end another one.
      this.giveUp(this.failure(error instanceof Error ? causeOf(error) : 'error'))
    }
  }

  /** Nothing more comes: what is left is read whether it is taken or not. */
  #takeAll(): void {
    while (this.#takeNext());
  }

  /** False when there is nothing left, or it is of no use any more. */
  #takeNext(): boolean {
    if (this.state === 'over') this.#inbox.clear()
    const bytes = this.#inbox.next()
    if (bytes) this.#read(this.#reader.read(bytes))
    return bytes !== undefined
  }

  #read({ events, stop }: StreamReading): void {
    if (events !== '' && !this.#outbox.write(events)) this.giveUp(this.failure('answer too large'))
    // What is passed on is counted as far as its client has not taken it.
    if (this.#outbox.held > 0) this.keep(this.#outbox.held, events.length)
    if (this.state === 'headed' && this.#commit === 'first_content' && this.#reader.shows) this.commit(this)
    if (stop?.kind === 'done') this.#done()
    else if (stop?.kind === 'broken') this.late(stop.cause)
    else if (stop) this.giveUp(ofError(stop.error, this.work()))
    else if (this.#reading === 'events' && this.#reader.finished) this.#waitForUsage()
  }

  /** A JSON body in place of a stream may contain the error. */
  #ofJson(bytes: Buffer): Failed | Rejected {
    const error = errorIn(bytes)
    return error === undefined ? this.failure('not an event stream') : ofError(error, this.work())
  }

  #waitForUsage(): void {
    this.#reading = 'usage'
    this.deadlines.after(USAGE_WAIT, () => this.late('silence'))
  }

  #done(): void {
    if (this.#reader.finished) {
      this.#finish('')
      this.deadlines.after(LINGER, () => this.abortExchange())
    } else this.giveUp(this.failure(this.#reader.started ? 'ended without a finish' : 'empty answer'))
  }

  /** Nothing more comes. A backend that finished every choice ended well, however its connection ended. */
  #finish(cause: string): void {
    if (!this.#reader.finished) return void this.fail(this.failure(cause))
    if (this.state === 'over') return
    if (!this.#reader.isWhole(this.#surplus.least)) return void this.fail(this.failure('malformed event'))
    const { surplus, heldEvents } = this.#reader
    if (surplus !== undefined) this.#surplus.learn(surplus)
    if (heldEvents !== '') this.#outbox.write(heldEvents)
    this.commit(this)
    this.conclude('well')
  }
}

/** The id of an answer whose backend gave it none. */
export const answerId = (requestId: string): string => `chatcmpl-${requestId}`

/** The time for the whole stream is over: no replica is at fault, and no time is left for another attempt. */
const PATIENCE_LOST = { blame: 'none', next: 'nothing' } as const

/** What is read at once, so that a client which takes no more has little waiting for it. */
const PIECE_BYTES = 8192

/**
 * What came of a stream and is not read yet. Backends send each event by itself, but many of them come together: those
 * are to be read and passed on together.
 */
class Inbox {
  readonly #read: () => void
  #waiting: Buffer[] = []
  #bytes = 0
  #isDue = false

  /** `read` is to take what waits: at the end of this turn of the loop, or as soon as there is a piece of it. */
  constructor(read: () => void) {
    this.#read = read
  }

  add(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#bytes += bytes.length
    // Who takes no more must say so before all of what the socket had is here.
    if (this.#bytes >= PIECE_BYTES) this.#read()
    else if (!this.#isDue) {
      this.#isDue = true
      process.nextTick(() => {
        this.#isDue = false
        this.#read()
      })
    }
  }

  /** The next piece, if there is any. */
  next(): Buffer | undefined {
    const all = this.#waiting.length > 1 ? Buffer.concat(this.#waiting) : this.#waiting[0]
    this.clear()
    if (!all || all.length <= PIECE_BYTES) return all
    const rest = all.subarray(PIECE_BYTES)
    this.#waiting.push(rest)
    this.#bytes = rest.length
    return all.subarray(0, PIECE_BYTES)
  }

  clear(): void {
    this.#waiting = []
    this.#bytes = 0
  }
}
