import type { BackendSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import type { Reader } from '../attempt/attempt.ts'
import {
  type AnswerEnd,
  type EndedAnswer,
  type Failed,
  failed,
  type Outcome,
  type Rejected,
  type Work,
} from '../attempt/outcome.ts'
import type { AnswerCosts, AnswerRoom, BackendHead, Cancel, Client, Clock, Exchange } from '../ports.ts'
import { type Paced, paced } from '../received.ts'
import { Deadlines } from '../timers.ts'
import { UNCOUNTED_BYTES } from './memory.ts'

/** How long a backend may take to report the usage of an answer that is otherwise complete, or whose client left. */
export const USAGE_WAIT: Millis = 5000

/** The time that the kernel, Node and the gateway need to receive, buffer and forward a byte. */
const PASSING_MS_PER_BYTE: Millis = 3 / 1_000_000

/** The first bytes of a stream are free: most streams have fewer. */
const UNCHARGED_BYTES = 65_536

/**
 * One answer of a backend, from before its request is sent until its end. Streams, buffered answers and pass-through
 * answers add how they read its bytes; what an event does to any of them is here alone:
 *
 *   state       sent  headed  refused  begin    complete  fail       leave       conclude
 *   connecting  sent  headed  refused  !        !         over       over        !
 *   sent        –     headed  refused  !        !         over       over, work  !
 *   headed      –     –       –        passing  over      over       over, work  !
 *   refused     –     –       –        !        !         over       over        !
 *   passing     –     –       –        –        !         conclude   conclude    over
 *   over        –     –       –        –        –         –          –           –
 *
 * At `–` nothing happens, since an exchange may be late; at `!` an Error is thrown, since our own code may not be. On the
 * way to `passing`, or to `over` without it, the outcome of the attempt is resolved: once it is `passing` no other
 * replica is tried. On the way from `passing` to `over` it is concluded: it ended well, failed, or was left. Where the
 * client leaves an answer on which a backend may work, it is charged for that work.
 */
export abstract class BackendAnswer<A, H extends BackendHead = BackendHead> implements Reader<H> {
  protected readonly clock: Clock
  protected readonly settings: BackendSettings
  /** Cancelled when the answer ends. */
  protected readonly deadlines: Deadlines
  /** True while the client does not read. */
  protected isPaused = false
  /** When the backend last sent something while its stream was not paused. */
  protected heardAt: Millis
  /** Set once its buffered bytes are counted. */
  #held: AnswerRoom | undefined
  readonly #onRoomLost = () => this.losesRoom()
  /** Spreads its bytes over turns of the event loop. */
  #paced: Paced | undefined
  /** Bytes of a stream that were read as they arrived. */
  #streamed = 0
  readonly #outcome: Promise<Outcome<A>>
  #resolve: (outcome: Outcome<A>) => void = () => {}
  #state: State = 'connecting'
  #exchange: Exchange | undefined
  #client: Client | undefined
  #unwatch: Cancel = () => {}
  #ending: EndedAnswer | undefined

  constructor(clock: Clock, settings: BackendSettings) {
    this.clock = clock
    this.settings = settings
    this.deadlines = new Deadlines(clock)
    this.heardAt = clock.elapsed()
    this.#outcome = new Promise(resolve => {
      this.#resolve = resolve
    })
  }

  /** Called with bytes of the answer. */
  abstract data(bytes: Buffer): void
  /** Called when the answer's bytes end. */
  abstract end(): void
  /** Called when the connection broke before the end. */
  abstract broken(cause: string): void
  /** The work that the backend may have done so far. */
  abstract work(): Work
  protected abstract onSent(): void
  protected onHeaded(_head: H): void {}
  protected onConcluded(_ending: EndedAnswer): void {}
  /** Called when it ended before any of it was passed on, or is complete. */
  protected onOver(): void {}

  isAnswer(status: number): boolean {
    return status === 200
  }

  /** Waits for the answer of this exchange. Resolves once it begins or is complete, or with the reason why it fails. */
  start(exchange: Exchange, client: Client): Promise<Outcome<A>> {
    this.#exchange = exchange
    this.#client = client
    this.#unwatch = client.onGone(() => (client.wasCut ? this.leave() : this.clientLeaves()))
    return this.#outcome
  }

  sent(): void {
    if (this.#enter('sent')) this.onSent()
  }

  head(head: H): void {
    if (this.isAnswer(head.status)) {
      if (this.#enter('headed')) this.onHeaded(head)
    } else if (this.#enter('refused')) {
      // Only the error body remains, and the exchange limits its time.
      this.deadlines.callOff()
    }
  }

  unanswered(outcome: Failed | Rejected): void {
    this.fail(outcome)
  }

  pause(): void {
    this.isPaused = true
    this.#exchange?.pause()
  }

  resume(): void {
    this.isPaused = false
    this.heardAt = this.clock.elapsed()
    this.#exchange?.resume()
  }

  /** The client left after the answer began: aborts the exchange. An ended answer keeps its ending. */
  abort(): EndedAnswer {
    this.#exchange?.abort()
    this.conclude('left', 'client gone')
    if (!this.#ending) throw new Error('an answer was left that had not begun')
    return this.#ending
  }

  /** Its costs in this process; undefined if nothing is counted. */
  protected get costs(): AnswerCosts | undefined {
    return this.#client?.costs
  }

  /** Sets the bytes buffered for it, `came` of which are new. Without room for more, the backend is not read. */
  protected keep(bytes: number, came: number): void {
    if (bytes <= UNCOUNTED_BYTES) return
    const { costs } = this
    if (!costs) return
    const { held } = costs
    costs.charge(came * PASSING_MS_PER_BYTE)
    held.onEnded = this.#onRoomLost
    this.#held = held
    if (!held.arrives(bytes, () => this.resume())) this.pause()
    this.#paced ??= {
      pause: () => this.#exchange?.pause(),
      resume: () => this.isPaused || this.#exchange?.resume(),
      isPaused: () => this.isPaused,
    }
    paced(this.#paced, came)
  }

  /** No memory is left for its buffered bytes. */
  protected losesRoom(): void {
    this.leave()
  }

  /** Charges the account for reading and forwarding part of a stream since `from`; a stream waits for no turn. */
  protected chargePart(bytes: number, from: Millis): void {
    this.#streamed += bytes
    if (this.#streamed > UNCHARGED_BYTES) this.costs?.charge(this.clock.elapsed() - from)
  }

  /** Everything to buffer has arrived. */
  protected keepsAll(): void {
    this.#held?.arrived()
  }

  protected get state(): State {
    return this.#state
  }

  /** A part of it may go to the client. */
  protected commit(answer: A, status?: number): void {
    if (this.#enter('commit'))
      this.#report(status === undefined ? { kind: 'answered', answer } : { kind: 'answered', answer, status })
  }

  /** The whole answer has arrived, before any of it went to the client. */
  protected complete(answer: A): void {
    if (this.#enter('complete')) this.#report({ kind: 'answered', answer })
  }

  /** Nothing more will arrive. Another replica may be tried as long as the client has received nothing. */
  protected fail(failure: Failed | Rejected): void {
    if (this.#state !== 'passing') {
      if (this.#enter('fail')) this.#report(failure)
    } else if (failure.kind === 'rejected') this.conclude('failed', 'error event')
    else this.conclude(failure.next === 'nothing' ? 'left' : 'failed', failure.cause)
  }

  /** Stops waiting for it. */
  protected giveUp(failure: Failed | Rejected): void {
    if (this.#state === 'over') return
    this.#exchange?.abort()
    this.fail(failure)
  }

  /** The client left, or the answer is no longer needed. */
  protected leave(isCharged = true): void {
    if (this.#state === 'passing') return void this.abort()
    const isWorking = this.#state === 'sent' || this.#state === 'headed'
    if (!this.#enter('leave')) return
    this.#exchange?.abort()
    const work = isWorking && isCharged ? this.workIfLeft() : undefined
    this.#report(work ? { kind: 'left', work } : { kind: 'left' })
  }

  /** The answer had started, and has ended. */
  protected conclude(how: AnswerEnd, cause = ''): void {
    if (!this.#enter('conclude')) return
    this.deadlines.callOff()
    this.#handOver()
    this.#ending = this.endingOf(how, cause)
    this.onConcluded(this.#ending)
  }

  /** Ends an answer whose backend is silent for too long. A client that does not read is not the backend's silence. */
  protected watchSilence(time: Millis = this.settings.idleTimeout): void {
    this.deadlines.after(time, () => {
      const silent = this.isPaused || !this.isSilenceCounted ? 0 : this.clock.elapsed() - this.heardAt
      const left = this.settings.idleTimeout - silent
      if (left > 0) this.watchSilence(left)
      else this.late('silence')
    })
  }

  protected get isSilenceCounted(): boolean {
    return true
  }

  /** A deadline passed. */
  protected late(cause: string): void {
    this.giveUp(this.failure(cause))
  }

  protected clientLeaves(): void {
    this.leave()
  }

  protected failure(cause: string): Failed {
    return failed(cause, this.#state === 'connecting' ? undefined : this.workIfFailed())
  }

  /** The work of a backend for an answer that failed: no client is charged for it. */
  protected workIfFailed(): Work | undefined {
    return this.work()
  }

  /** The work charged to a client that left before the answer began. */
  protected workIfLeft(): Work | undefined {
    return this.workIfFailed()
  }

  protected endingOf(how: AnswerEnd, cause: string): EndedAnswer {
    return { ...this.work(), how, cause }
  }

  /** The outcome for failover. */
  protected outcomeOf(outcome: Outcome<A>): Outcome<A> {
    return outcome
  }

  protected abortExchange(): void {
    this.#exchange?.abort()
  }

  /** Hands the buffered bytes over: their new holder decides how they are dropped. */
  #handOver(): void {
    if (this.#held?.onEnded === this.#onRoomLost) this.#held.onEnded = undefined
  }

  #report(outcome: Outcome<A>): void {
    this.#unwatch()
    if (this.#state === 'over') {
      this.deadlines.callOff()
      this.onOver()
    }
    // A client that left receives nothing of an answer fetched for its usage.
    if (outcome.kind !== 'answered' || this.#client?.gone) this.#held?.hold(0)
    if (this.#state === 'over') this.#handOver()
    this.keepsAll()
    this.#resolve(this.outcomeOf(outcome))
  }

  /** Whether the event leads to another state. */
  #enter(event: Event): boolean {
    const next = NEXT[event][this.#state]
    if (next === '!') throw new Error(`an answer that is ${this.#state} cannot ${event}`)
    if (next === undefined) return false
    this.#state = next
    return true
  }
}

type State = 'connecting' | 'sent' | 'headed' | 'refused' | 'passing' | 'over'
type Event = 'sent' | 'headed' | 'refused' | 'commit' | 'complete' | 'fail' | 'leave' | 'conclude'

const NEXT: Readonly<Record<Event, Readonly<Partial<Record<State, State | '!'>>>>> = {
  sent: { connecting: 'sent' },
  headed: { connecting: 'headed', sent: 'headed' },
  refused: { connecting: 'refused', sent: 'refused' },
  commit: { connecting: '!', sent: '!', headed: 'passing', refused: '!' },
  complete: { connecting: '!', sent: '!', headed: 'over', refused: '!', passing: '!' },
  fail: { connecting: 'over', sent: 'over', headed: 'over', refused: 'over' },
  leave: { connecting: 'over', sent: 'over', headed: 'over', refused: 'over' },
  conclude: { connecting: '!', sent: '!', headed: '!', refused: '!', passing: 'over' },
}
