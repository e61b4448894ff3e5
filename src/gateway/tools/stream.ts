import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Pool } from '../../policy/config.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { EngineTerms, StreamWanted } from '../../wire/openai/request.ts'
import { finishEvent, type OneAnswer, usageEvent } from '../../wire/tools/delta-reader.ts'
import { sumOfUsage, type Turn } from '../../wire/tools/turn.ts'
import { settle, settlementOf } from '../admission/settlement.ts'
import { joinTexts, type LiveStream, Outbox, type Sink } from '../answer/live-stream.ts'
import { UNCOUNTED_BYTES } from '../answer/memory.ts'
import { type AnswerStream, attemptStream } from '../answer/stream.ts'
import type { Target } from '../attempt/attempt.ts'
import type { AnswerEnd, EndedAnswer, Failure, Outcome } from '../attempt/outcome.ts'
import type { InferencePorts, Served, StreamSettlement } from '../request.ts'
import type { Answered, Unanswered } from '../upstream/failover.ts'
import { answerTerms, forward, Inference } from '../upstream/inference.ts'
import { endsEarly, leftAlone, roundFailed } from './ends.ts'
import { NO_WORK, type Rounds } from './rounds.ts'

/** A streamed answer with hosted tools. It is served once there is something of it for the client. */
export async function serveToolStream(gateway: InferencePorts, rounds: Rounds, wanted: StreamWanted): Promise<Served> {
  const stream = new ToolStream(gateway, rounds, wanted)
  const begun = await stream.begin()
  if (begun.kind === 'failed') return roundFailed(gateway, rounds, begun.attempted, begun.pool)
  const { pool, failures } = begun
  if (begun.kind === 'left') return leftAlone(gateway, rounds, pool, failures)
  return {
    kind: 'stream',
    admitted: rounds.first,
    pool,
    failures,
    stream,
    ending: new RoundsEnding(gateway, rounds, stream, pool),
  }
}

/** The end of a streamed answer with hosted tools, whose rounds have ended by themselves. */
class RoundsEnding implements StreamSettlement {
  readonly #gateway: InferencePorts
  readonly #rounds: Rounds
  readonly #stream: ToolStream
  readonly #pool: Pool
  #bill: Promise<Bill> | undefined

  /** `pool` answered the first round. */
  constructor(gateway: InferencePorts, rounds: Rounds, stream: ToolStream, pool: Pool) {
    this.#gateway = gateway
    this.#rounds = rounds
    this.#stream = stream
    this.#pool = pool
  }

  end(): Promise<Bill> {
    this.#bill ??= this.#settle().finally(() => this.#rounds.first.lease.end())
    return this.#bill
  }

  async #settle(): Promise<Bill> {
    // A round may still hold more, and must report what it took.
    await this.#stream.over
    const { pool = this.#pool } = this.#stream
    return settle(this.#gateway, this.#rounds.admitted, pool, NO_WORK)
  }
}

/** How an answer began: it failed before any of it could be shown, or it can be shown. */
type Begun =
  | { readonly kind: 'shows'; readonly pool: Pool; readonly failures: readonly Failure[] }
  | { readonly kind: 'left'; readonly pool: Pool; readonly failures: readonly Failure[] }
  | { readonly kind: 'failed'; readonly attempted: Unanswered; readonly pool: Pool | undefined }

/**
 * One answer of several streams: what the client sees of each, in order.
 *
 *   state   show   end              come to nothing
 *   silent  shown  shown, and over  over
 *   shown   –      over             –
 *   over    –      –                –
 *
 * `begin` resolves once: when content is shown, or with the reason why there is none. The sink is called at the end.
 */
class ToolStream implements LiveStream {
  readonly #gateway: InferencePorts
  readonly #rounds: Rounds
  readonly #wanted: StreamWanted
  readonly #turns: Turn[] = []
  readonly #failures: Failure[] = []
  /** Aborted when the client leaves. */
  readonly #left = new AbortController()
  #resolveBegun: (begun: Begun) => void = () => {}
  #state: 'silent' | 'shown' | 'over' = 'silent'
  /** Resolves once no round is running any more. */
  over: Promise<void> = Promise.resolve()
  /** The one that answered last. */
  pool: Pool | undefined
  #answer: OneAnswer | undefined
  #round: { readonly stream: AnswerStream; readonly end: (ending: EndedAnswer) => void } | undefined
  #paused = false
  readonly #outbox = new Outbox(joinTexts)
  #outputBytes = 0
  #tokens = 0

