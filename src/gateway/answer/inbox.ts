/** Bytes read at once; small, so that little waits when a client stops reading. */
const PIECE_BYTES = 8192

/**
 * Buffers the bytes of a stream until they are read. Backends send each event separately, but several often arrive
 * together: those are read and forwarded together.
 */
export class Inbox {
  readonly #read: () => void
  #waiting: Buffer[] = []
  /** Bytes that wait. */
  bytes = 0
  #isDue = false

  /** `read` takes the waiting bytes: at the end of this turn of the event loop, or as soon as a piece is full. */
  constructor(read: () => void) {
    this.#read = read
  }

  add(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.bytes += bytes.length
    // A full consumer must be able to pause before the whole socket buffer has arrived.
    if (this.bytes >= PIECE_BYTES) this.#read()
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
    this.bytes = rest.length
    return all.subarray(0, PIECE_BYTES)
  }

  clear(): void {
    this.#waiting = []
    this.bytes = 0
  }
}
