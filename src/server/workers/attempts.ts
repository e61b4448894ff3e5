import type { Opened } from '../reloader.ts'

/**
 * The configurations that main asks a worker to open, each under the number of its attempt. A configuration that opens after its
 * attempt was abandoned is released: otherwise it would leak, or serve instead of the next attempt's.
 */
export class Attempts {
  /** Undefined while it opens. */
  readonly #opened = new Map<number, Opened | undefined>()

  /** Rejects where it cannot be opened, or was given up meanwhile. */
  async open(attempt: number, opening: () => Promise<Opened>): Promise<void> {
    this.#opened.set(attempt, undefined)
    let opened: Opened
    try {
      opened = await opening()
    } catch (error) {
      this.#opened.delete(attempt)
      throw error
    }
    if (!this.#opened.has(attempt)) {
      opened.drop()
      throw new Error('it was given up')
    }
    this.#opened.set(attempt, opened)
  }

  /** Rejects where it is not open. */
  async serve(attempt: number): Promise<void> {
    const opened = this.#opened.get(attempt)
    this.#opened.delete(attempt)
    if (!opened) throw new Error('that configuration is not open')
    await opened.serve()
  }

  drop(attempt: number): void {
    this.#opened.get(attempt)?.drop()
    this.#opened.delete(attempt)
  }
}
