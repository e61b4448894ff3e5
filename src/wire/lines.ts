/** As much text as is passed on at once. */
const CHUNK = 16_384

/** Lines, a few hundred at a time: one write for each would cost more than making it. */
export async function* inChunks(
  lines: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk) yield chunk
}

/** Longer than any line that the gateway writes: a foreign file or answer must not fill the memory. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'

  constructor(most: number) {
    super(`one of its lines is longer than ${Math.floor(most / MB)} MB`)
  }
}

const MB = 1_000_000

/** In characters. A kept response of 64 MB is the longest line of all: in base64, in a backup. */
const LONGEST_LINE = 100 * MB

/**
 * Cuts a text that comes in pieces into lines. Each character is looked at once, however many pieces a line has, and no more
 * than the longest line is held. `next` throws LineTooLong.
 */
export class LineCutter {
  readonly #decoder = new TextDecoder()
  readonly #most: number
  /** The line that has not ended. Appending to it copies nothing until it is read. */
  #rest = ''

  constructor(most: number = LONGEST_LINE) {
    this.#most = most
  }

  /** The lines that end in this piece. */
  next(piece: Uint8Array): string[] {
    const text = this.#decoder.decode(piece, { stream: true })
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    if (lines.length === 0) this.#rest += last
    else {
      lines[0] = this.#rest + (lines[0] ?? '')
      this.#rest = last
    }
    if (this.#rest.length > this.#most || (lines[0]?.length ?? 0) > this.#most) throw new LineTooLong(this.#most)
    return lines
  }

  /** The text after the last line end; may be empty. */
  end(): string {
    return this.#rest + this.#decoder.decode()
  }
}

/** The lines of a text that comes in pieces, without their ends. Throws LineTooLong. */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  most?: number,
): AsyncGenerator<string, void, undefined> {
  const cutter = new LineCutter(most)
  for await (const piece of pieces) yield* cutter.next(piece)
  const rest = cutter.end()
  if (rest) yield rest
}
