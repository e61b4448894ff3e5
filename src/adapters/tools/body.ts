import { ToolFailure, unreachable } from './failure.ts'

/** Of an answer, or of one event of a stream. */
const BYTES_MAX = 1024 * 1024

type Chunks = AsyncIterable<Uint8Array>

/** The text of a body. Rejects with ToolFailure: when it breaks off, and when it is longer than 1 MiB. */
export async function whole(body: Chunks): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of atMost(body)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The chunks of a body. Throws ToolFailure: when it breaks off, and when they are more than 1 MiB. */
export async function* atMost(body: Chunks): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of unbroken(body)) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw tooLong()
    yield chunk
  }
}

/** The chunks of an event stream. Throws ToolFailure: when it breaks off, and when one event is more than 1 MiB. */
export async function* eventsAtMost(body: Chunks): AsyncGenerator<Uint8Array> {
  const event = new EventLength()
  for await (const chunk of unbroken(body)) {
    for (const byte of chunk) event.add(byte)
    yield chunk
  }
}

/** Counts the bytes of an event, up to the empty line that ends it. */
class EventLength {
  #event = 0
  #line = 0
  #before = 0

  add(byte: number): void {
    if (++this.#event > BYTES_MAX) throw tooLong()
    const ends = byte === CR || (byte === LF && this.#before !== CR)
    this.#before = byte
    if (ends && this.#line === 0) this.#event = 0
    if (ends) this.#line = 0
    else if (byte !== LF) this.#line++
  }
}

const LF = 10
const CR = 13

async function* unbroken(body: Chunks): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw unreachable(error)
  }
}

const tooLong = (): ToolFailure => new ToolFailure('the tool answered more than 1 MiB')
