/** Merges this many pieces into one, since each takes memory besides its bytes. */
const PIECES_KEPT = 512
/** More of a body that is not complete is kept apart. */
const APART_BYTES = 1_250_000
const PAGE_BYTES = 262_144

/**
 * The pieces of a body or an answer. Much of it is kept apart from the memory that everything else shares: that of one which
 * never becomes complete is given back as soon as it is dropped, and leaves no holes.
 */
export class Pieces {
  #pieces: Buffer[] = []
  #size = 0
  readonly #limitBytes: number
  #apart: ArrayBuffer | undefined
  #apartSize = 0

  /** There will not be more of them than `limitBytes`. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  push(piece: Buffer): void {
    this.#size += piece.length
    const count = this.#pieces.push(piece)
    // Once it has begun, each as it comes: to gather them would leave holes.
    if (this.#size >= APART_BYTES) this.#putApart()
    else if (count === PIECES_KEPT) this.#pieces = [Buffer.concat(this.#pieces)]
  }

  /** All of them in one, which takes a moment where there are many. They are dropped. */
  join(): Buffer {
    const pieces = this.#apart ? [Buffer.from(this.#apart, 0, this.#apartSize), ...this.#pieces] : this.#pieces
    const [first] = pieces
    // Memory that is kept apart is about to be given back.
    const joined = first && pieces.length === 1 && !this.#apart ? first : Buffer.concat(pieces)
    this.drop()
    return joined
  }

  drop(): void {
    this.#pieces = []
    this.#size = this.#apartSize = 0
    this.#apart?.resize(0)
    this.#apart = undefined
  }

  #putApart(): void {
    const apart = this.#apart ?? new ArrayBuffer(0, { maxByteLength: this.#limitBytes })
    this.#apart = apart
    if (this.#size > apart.byteLength) {
      apart.resize(Math.min(this.#limitBytes, Math.ceil(this.#size / PAGE_BYTES) * PAGE_BYTES))
    }
    const bytes = Buffer.from(apart)
    for (const piece of this.#pieces) {
      bytes.set(piece, this.#apartSize)
      this.#apartSize += piece.length
    }
    this.#pieces = []
  }
}
