/** The parts of an answer that began and have not ended: a stream that lost an event in between shows it here. */
export class OpenParts {
  readonly #open = new Set<unknown>()
  #isDisordered = false

  begin(part: unknown): void {
    this.#open.add(part)
  }

  goOn(part: unknown): void {
    if (!this.#open.has(part)) this.#isDisordered = true
  }

  end(part: unknown): void {
    if (!this.#open.delete(part)) this.#isDisordered = true
  }

  /** Whether every part that went on or ended had begun, and every one that began has ended. */
  get isOrderly(): boolean {
    return !this.#isDisordered && this.#open.size === 0
  }
}
