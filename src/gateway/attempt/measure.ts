import type { Millis } from '../../policy/config.ts'
import { hasTimeToHide, hiddenTokens, learned, mayHide, type Pace, type PaceSample } from '../../policy/pace.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import type { Clock } from '../ports.ts'

/** Where this process keeps the pace of a pool. */
export interface Paced {
  pace: Pace
}

export interface MeasureTerms {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly paced: Paced
  /** Whether the model thinks before it speaks, as its declaration says. */
  readonly thinks: boolean
  /** Text of the prompt; absent where it holds more. */
  readonly promptBytes?: number
}

/** Measures one attempt by the pace of its pool, and teaches that pace what the attempt shows. */
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

  /** The client takes no more at present: the time of the answer says nothing of its backend. */
  heldUp(): void {
    this.#isHeldUp = true
  }

  /** The usage seen of a stream, with the tokens that its pool's pace adds where usage was not reported. */
  ofStream(least: LeastUsage): LeastUsage {
    const { thinks } = this.#terms
    return thinks || this.#pace.hides ? this.ofWhole(least) : this.ofPrompt(least)
  }

  /** The usage of a whole answer, of which nothing is seen until its end. */
  ofWhole(least: LeastUsage): LeastUsage {
    return { hiddenTokens: hiddenTokens(this.#pace, this.#millis, least.outputTokens), ...this.ofPrompt(least) }
  }

  /** The usage where no output can be hidden. */
  ofPrompt(least: LeastUsage): LeastUsage {
    return { bytesPerToken: this.#pace.bytesPerToken, ...least }
  }

  /** Whether the backend may have made more than was seen, so that its own count is worth some seconds. */
  mayHide(seenTokens: number): boolean {
    return mayHide(this.#pace, this.#terms.thinks) || hasTimeToHide(this.#pace, this.#millis, seenTokens)
  }

  /** Tokens of so many deltas. */
  tokensOf(deltas: number): number {
    return deltas / this.#pace.deltasPerToken
  }

  /** Deltas of so many tokens. */
  deltasOf(tokens: number): number {
    return tokens * this.#pace.deltasPerToken
  }

  /** The backend reported the usage of all of an answer. */
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
