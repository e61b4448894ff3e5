import type { Readable, Writable } from 'node:stream'

/**
 * Writes the lines of several processes into one stream: each line whole. What one of them says faster than it can be
 * written is dropped, and counted, beyond `most` bytes that wait.
 */
export class LineRelay {
  readonly #into: Writable
  readonly #most: number
  dropped = 0

  constructor(into: Writable, most = MOST_BYTES) {
    this.#into = into
    this.#most = most
  }

  follow(from: Readable): void {
    let rest: Buffer = Buffer.alloc(0)
    from.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(NEWLINE) + 1
      if (end === 0) {
        rest = Buffer.concat([rest, chunk])
        return
      }
      const lines = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)])
      rest = Buffer.from(chunk.subarray(end))
      this.#write(lines)
    })
    // What a process said last, when it was killed in the middle of a line.
    from.on('end', () => {
      if (rest.length > 0) this.#write(Buffer.concat([rest, Buffer.from('\n')]))
    })
  }

  #write(lines: Buffer): void {
    if (this.#into.writableLength + lines.length <= this.#most) this.#into.write(lines)
    else for (const byte of lines) if (byte === NEWLINE) this.dropped++
  }
}

const NEWLINE = 0x0a
const MOST_BYTES = 16_000_000
