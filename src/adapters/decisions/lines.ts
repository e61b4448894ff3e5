/**
 * Lines of ASCII one after the other, as bytes. A line is copied as soon as it is made, so that its many parts need not
 * stay in memory.
 */
export class Lines {
  #bytes = Buffer.allocUnsafeSlow(FIRST)
  #length = 0
  #ends: number[] = []

  get count(): number {
    return this.#ends.length
  }

  /** The bytes of all lines. */
  get length(): number {
    return this.#length
  }

  add(line: string): void {
    const end = this.#length + line.length
    if (end > this.#bytes.length) this.#grow(end)
    this.#bytes.write(line, this.#length, 'latin1')
    this.#length = end
    this.#ends.push(end)
  }

  /** The lines from `from` on that fit into `room` bytes, but one at least. They are valid until `clear`. */
  fitting(from: number, room: number): { readonly bytes: Buffer; readonly count: number } {
    const start = this.#endOf(from - 1)
    let to = from + 1
    while (to < this.#ends.length && this.#endOf(to) - start <= room) to++
    return { bytes: this.#bytes.subarray(start, this.#endOf(to - 1)), count: to - from }
  }

  clear(): void {
    if (this.#bytes.length > KEPT) this.#bytes = Buffer.allocUnsafeSlow(FIRST)
    this.#length = 0
    this.#ends = []
  }

  #endOf(line: number): number {
    return this.#ends[line] ?? 0
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** The largest buffer that is kept from one write to the next. */
const KEPT = 1_048_576
const FIRST = 65_536
