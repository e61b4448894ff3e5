/**
 * What main says while a worker begins, which then has nowhere to put it yet. It is heard in its order once the worker can
 * take it in: what it began with was true when it was sent, and what came after that is said but once.
 */
export class Early {
  #waiting: (() => void)[] | undefined = []

  hear(take: () => void): void {
    if (this.#waiting) this.#waiting.push(take)
    else take()
  }

  /** The worker can take in what is said. */
  open(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const take of waiting) take()
  }
}
