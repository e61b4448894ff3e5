import { UsageSoFar } from './usage/so-far.ts'

/** More events that cannot be read than this are no accident. */
const MOST_SKIPPED = 8

/**
 * An answer that is still coming, and its events that could not be read. A prose answer goes on without one; whether it is
 * whole shows at the end, when its backend reports how many tokens it made: no more than came.
 */
export abstract class SkippedEvents extends UsageSoFar {
  /** The events from the finish on, of an answer that lacks an event: for the client once the answer proves whole. */
  heldEvents = ''
  readonly #maySkip: boolean
  #skipped = 0
  #hasCalled = false

  /** `maySkip`: false for answers with tools or in JSON, which a lost piece makes another answer. */
  constructor(maySkip: boolean) {
    super()
    this.#maySkip = maySkip
  }

  abstract get started(): boolean
  abstract get finished(): boolean
  /** Lines of the stream that were no field of an event, and had JSON in them. */
  protected abstract get strayLines(): number

  /**
   * Whether all that the backend says it made has come; `surplus` is what it counts beside that in every answer, such as the
   * end of the text.
   */
  isWhole(surplus = 0): boolean {
    if (this.skippedEvents === 0) return true
    if (!this.usage || !this.#isProse) return false
    // Fewer than came are no count of all of it.
    const beside = this.usage.outputTokens - this.tokens
    return beside >= 0 && beside <= surplus
  }

  /** Events that could not be read, and that the answer went on without. */
  get skippedEvents(): number {
    return this.#skipped + this.strayLines
  }

  /** How many tokens the backend says it made beside those that came; undefined where that cannot be told. */
  get surplus(): number | undefined {
    return this.usage && this.skippedEvents === 0 ? this.usage.outputTokens - this.tokens : undefined
  }

  /** The part of some events that the client gets now. */
  protected pass(events: string): string {
    if (this.skippedEvents === 0 || !this.finished) return events
    this.heldEvents += events
    return ''
  }

  /** Counts an event that cannot be read. False where the answer cannot go on without it. */
  protected skips(): boolean {
    if (!this.#isProse || !this.started || this.finished || this.skippedEvents >= MOST_SKIPPED) return false
    this.#skipped++
    return true
  }

  /** Whether a tool was called. */
  protected get hasCalled(): boolean {
    return this.#hasCalled
  }

  /** A tool is called. False where a part of the call may be missing. */
  protected calls(): boolean {
    this.#hasCalled = true
    return this.skippedEvents === 0
  }

  get #isProse(): boolean {
    return this.#maySkip && !this.#hasCalled
  }
}
