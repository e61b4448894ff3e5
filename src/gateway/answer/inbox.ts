/** What is read at once, so that a client which takes no more has little waiting for it. */
const PIECE_BYTES = 8192

/**
 * What came of a stream and is not read yet. Backends send each event by itself, but many of them come together: those
 * are to be read and passed on together.
 */
export class Inbox {
  readonly #read: () => void
  #waiting: Buffer[] = []
  #bytes = 0
  #isDue = false

  /** `read` is to take what waits: at the end of this turn of the loop, or as soon as there is a piece of it. */
  constructor(read: () => void) {
    this.#read = read
  }

  add(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#bytes += bytes.length
    // Who takes no more must say so before all of what the socket had is here.
    if (this.#bytes >= PIECE_BYTES) this.#read()
    else if (!this.#isDue) {
      this.#isDue = true
      process.nextTick(() => {
        this.#isDue = false
        this.#read()
      })
    }
  }

  /** The next piece, if there is any. */
  next(): Buffer | undefined {
    const all = this.#waiting.length > 1 ? Buffer.concat(this.#waiting) : this.#waiting[0]
    this.clear()
    if (!all || all.length <= PIECE_BYTES) return all
    const rest = all.subarray(PIECE_BYTES)
    this.#waiting.push(rest)
    this.#bytes = rest.length
    return all.subarray(0, PIECE_BYTES)
  }

  clear(): void {
    this.#waiting = []
    this.#bytes = 0
  }
}
