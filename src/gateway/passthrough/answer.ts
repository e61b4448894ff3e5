import type { BackendSettings } from '../../config/settings.ts'
import type { Meter, Millis, PassthroughMethod } from '../../policy/config.ts'
import { EventUsage } from '../../wire/event-usage.ts'
import { readSomeMembers } from '../../wire/fast/some-members.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { readPassthroughUsage } from '../../wire/passthrough.ts'
import { allAtOnce, type Steps } from '../../wire/steps.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import { BackendAnswer, USAGE_WAIT } from '../answer/backend-answer.ts'
import { Outbox, type Sink } from '../answer/live-stream.ts'
import { readExchange, type Target } from '../attempt/attempt.ts'
import {
  type AnswerEnd,
  type EndedAnswer,
  type Failed,
  type Outcome,
  ofError,
  type Rejected,
  type Work,
} from '../attempt/outcome.ts'
import type {
  AnswerCosts,
  Cancel,
  Client,
  Clock,
  Exchange,
  PassthroughBody,
  PassthroughHead,
  Reading,
  SendPassthrough,
  Upload,
} from '../ports.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Sends one attempt. It is answered with the headers of a 2xx, or once all of an answer is there that is paid by its usage
 * and no stream of events.
 */
export function attemptPassthrough(
  { sendPassthrough, clock }: PassthroughPorts,
  target: PassthroughTarget,
  client: Client,
): Promise<Outcome<PassthroughAnswer>> {
  const { pool, replica, fresh, path, requestId, method, body, meter, settings, measure, traceparent } = target
  const usageMeter = new UsageMeter(clock, meter, body, measure)
  const upload = body && 'upload' in body ? { upload: body.upload } : {}
  const answer = new PassthroughAnswer({ clock, usageMeter, settings, meter, ...upload })
  const said = { ...(body && { body }), ...(traceparent !== undefined && { traceparent }) }
  const request = { pool: pool.name, replica, fresh, path, requestId, method, ...said }
  const open = (listener: Parameters<SendPassthrough>[1]) => sendPassthrough(request, listener)
  const dispatched = () => target.dispatched(usageMeter)
  return answer.start(readExchange({ clock, open }, { settings, dispatched }, answer), client)
}

/** One attempt at a request of a pass-through route. */
export interface PassthroughTarget
  extends Pick<Target, 'pool' | 'replica' | 'fresh' | 'path' | 'requestId' | 'settings' | 'traceparent' | 'measure'> {
  readonly method: PassthroughMethod
  readonly body?: PassthroughBody
  readonly meter: Meter
  /** Runs when the request is on its way. */
  readonly dispatched: (usageMeter: UsageMeter) => void
}

export interface PassthroughPorts {
  readonly sendPassthrough: SendPassthrough
  readonly clock: Clock
}

export interface PassthroughTerms {
  readonly clock: Clock
  readonly usageMeter: UsageMeter
  readonly settings: BackendSettings
  readonly meter: Meter
  /** The body of the request, where it is sent on as it arrives. */
  readonly upload?: Upload
}

/**
 * An answer of any kind, with the life of a BackendAnswer: it is passed on from its headers, or once all of it is there
 * where its usage is in it. The usage of a stream of events is read as they pass.
 */
export class PassthroughAnswer extends BackendAnswer<PassthroughAnswer, PassthroughHead> {
  /** The headers that clients may read. */
  headers: Readonly<Record<string, string>> = {}
  status = 0
  readonly #usageMeter: UsageMeter
  readonly #isPaidFirst: boolean
  #isWhole: boolean
  /** The usage in a stream of events. */
  #events: EventUsage | undefined
  readonly #upload: Upload | undefined
  #unwatchUpload: Cancel = () => {}
  #usage: Usage | undefined
  /** Once the client left: when its backend is stopped, whatever it has told by then. */
  #stopsAt: Millis | undefined
  /** The bytes of a whole answer. */
  #chunks: Buffer[] = []
  /** Set once a large one is about to be read. */
  #reading: Reading<void> | undefined
  readonly #outbox = new Outbox<Buffer>(Buffer.concat)

  constructor({ clock, usageMeter, settings, meter, upload }: PassthroughTerms) {
    super(clock, settings)
    this.#usageMeter = usageMeter
    this.#isPaidFirst = meter.by === 'call'
    this.#isWhole = meter.by === 'usage'
    this.#upload = upload
  }

