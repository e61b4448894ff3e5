/**
 * Messages of main while a worker begins, which then has nowhere to put them yet. They are heard in order once the worker can
 * take them in: the task was true when it was sent, and later news is sent but once.
 */
export class StartupBuffer {
  #waiting: (() => void)[] | undefined = []

  hear(take: () => void): void {
    if (this.#waiting) this.#waiting.push(take)
    else take()
  }

  /** The worker can receive messages. */
  open(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const take of waiting) take()
  }
}
