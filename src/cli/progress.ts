import type { Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

const EVERY: Millis = 100
const WIDTH = 30

/** A progress bar on one line, which is cleared at the end. Only a terminal gets it. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #total: number | undefined
  #done = 0
  #shownAt: Millis | undefined

  /** `total` is in bytes; undefined where the size is unknown. */
  constructor(stream: NodeJS.WriteStream, clock: Pick<Clock, 'elapsed'>, total: number | undefined) {
    this.#stream = stream
    this.#clock = clock
    this.#total = total
  }

  add(bytes: number): void {
    this.#done += bytes
    if (!this.#stream.isTTY) return
    const now = this.#clock.elapsed()
    if (this.#shownAt !== undefined && now - this.#shownAt < EVERY) return
    this.#shownAt = now
    this.#stream.write(`\r${this.#text()}\u001b[K`)
  }

  end(): void {
    if (this.#shownAt !== undefined) this.#stream.write('\r\u001b[K')
  }

  #text(): string {
    const done = `${Math.round(this.#done / 1e6)} MB`
    if (!this.#total) return done
    const share = Math.min(1, this.#done / this.#total)
    const full = Math.round(share * WIDTH)
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.round(share * 100)}% of ${Math.round(this.#total / 1e6)} MB`
  }
}
