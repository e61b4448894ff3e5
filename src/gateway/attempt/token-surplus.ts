/** The number of answers remembered; with fewer, there is no estimate. */
const REMEMBERED = 8
const FEWEST = 3

/**
 * Learns how many more tokens the backends of a pool report than they send, from complete answers. Engines count the
 * end-of-text token, which they do not send; others send several tokens in an event, so only the minimum over recent
 * answers is reliable.
 */
export class TokenSurplus {
  #recent: readonly number[] = []

  /** The minimum over recent answers. */
  get least(): number {
    return this.#recent.length < FEWEST ? 0 : Math.max(0, Math.min(...this.#recent))
  }

  learn(surplus: number): void {
    this.#recent = [...this.#recent, surplus].slice(-REMEMBERED)
  }
}