  /** Whether its cost is known before any of it is passed on. */
  get isPaidFirst(): boolean {
    return this.#isPaidFirst || this.#isWhole
  }

  /** Whether the next byte may be the last; a stream of events says when it is. */
  get isEnding(): boolean {
    return !this.#events || this.#events.isOver
  }

  override start(exchange: Exchange, client: Client): Promise<Outcome<PassthroughAnswer>> {
    const outcome = super.start(exchange, client)
    // Its client sent more than is allowed, or a forbidden body: it is not charged for the attempt.
    if (this.#upload) this.#unwatchUpload = this.#upload.onFault(() => this.leave(false))
    return outcome
  }

  /** A range is no answer to a request that asked for none. */
  override isAnswer(status: number): boolean {
    return status >= 200 && status < 300 && status !== 206
  }

  /** Hands over what was held, and from now on every byte. */
  attach(sink: Sink<Buffer>): void {
    this.#outbox.attach(sink)
    if (this.state === 'passing') this.resume()
  }

  override abort(): EndedAnswer {
    // Who waits for the usage of an answer that its client left hears of its end.
    if (this.#stopsAt === undefined) this.#outbox.detach()
    return super.abort()
  }

  /** The client left: a backend that is paid by what it reports gets some seconds for that. */
  clientLeft(): Promise<EndedAnswer> {
    const events = this.#events
    const isOver = this.state !== 'passing' || !events
    if (isOver || !(events.isOver || this.#usageMeter.isWorthWaiting(events.said))) return Promise.resolve(this.abort())
    return new Promise(resolve => {
      this.#outbox.attach({ write: () => {}, end: resolve })
      this.#stopLater(() => this.abort())
      this.resume()
    })
  }

  data(bytes: Buffer): void {
    this.#usageMeter.answered += bytes.length
    this.heardAt = this.clock.elapsed()
    if (this.#usageMeter.isOver) this.#giveUpBlameless('more bytes than max_mb')
    else if (this.#events) this.#passEvents(this.#events, bytes)
    else if (!this.#isWhole) this.#outbox.write(bytes)
    else if (this.#usageMeter.answered > MAX_WHOLE_BYTES) this.giveUp(this.failure('answer too large'))
    else {
      this.#chunks.push(bytes)
      this.keep(this.#usageMeter.answered, bytes.length)
    }
  }

  end(): void {
    if (this.state === 'headed') this.#readWhole()
    else if (this.state === 'passing') this.conclude('well')
  }

  broken(cause: string): void {
    this.fail(this.failure(cause))
  }

  work(): Work {
    return this.#workWhen(false)
  }

  protected override onSent(): void {
    this.#usageMeter.dispatch()
    this.#watchAnswer(this.#usageMeter.left(this.settings.answerTimeout))
  }

  protected override onHeaded({ status, headers }: PassthroughHead): void {
    this.status = status
    this.headers = headers
    if (!this.#isPaidFirst && isEventStream(headers)) {
      this.#events = new EventUsage()
      this.#isWhole = false
    }
    // The time of a whole answer goes on.
    if (this.#isWhole) return
    this.deadlines.callOff()
    this.pause()
    this.heardAt = this.clock.elapsed()
    this.deadlines.after(this.#usageMeter.left(this.settings.streamTimeout), () =>
      this.#giveUpBlameless('the time of the answer is over'),
    )
    this.watchSilence()
    this.commit(this, status)
  }

  protected override onConcluded(ending: EndedAnswer): void {
    this.#outbox.end(ending)
  }

  protected override endingOf(how: AnswerEnd, cause: string): EndedAnswer {
    const work = this.#workWhen(how === 'well')
    if (how === 'well' && work.usage) this.#usageMeter.learn(work.usage, this.#events?.said.tokens)
    return { ...work, how, cause }
  }

  protected override workIfFailed(): Work | undefined {
    return this.#usageMeter.begun
  }

  /** A whole answer that is paid by its usage gets some seconds to tell it. */
  protected override clientLeaves(): void {
    const isWorking = this.state === 'sent' || this.state === 'headed'
    if (isWorking && this.#isWhole && this.#usageMeter.begun) this.#stopLater(() => this.leave())
    else this.leave()
  }

  /** Stops the backend of a client that left, once it had its time to report: from before its answer began, if it left then. */
  #stopLater(stop: () => void): void {
    const now = this.clock.elapsed()
    this.#stopsAt ??= now + USAGE_WAIT
    this.deadlines.after(Math.max(0, this.#stopsAt - now), () => this.state === 'over' || stop())
  }

  /** A body streamed to a backend is gone: no other attempt could be made. */
  protected override outcomeOf(outcome: Outcome<PassthroughAnswer>): Outcome<PassthroughAnswer> {
    this.#unwatchUpload()
    if (!this.#upload || !this.#usageMeter.dispatched) return outcome
    if (outcome.kind === 'rejected') return { ...outcome, tooLong: false }
    return outcome.kind === 'failed' ? { ...outcome, next: 'nothing', again: false } : outcome
  }

  #workWhen(isOver: boolean): Work {
    return this.#events ? this.#usageMeter.workSaid(this.#events.said, isOver) : this.#usageMeter.work(this.#usage)
  }

  #passEvents(events: EventUsage, bytes: Buffer): void {
    const wasOver = events.isOver
    events.push(bytes)
    this.#outbox.write(bytes)
    this.chargePart(bytes.length, this.heardAt)
    if (events.isOver && !wasOver) this.deadlines.after(LINGER, () => this.#endWell())
  }

  /** All was said, and its backend does not end its response. */
  #endWell(): void {
    this.abortExchange()
    this.conclude('well')
  }

  #readWhole(): void {
    const costs = this.#usageMeter.answered > LIGHT_BYTES ? this.costs : undefined
    if (!costs) return void allAtOnce(this.#judged())
    // From here on it waits for us.
    this.deadlines.callOff()
    costs.held.copies(() => this.#readLarge(costs))
  }

  #readLarge(costs: AnswerCosts): void {
    if (this.state === 'over') return
    this.#reading = costs.beginToRead(this.#judged())
    this.#reading.done.catch(() => this.fail(this.failure('unreadable answer')))
  }

  *#judged(): Steps<void> {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    yield
    this.#passWhole(bytes, yield* this.#judge(bytes))
  }

  protected override onOver(): void {
    this.#chunks = []
    this.#reading?.drop()
  }

  #passWhole(bytes: Buffer, fault: Failed | Rejected | undefined): void {
    if (this.state === 'over') return
    if (fault) return void this.fail(fault)
    if (bytes.length > 0) this.#outbox.write(bytes)
    this.commit(this, this.status)
    this.conclude('well')
  }

  /** Judges a whole answer; its usage is kept. */
  *#judge(bytes: Buffer): Steps<Failed | Rejected | undefined> {
    // The gateway did not ask for an encoding, and cannot read the usage in it.
    if (this.headers['content-encoding'] !== undefined) return this.failure('encoded answer')
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(this.headers['content-type'] ?? '')) return undefined
    const answer = (yield* readSomeMembers(bytes, JUDGED)) ?? parse(bytes.toString('utf8'))
    if (!isObject(answer)) return this.failure('malformed answer')
    if (answer.error !== undefined && answer.error !== null) return ofError(answer.error, this.work())
    this.#usage = readPassthroughUsage(answer)
    return undefined
  }

  /** Gives up an answer whose room is used up: no replica is at fault, and none is tried any more. */
  #giveUpBlameless(cause: string): void {
    this.giveUp({ ...this.failure(cause), blame: 'none', next: 'nothing' })
  }

  /** A client that is slow to send is no delay of the backend, but for what its time costs. */
  #watchAnswer(time: Millis): void {
    const usageMeter = this.#usageMeter
    this.deadlines.after(time, () => {
      const left = usageMeter.left(Number.POSITIVE_INFINITY)
      if (!usageMeter.awaitsBody) this.late('answer timeout')
      else if (left > 0) this.#watchAnswer(Math.min(left, this.settings.answerTimeout))
      else usageMeter.lateBody()
    })
  }
}

/** A backend that sent its last event gets this long to end its response. */
const LINGER: Millis = 1000

/** The gateway asks for no encoding, and cannot read events in one. */
const isEventStream = (headers: PassthroughHead['headers']): boolean =>
  /^text\/event-stream\b/i.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined

/** Members by which an answer is judged: whether it is an error, and its usage. */
const JUDGED: ReadonlySet<string> = new Set(['error', 'usage', 'meta'])

/** Smaller answers are read at once: waiting for a turn would take longer. */
const LIGHT_BYTES = 65_536

/** An answer that is paid by its usage counts tokens, and holds no recordings. */
const MAX_WHOLE_BYTES = 16_777_216
