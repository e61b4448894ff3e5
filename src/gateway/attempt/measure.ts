import type { Millis } from '../../policy/config.ts'
import { hasTimeToHide, hiddenTokens, learned, mayHide, type Pace, type PaceSample } from '../../policy/pace.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import type { Clock } from '../ports.ts'

/** Holds the pace of a pool in this process. */
export interface Paced {
  pace: Pace
}

export interface MeasureTerms {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly paced: Paced
  /** Whether the model reasons before it answers, according to its declaration. */
  readonly thinks: boolean
  /** The bytes of the prompt's text; absent if the prompt has more than text. */
  readonly promptBytes?: number
}

/** Estimates an attempt's hidden output by the pace of its pool, and updates the pace from what the attempt shows. */
export class Measure {
  readonly #terms: MeasureTerms
  #sentAt: Millis | undefined
  #isHeldUp = false

  constructor(terms: MeasureTerms) {
    this.#terms = terms
  }

  /** The backend has the request. */
  sent(): void {
    this.#sentAt = this.#terms.clock.elapsed()
  }

  /** The client stopped reading, so the time of this answer says nothing about the backend. */
  heldUp(): void {
    this.#isHeldUp = true
  }

  /** The observed usage of a stream, plus the tokens that the pace of its pool suggests if usage was not reported. */
  ofStream(least: LeastUsage): LeastUsage {
    const { thinks } = this.#terms
    return thinks || this.#pace.hides ? this.ofWhole(least) : this.ofPrompt(least)
  }

  /** The usage of a whole answer, which shows nothing until its end. */
  ofWhole(least: LeastUsage): LeastUsage {
    return { hiddenTokens: hiddenTokens(this.#pace, this.#millis, least.outputTokens), ...this.ofPrompt(least) }
  }

  /** The usage if no output can be hidden. */
  ofPrompt(least: LeastUsage): LeastUsage {
    return { bytesPerToken: this.#pace.bytesPerToken, ...least }
  }

  /**
   * Whether the backend may have generated more than was seen, so that waiting some seconds for its own count is
   * worthwhile.
   */
  mayHide(seenTokens: number): boolean {
    return mayHide(this.#pace, this.#terms.thinks) || hasTimeToHide(this.#pace, this.#millis, seenTokens)
  }

  /** The tokens in a number of deltas. */
  tokensOf(deltas: number): number {
    return deltas / this.#pace.deltasPerToken
  }

  /** The deltas for a number of tokens. */
  deltasOf(tokens: number): number {
    return tokens * this.#pace.deltasPerToken
  }

  /** The backend reported the usage of a whole answer. */
  learn({ inputTokens, outputTokens }: Usage, seenTokens?: number): void {
    const { paced, promptBytes } = this.#terms
    const sample: PaceSample = {
      inputTokens,
      outputTokens,
      ...(promptBytes !== undefined && { promptBytes }),
      ...(seenTokens !== undefined && { seenTokens }),
      ...(!this.#isHeldUp && { millis: this.#millis }),
    }
    paced.pace = learned(paced.pace, sample)
  }

  get #pace(): Pace {
    return this.#terms.paced.pace
  }

  get #millis(): Millis {
    return this.#sentAt === undefined ? 0 : this.#terms.clock.elapsed() - this.#sentAt
  }
}
