/** Answers that are remembered; fewer teach nothing. */
const REMEMBERED = 8
const FEWEST = 3

/**
 * How many tokens backends of a pool report beside those that they send, as learnt from answers that came whole. Engines
 * count the end of a text, which they do not send; others send several tokens in an event, so that nothing follows from
 * their counts but what all of their answers have in common.
 */
export class TokenSurplus {
  #recent: readonly number[] = []

  /** As much as every recent answer had. */
  get least(): number {
    return this.#recent.length < FEWEST ? 0 : Math.max(0, Math.min(...this.#recent))
  }

  learn(surplus: number): void {
    this.#recent = [...this.#recent, surplus].slice(-REMEMBERED)
  }
}
