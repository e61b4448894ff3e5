import { MOST_ANSWER_BYTES } from '../../policy/answer-bytes.ts'
import type { Commit, Millis } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { AnswerReader, StreamReading } from '../../wire/answer-reader.ts'
import type { Dialect } from '../../wire/dialect.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { NativeStreamReader } from '../../wire/native/stream.ts'
import type { ChunkTerms } from '../../wire/openai/chunk.ts'
import type { StreamWanted } from '../../wire/openai/request.ts'
import { StreamReader } from '../../wire/openai/stream.ts'
import type { DeltaReader } from '../../wire/tools/delta-reader.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import { type AttemptPorts, type Grant, openAttempt, type Target } from '../attempt/attempt.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import type { Measure } from '../attempt/measure.ts'
import {
  type AnswerEnd,
  causeOf,
  type EndedAnswer,
  errorIn,
  type Outcome,
  ofError,
  type Work,
} from '../attempt/outcome.ts'
import type { TokenSurplus } from '../attempt/token-surplus.ts'
import type { BackendHead, Client, Clock } from '../ports.ts'
import { BackendAnswer, USAGE_WAIT } from './backend-answer.ts'
import { Inbox } from './inbox.ts'
import { joinTexts, type LiveStream, Outbox, type Sink } from './live-stream.ts'
import { UNCOUNTED_BYTES } from './memory.ts'

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
/**
 * A backend that sent any byte so recently is alive, and may go on without content until the longest life. Comments come
 * every 15 s, this gateway's own as well; a second is for their way.
 */
const LIFE: Millis = 16_000
const LONGEST_LIFE: Millis = 600_000

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
 * more than what was sent. A stream that passes what it was granted is ended here, whatever its backend was told.
 */
export class AnswerStream extends BackendAnswer<AnswerStream> implements LiveStream {
  /** Set for a round of an answer with hosted tools. */
  readonly deltas: DeltaReader | undefined
  readonly native: NativeStreamReader | undefined
  readonly #commit: Commit
  readonly #dialect: Dialect
  readonly #reader: AnswerReader
  readonly #surplus: TokenSurplus
  #reading: 'events' | 'usage' | 'json' = 'events'
  readonly #inbox = new Inbox(() => this.#take())
  readonly #outbox = new Outbox(joinTexts)
  /** JSON that arrived instead of events. */
  readonly #json: Buffer[] = []
  #jsonBytes = 0
  /** Bytes that it kept when they were counted last. */
  #kept = 0
  readonly #takesWhole: boolean
  /** The answer of a backend that did not stream, where that is an answer too. */
  whole: Buffer | undefined
  readonly #grant: Grant | undefined
  readonly #usageTold: Target['usageTold']
  readonly #measure: Measure | undefined
  /** Absent once the first token came. */
  #firstToken: Target['firstToken']
  readonly #watch: Target['watch']
  readonly #choices: number
  #isCut = false
  /** Once the client left: when its backend is stopped, whatever it has told by then. */
  #stopsAt: Millis | undefined

  constructor(clock: Clock, target: Omit<Target, 'body'>, terms: StreamWanted) {
    super(clock, target.settings)
    this.#commit = target.commit
    this.#grant = target.grant
    this.#usageTold = target.usageTold
    this.#measure = target.measure
    this.#firstToken = target.firstToken
    this.#watch = target.watch
    const { usageWanted, choices, thoughtsApart, maySkip = false, takesWhole = false } = terms
    this.#choices = choices
    this.#takesWhole = takesWhole
    const { model } = target.pool
    const id = answerId(target.requestId)
    const created = Math.floor(clock.now() / 1000)
    this.deltas = terms.deltas?.({ model, id, created })
    const chunks: Mutable<ChunkTerms> = { model, id, created, usageWanted }
    if (this.deltas) chunks.deltas = this.deltas
    if (target.pool.provider.facts.finishReason === 'optional') chunks.endsUnfinished = true
    // After a broken event before any content that the client saw, the next replica is tried.
    this.native = target.native && new NativeStreamReader(target.native, maySkip)
    this.#dialect = dialectOf(target.pool)
    this.#reader = this.native ?? new StreamReader(chunks, choices, this.#dialect.translator?.(thoughtsApart), maySkip)
    this.#surplus = target.surplus
    // The time for a whole answer restarts with each attempt.
    if (takesWhole) return
    this.deadlines.after(target.streamTime, () => this.giveUp({ ...this.failure('stream timeout'), ...PATIENCE_LOST }))
  }