  constructor(gateway: InferencePorts, rounds: Rounds, wanted: StreamWanted) {
    this.#gateway = gateway
    this.#rounds = rounds
    this.#wanted = wanted
  }

  begin(): Promise<Begun> {
    // Until the stream is relayed, the relay cannot notice that the client left.
    const stopWatching = this.#rounds.call.client.onGone(() => this.#left.abort())
    const begun = new Promise<Begun>((resolve, reject) => {
      this.#resolveBegun = resolve
      const running = this.#run().finally(() => this.#rounds.slot.close())
      this.over = running.catch(error => {
        reject(error)
        // A relay that has begun waits for an end.
        this.#end(this.#endingOf('left', 'a fault of the gateway'))
        throw error
      })
      this.over.catch(() => {})
    })
    return begun.finally(stopWatching)
  }

  attach(sink: Sink<string>): void {
    this.#outbox.attach(sink)
  }

  /** The rounds before go on with each that follows. */
  readonly keepsSaid = true

  get saidBytes(): number {
    return this.#outputBytes + (this.#round?.stream.saidBytes ?? 0)
  }

  pause(): void {
    this.#paused = true
    this.#round?.stream.pause()
  }

  resume(): void {
    this.#paused = false
    this.#round?.stream.resume()
  }

  abort(): EndedAnswer {
    this.#outbox.detach()
    this.#left.abort()
    if (this.#round) this.#round.end(this.#round.stream.abort())
    return this.#endingOf('left', 'client gone')
  }

  async clientLeft(): Promise<EndedAnswer> {
    const round = this.#round
    if (!round) return this.abort()
    this.#outbox.detach()
    this.#left.abort()
    round.end(await round.stream.clientLeft())
    return this.#endingOf('left', 'client gone')
  }

  async #run(): Promise<void> {
    for (;;) {
      const { call, admitted } = this.#rounds
      const wanted = { ...this.#wanted, deltas: this.#rounds.hosted.deltas(this.#answer) }
      const round = new StreamedRound(this.#gateway, this.#rounds, wanted)
      const attempted = await forward(this.#gateway, call, admitted, round, this.#failures.length)
      this.#failures.push(...attempted.failures)
      if (attempted.kind !== 'answered') return this.#failed(attempted)
      const { stream, ending } = await this.#relayed(attempted)
      if (ending.how !== 'well') return this.#end(ending)
      const turn = stream.deltas?.turn
      if (!turn) throw new Error('a round of a tool answer was read without its deltas')
      this.#turns.push(turn)
      if (turn.calls.length === 0) return this.#finish(attempted.pool)
      if (await this.#rounds.next(turn, attempted.pool, this.#left.signal)) continue
      return this.#left.signal.aborted ? this.#leave(attempted.pool) : this.#finish(attempted.pool, 'length')
    }
  }

  /** Passes a round on until it has ended. */
  async #relayed({ answer: stream, pool, attempt }: Answered<AnswerStream>) {
    const { admitted } = this.#rounds
    this.pool = pool
    admitted.lease.speaking(() => settlementOf(admitted, pool, stream.work()))
    const shows = (stream.deltas?.shown ?? 0) > 0
    if (shows && admitted.decision.commit === 'first_content') this.#show(pool)
    const ended = new Promise<EndedAnswer>(resolve => {
      this.#round = { stream, end: resolve }
    })
    // A client that left before this round spoke has left this round too.
    if (this.#left.signal.aborted) stream.clientLeft().then(ending => this.#round?.end(ending))
    else this.#listen(stream)
    const ending = await ended
    this.#round = undefined
    attempt.end(ending.how, ending)
    this.#rounds.ended(pool, ending)
    this.#answer = stream.deltas?.answer ?? this.#answer
    this.#outputBytes += ending.outputBytes ?? 0
    this.#tokens += ending.tokens ?? 0
    return { stream, ending }
  }

  #listen(stream: AnswerStream): void {
    if (this.#paused) stream.pause()
    stream.attach({ write: events => this.#write(events), end: ending => this.#round?.end(ending) })
  }

  #write(events: string): void {
    if (!this.#outbox.write(events)) this.#fail('answer too large')
    else if (!this.#hasRoom()) this.#fail('no memory for an event')
  }

  /** Counts what waits for the end of an answer that its client gets whole. False where there is no room for it. */
  #hasRoom(): boolean {
    const { costs } = this.#rounds.call.client
    const { held: bytes } = this.#outbox
    return !costs || bytes <= UNCOUNTED_BYTES || costs.held.holdBeside(bytes)
  }

  #fail(cause: string): void {
    const round = this.#round
    round?.end({ ...round.stream.abort(), how: 'failed', cause })
  }

  /** There is something for the client to see: from here on it is a stream. */
  #show(pool: Pool): void {
    if (this.#state !== 'silent') return
    this.#state = 'shown'
    this.#resolveBegun({ kind: 'shows', pool, failures: this.#failures })
  }

  /** The model said all, or is cut short by a limit. */
  #finish(pool: Pool, cutBy?: string): void {
    const { decision } = this.#rounds.admitted
    const { id, created } = answerTerms(this.#gateway, this.#rounds.call, decision, pool.model)
    const answer = this.#answer ?? { id, created, model: pool.model }
    if (cutBy !== undefined) this.#write(finishEvent(answer, cutBy, this.#answer === undefined))
    const usage = sumOfUsage(this.#turns)
    if (this.#wanted.usageWanted && usage) this.#write(usageEvent(answer, usage))
    this.#end(this.#endingOf('well'))
  }

  /** A round found no backend. */
  #failed(attempted: Unanswered): void {
    const { pool } = this
    if (pool && endsEarly(attempted)) this.#finish(pool, 'length')
    else if (this.#state === 'silent')
      this.#comeToNothing({ kind: 'failed', attempted: { ...attempted, failures: this.#failures }, pool })
    else {
      if (attempted.kind === 'left' && attempted.dispatched) {
        const { pool: last, work } = attempted.dispatched
        this.#rounds.ended(last, work)
      }
      this.#end(this.#endingOf('left', attempted.kind === 'left' ? 'client gone' : 'no backend for another round'))
    }
  }

  #leave(pool: Pool): void {
    if (this.#state === 'silent') this.#comeToNothing({ kind: 'left', pool, failures: this.#failures })
    else this.#end(this.#endingOf('left', 'client gone'))
  }

  #end(ending: EndedAnswer): void {
    if (this.#state === 'over') return
    if (this.pool) this.#show(this.pool)
    this.#state = 'over'
    this.#outbox.end(ending)
  }

  #comeToNothing(begun: Begun): void {
    if (this.#state !== 'silent') return
    this.#state = 'over'
    this.#resolveBegun(begun)
  }

  #endingOf(how: AnswerEnd, cause = ''): EndedAnswer {
    return { how, cause, outputBytes: this.#outputBytes, tokens: this.#tokens }
  }
}

/** One round as it is sent. */
class StreamedRound extends Inference<AnswerStream> {
  readonly #rounds: Rounds
  readonly #wanted: StreamWanted

  constructor(gateway: InferencePorts, rounds: Rounds, wanted: StreamWanted) {
    super(gateway, rounds.call, rounds.admitted, rounds.startedAt)
    this.#rounds = rounds
    this.#wanted = wanted
  }

  protected override bodyFor(pool: Pool, engine: EngineTerms): Buffer {
    return this.#rounds.bodyFor(pool, engine)
  }

  override sketch(): PromptSketch | undefined {
    return this.#rounds.sketch
  }

  override attempt(target: Target): Promise<Outcome<AnswerStream>> {
    return attemptStream(this.gateway, target, this.#wanted, this.call.client)
  }
}
