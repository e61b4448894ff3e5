import type { Meter, Millis } from '../../policy/config.ts'
import { costOfMeter, mostBytes } from '../../policy/price.ts'
import type { SaidUsage } from '../../wire/event-usage.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import type { Measure } from '../attempt/measure.ts'
import { PROMPT_ONLY, type Work } from '../attempt/outcome.ts'
import type { Clock, PassthroughBody } from '../ports.ts'

/** Paid otherwise, and so known. */
const NO_TOKENS: Usage = { inputTokens: 0, outputTokens: 0 }

/** Measures one attempt at a request of a pass-through route. */
export class UsageMeter {
  readonly #clock: Clock
  readonly #meter: Meter
  readonly #body: PassthroughBody | undefined
  #dispatchedAt: Millis | undefined
  /** Bytes of the answer. */
  answered = 0
  /** Bytes of what the client of a session said. */
  heard = 0

  readonly #measure: Measure | undefined

  constructor(clock: Clock, meter: Meter, body: PassthroughBody | undefined, measure?: Measure) {
    this.#clock = clock
    this.#meter = meter
    this.#body = body
    this.#measure = measure
  }

  get dispatched(): boolean {
    return this.#dispatchedAt !== undefined
  }

  /** It is on its way: its time runs. */
  dispatch(): void {
    this.#dispatchedAt = this.#clock.elapsed()
    this.#measure?.sent()
  }

  /** Whether a client is the one to wait for. */
  get awaitsBody(): boolean {
    return this.#body !== undefined && 'upload' in this.#body && this.#body.upload.awaited
  }

  /** Its client sent too slowly, and gets the error. */
  lateBody(): void {
    if (this.#body && 'upload' in this.#body) this.#body.upload.late()
  }

  /** The rest of a time since the dispatch. */
  left(time: Millis): Millis {
    const most = this.#meter.by === 'second' ? Math.min(time, this.#meter.max * 1000) : time
    return Math.max(0, most - this.#millis)
  }

  /** Whether more bytes passed than the meter allows. */
  get isOver(): boolean {
    return this.#bytes > mostBytes(this.#meter)
  }

  /** The work at this moment, if the backend has done it. */
  work(usage?: Usage): Work {
    const measured = { bytes: this.#bytes, millis: this.#millis }
    if (this.#meter.by === 'usage') return { ...(usage && { usage }), outputBytes: this.answered }
    const work = { usage: NO_TOKENS, items: costOfMeter(this.#meter, measured) }
    if (this.#meter.by !== 'second') return work
    return { ...work, seconds: Math.min(this.#meter.max, Math.ceil(measured.millis / 1000)) }
  }

  /** The work of a stream of events, by their words: until it is over, the least that was used. */
  workSaid(said: SaidUsage, isOver: boolean): Work {
    if (this.#meter.by !== 'usage') return this.work()
    const { usage, least, tokens } = said
    // A stream of unknown events is weighed by all of its bytes.
    const outputBytes = tokens > 0 ? said.outputBytes : this.answered
    if (usage) return { usage, outputBytes }
    if (isOver && !said.hasReported) return { outputBytes, tokens }
    const seen = { promptBytes: this.#sent, ...least }
    return { outputBytes, least: this.#measure?.ofStream(seen) ?? seen }
  }

  /** Whether the backend may still tell more of a stream of events than was seen of it. */
  isWorthWaiting({ reportsOutput, tokens }: SaidUsage): boolean {
    return this.#meter.by === 'usage' && !reportsOutput && this.#measure?.mayHide(tokens) === true
  }

  /** The backend reported the usage of all of an answer. */
  learn(usage: Usage, seenTokens?: number): void {
    if (this.#meter.by !== 'usage') return
    // A stream goes as fast as its client reads.
    if (seenTokens !== undefined) this.#measure?.heldUp()
    this.#measure?.learn(usage, seenTokens)
  }

  /** The work that a crash would be charged: measured so far, and a call once it was answered. */
  get soFar(): Work {
    return this.#meter.by === 'call' ? { usage: NO_TOKENS, items: 0 } : this.work()
  }

  /** The work while no part of an answer has come; undefined where the backend cannot have begun. */
  get begun(): Work | undefined {
    if (!this.dispatched) return undefined
    const { by } = this.#meter
    const isRead = !this.#body || 'bytes' in this.#body || this.#body.upload.complete
    if (by === 'usage') return isRead ? { ...this.work(), least: this.#leastUnseen } : undefined
    return isRead || by === 'second' || by === 'mb' ? this.work() : undefined
  }

  get #leastUnseen(): LeastUsage {
    const prompt = { ...PROMPT_ONLY, promptBytes: this.#sent }
    return this.#measure?.ofWhole(prompt) ?? prompt
  }

  get #millis(): Millis {
    return this.#dispatchedAt === undefined ? 0 : this.#clock.elapsed() - this.#dispatchedAt
  }

  get #bytes(): number {
    return this.#sent + this.answered
  }

  /** Bytes of the request. */
  get #sent(): number {
    const body = this.#body
    return body === undefined ? 0 : 'bytes' in body ? body.bytes.length : body.upload.received
  }
}