  attach(sink: Sink<string>): void {
    this.#outbox.attach(sink)
  }

  get saidBytes(): number {
    return this.#reader.outputBytes
  }

  get keepsSaid(): boolean {
    return this.deltas !== undefined || (!this.native && this.#dialect.translator !== undefined)
  }

  override resume(): void {
    this.isPaused = false
    this.#take()
    if (!this.isPaused) super.resume()
  }

  override abort(): EndedAnswer {
    // Who waits for the usage of an answer that its client left hears of its end.
    if (this.#stopsAt === undefined) this.#outbox.detach()
    return super.abort()
  }

  clientLeft(): Promise<EndedAnswer> {
    if (this.state !== 'passing' || !this.#isWorthWaiting) return Promise.resolve(this.abort())
    return new Promise(resolve => {
      this.#outbox.attach({ write: () => {}, end: resolve })
      this.#stopLater(() => this.abort())
      this.resume()
    })
  }

  override pause(): void {
    this.#measure?.heldUp()
    super.pause()
  }

  data(bytes: Buffer): void {
    if (this.#reading !== 'json') {
      this.#inbox.add(bytes)
      return
    }
    this.#json.push(bytes)
    this.#jsonBytes += bytes.length
    if (this.#jsonBytes <= MOST_ANSWER_BYTES) this.keep(this.#jsonBytes, bytes.length)
    else this.giveUp(this.failure('answer too large'))
  }

  end(): void {
    if (this.#reading === 'json' && this.state !== 'over') this.#endJson(Buffer.concat(this.#json))
    this.#takeAll()
    if (this.state !== 'over') this.#read(this.#reader.end())
    if (this.state !== 'over') this.#finish('ended without a finish', this.#reader.isComplete)
    this.deadlines.callOff()
  }

  broken(cause: string): void {
    this.#takeAll()
    if (this.state !== 'over') this.#finish(cause)
  }

  work(): Work {
    const { outputBytes, tokens } = this.#reader
    return { outputBytes, tokens, least: this.#least }
  }

  /** A backend that may hide its output gets some seconds to report it. */
  protected override clientLeaves(): void {
    const isWorking = this.state === 'sent' || this.state === 'headed'
    if (!isWorking || !this.#isWorthWaiting) return void this.leave()
    // Nobody takes what comes now; of a whole answer it is still to be read.
    if (!this.#takesWhole) this.#outbox.attach({ write: () => {}, end: () => {} })
    this.#stopLater(() => this.leave())
  }

  protected override onSent(): void {
    this.#measure?.sent()
    this.#firstToken?.sent(this.clock.now())
    const { headersTimeout, firstContentTimeout, answerTimeout } = this.settings
    this.heardAt = this.clock.elapsed()
    // The client waits for a whole answer, however it arrives.
    if (this.#takesWhole) {
      this.deadlines.after(answerTimeout, () => this.late('answer timeout'))
      return
    }
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
    // An answer that came whole is read, with its usage, by whom it is for.
    if (this.whole === undefined) this.#watch?.concluded(ending, this.native?.last ?? '')
  }

  /** Before the first content other deadlines rule: a model may think long before it speaks. */
  protected override get isSilenceCounted(): boolean {
    return this.#reader.started
  }

  /** A client that has begun to read hears that nothing more comes. */
  protected override losesRoom(): void {
    if (this.state === 'passing') this.giveUp({ ...this.failure('no memory for an event'), ...PATIENCE_LOST })
    else super.losesRoom()
  }

  protected override late(cause: string): void {
    if (this.state === 'over') return
    this.abortExchange()
    this.#finish(cause)
  }

  protected override endingOf(how: AnswerEnd, cause: string): EndedAnswer {
    const { usage, outputBytes, tokens, hasReported, skippedEvents } = this.#reader
    const ending: Mutable<EndedAnswer> = { how, cause, outputBytes, tokens }
    if (skippedEvents > 0) ending.skippedEvents = skippedEvents
    if (how === 'well' && this.#reading !== 'json' && !this.#isCut) this.#usageTold?.(usage !== undefined)
    if (how === 'well' && usage && !this.#isCut) {
      ending.usage = usage
      this.#learn(usage)
    }
    // A usage that came before the last of the answer counts a part of it, also where the answer ended well.
    else if (how !== 'well' || hasReported || this.#isCut) ending.least = this.#least
    return ending
  }

  get #least(): LeastUsage {
    const { least, hasReported } = this.#reader
    // Usage reported on the way counts hidden reasoning.
    if (!this.#measure || (hasReported && least.outputTokens > this.#reader.tokens)) return least
    return this.#measure.ofStream(least)
  }

  /** Some report the usage of one of several choices. */
  #learn(usage: Usage): void {
    if (this.#choices === 1) this.#measure?.learn(usage, this.#reader.tokens)
  }

  /** Whether the backend may still tell more than was seen of it. */
  get #isWorthWaiting(): boolean {
    const { finished, reportsOutput, tokens } = this.#reader
    return finished || (!reportsOutput && this.#measure?.mayHide(tokens) === true)
  }

  /** Stops the backend of a client that left, once it had its time to report. */
  #stopLater(stop: () => void): void {
    const now = this.clock.elapsed()
    this.#stopsAt ??= now + USAGE_WAIT
    this.deadlines.after(Math.max(0, this.#stopsAt - now), () => this.state === 'over' || stop())
  }

  /** Reads what arrived, as far as the client takes it. */
  #take(): void {
    const from = this.clock.elapsed()
    const waiting = this.#inbox.bytes
    this.heardAt = from
    try {
      while (!this.isPaused && this.#takeNext());
    } catch (error) {
      // No stream may end another one.
      this.giveUp(this.failure(error instanceof Error ? causeOf(error) : 'error'))
    }
    this.chargePart(waiting - this.#inbox.bytes, from)
  }

  /** Nothing more arrives: the rest is read whether it is taken or not. */
  #takeAll(): void {
    while (this.#takeNext());
  }

  /** False when there is nothing left, or it is of no use any more. */
  #takeNext(): boolean {
    if (this.state === 'over') this.#inbox.clear()
    const bytes = this.#inbox.next()
    if (bytes) this.#readBytes(bytes)
    return bytes !== undefined
  }

  /** Event by event where these bytes may bring more than was granted, but for those whose form says that they do not. */
  #readBytes(bytes: Buffer): void {
    if (this.#grant === undefined || bytes.length < this.#room * LEAST_EVENT_BYTES)
      return void this.#read(this.#reader.read(bytes))
    let rest = bytes
    for (let tries = MOST_KNOWN_RUNS; rest.length > 0 && this.state !== 'over'; tries--) {
      const known = tries > 0 ? this.#reader.readKnown(rest, this.#room) : undefined
      const end = known ? known.end : endOfEvent(rest)
      if (known) this.#read(known)
      else this.#readOne(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }

  /** Reads one event, and ends the answer where it passes what was granted. */
  #readOne(event: Buffer): void {
    const wasFull = this.#room <= 0
    const reading = this.#reader.read(event)
    if (!reading.stop && this.#isOver) this.#cut(wasFull ? '' : reading.events)
    else this.#read(reading)
  }

  /** How many tokens, as the reader counts them, may come before the answer has what it was granted. */
  get #room(): number {
    if (this.#grant === undefined) return Number.POSITIVE_INFINITY
    const left = this.#grant.tokens - this.#tokens
    return this.#reader.reportsOutput || !this.#measure ? left : this.#measure.deltasOf(left)
  }

  /** A lower bound of the tokens so far. */
  get #tokens(): number {
    const { least, reportsOutput } = this.#reader
    return reportsOutput || !this.#measure ? least.outputTokens : this.#measure.tokensOf(least.outputTokens)
  }

  get #isOver(): boolean {
    return this.#grant !== undefined && !this.#reader.finished && this.#tokens > this.#grant.tokens
  }

  /** Ends an answer whose backend ignores its cap. */
  #cut(events: string): void {
    this.#isCut = true
    this.abortExchange()
    const last = this.#grant ? this.#reader.cut(this.#grant.charged(this.work()), events === '') : ''
    this.#write(this.#reader.heldEvents + events + last)
    this.commit(this)
    this.conclude('well')
  }

  #read({ events, stop }: StreamReading): void {
    if (this.#firstToken && this.#reader.started) this.#firstTokenCame(this.#firstToken)
    if (events !== '' && !this.#write(events)) this.giveUp(this.failure('answer too large'))
    this.#keepUntaken(events)
    if (this.state === 'headed' && this.#commit === 'first_content' && this.#reader.shows) this.commit(this)
    if (stop?.kind === 'done') this.#done()
    else if (stop?.kind === 'broken') this.late(stop.cause)
    else if (stop) this.giveUp(ofError(stop.error, this.work()))
    else if (this.#reading === 'events' && this.#reader.finished) this.#waitForUsage()
  }

  #write(events: string): boolean {
    this.#watch?.events(events)
    return this.#outbox.write(events)
  }

  #firstTokenCame(firstToken: FirstToken): void {
    firstToken.came(this.clock.now())
    this.#firstToken = undefined
  }

  /** Counts what its client has not taken, and the event that is still coming. */
  #keepUntaken(events: string): void {
    const kept = this.#outbox.held + this.#reader.held
    if (kept > UNCOUNTED_BYTES) this.keep(kept, Math.max(events.length, kept - this.#kept))
    // Bytes passed on are counted where they wait to be sent.
    else if (this.#kept > UNCOUNTED_BYTES && events === '') this.costs?.held.hold(0)
    this.#kept = kept
  }

  #endJson(bytes: Buffer): void {
    if (!this.#takesWhole || errorIn(bytes) !== undefined) return void this.#endJsonOfStream(bytes)
    this.whole = bytes
    this.commit(this)
    this.conclude('well')
  }

  /** A JSON body in place of a stream may have the error, or the whole answer of a backend that does not stream. */
  #endJsonOfStream(bytes: Buffer): void {
    const error = errorIn(bytes)
    if (error !== undefined) return void this.giveUp(ofError(error, this.work()))
    const answer = this.native ? undefined : this.#dialect.answer('chat', bytes)
    const reading = answer && this.#reader.readWhole(answer)
    if (reading) this.#read(reading)
    else this.giveUp(this.failure('not an event stream'))
  }

  #waitForUsage(): void {
    this.#reading = 'usage'
    this.deadlines.after(USAGE_WAIT, () => this.late('silence'))
  }

  #done(): void {
    if (this.#reader.isComplete) {
      this.#finish('', true)
      this.deadlines.after(LINGER, () => this.abortExchange())
    } else this.giveUp(this.failure(this.#reader.started ? 'ended without a finish' : 'empty answer'))
  }

  /** Nothing more comes. A backend that finished every choice ended well, however its connection ended. */
  #finish(cause: string, isWhole = this.#reader.finished): void {
    if (!isWhole) return void this.fail(this.failure(cause))
    if (this.state === 'over') return
    if (!this.#reader.isWhole(this.#surplus.least)) return void this.fail(this.failure('malformed event'))
    const { surplus, heldEvents } = this.#reader
    if (surplus !== undefined) this.#surplus.learn(surplus)
    if (heldEvents !== '') this.#write(heldEvents)
    this.commit(this)
    this.conclude('well')
  }
}

/** The id of an answer without an id from its backend. */
export const answerId = (requestId: string): string => `chatcmpl-${requestId}`

/** The time for the whole stream is over: no replica is at fault, and no time is left for another attempt. */
const PATIENCE_LOST = { blame: 'none', next: 'nothing' } as const

/** No event of a backend that says something has fewer. */
const LEAST_EVENT_BYTES = 24
/** Each costs a copy of all that is left of a piece, so a backend that varies its form soon gets one event at a time. */
const MOST_KNOWN_RUNS = 8

const LF = 0x0a
const CR = 0x0d

/** Where the first event ends with its blank line, or all there is. */
function endOfEvent(bytes: Buffer): number {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const before = bytes[at - 1] === CR ? at - 2 : at - 1
    if (before >= 0 && bytes[before] === LF) return at + 1
  }
  return bytes.length
}
