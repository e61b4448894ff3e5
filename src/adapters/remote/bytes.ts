/** Writes values one behind the other. Its memory grows with the messages, and is used again unless it is very large. */
export class Writer {
  readonly #least: number
  #bytes: Buffer
  #view: DataView
  /** Where the next value goes. */
  at = 0

  constructor(least = 1 << 16) {
    this.#least = least
    this.#bytes = Buffer.allocUnsafeSlow(least)
    this.#view = new DataView(this.#bytes.buffer)
  }

  u8(value: number): void {
    this.#room(1)
    this.#bytes[this.at++] = value
  }

  u32(value: number): void {
    this.#room(4)
    this.#view.setUint32(this.at, value, true)
    this.at += 4
  }

  f64(value: number): void {
    this.#room(8)
    this.#view.setFloat64(this.at, value, true)
    this.at += 8
  }

  /** Any text of UTF-16, also one that is not well-formed: a client may have sent it. */
  text(value: string): void {
    const { length } = value
    this.#room(5 + 2 * length)
    const from = this.at + 5
    const isNarrow = this.#narrow(value, from)
    const size = isNarrow ? length : this.#bytes.write(value, from, 'utf16le')
    this.#view.setUint32(this.at, size, true)
    this.#bytes[this.at + 4] = isNarrow ? NARROW_TEXT : WIDE_TEXT
    this.at = from + size
  }

  raw(value: Uint8Array): void {
    this.u32(value.length)
    this.put(value)
  }

  /** Bytes as they are, which something else says the length of. */
  put(value: Uint8Array): void {
    this.#room(value.length)
    this.#bytes.set(value, this.at)
    this.at += value.length
  }

  /** Puts a number where room was left for it. */
  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true)
  }

  /** Returns everything written, and starts again. */
  take(): Buffer {
    const written = this.#bytes.subarray(0, this.at)
    this.at = 0
    if (this.#bytes.length <= MOST_KEPT_BYTES) return Buffer.from(written)
    // One large message would else keep its memory for as long as the process runs.
    this.#use(Buffer.allocUnsafeSlow(this.#least))
    return written
  }

  /** One byte for each character, which for short texts is faster than a call of node. False where one does not fit. */
  #narrow(value: string, from: number): boolean {
    const bytes = this.#bytes
    let all = 0
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      all |= code
      bytes[from + i] = code
    }
    return all <= 0xff
  }

  #room(size: number): void {
    if (this.at + size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.at + size))
    this.#bytes.copy(larger, 0, 0, this.at)
    this.#use(larger)
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Reads a Writer's bytes. Throws if they are cut off, or claim to be longer than they are. */
export class Reader {
  readonly #bytes: Buffer
  readonly #view: DataView
  /** Where the next value is. */
  at = 0
  /** Where the present message ends. */
  end: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.end = bytes.length
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1))
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#step(8), true)
  }

  text(): string {
    const length = this.u32()
    const kind = this.u8()
    const from = this.#step(length)
    if (kind === NARROW_TEXT) return this.#bytes.toString('latin1', from, this.at)
    if (kind !== WIDE_TEXT || length % 2 !== 0) throw new BadMessage('no text')
    return this.#bytes.toString('utf16le', from, this.at)
  }

  /** A copy, because the source buffer is reused. */
  raw(): Buffer {
    const length = this.u32()
    const from = this.#step(length)
    return Buffer.from(this.#bytes.subarray(from, this.at))
  }

  /** How many items follow: each takes a byte at least. */
  count(): number {
    const count = this.u32()
    if (count > this.end - this.at) throw new BadMessage('more items than bytes')
    return count
  }

  #step(size: number): number {
    const from = this.at
    if (size > this.end - from) throw new BadMessage('it ends too early')
    this.at = from + size
    return from
  }
}

/** The bytes received are no message of the table. */
export class BadMessage extends Error {
  override readonly name = 'BadMessage'
}

const MOST_KEPT_BYTES = 1 << 20
const NARROW_TEXT = 0
const WIDE_TEXT = 1
