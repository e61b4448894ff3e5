import { setMaxListeners } from 'node:events'
import type { Cancel } from '../../gateway/ports.ts'
import { ToolFailure, unreachable } from './tool.ts'

// The limits of what a tool may cost: the length of its texts, the bytes of its answers, and the time of its call.

/** The text without control characters and without halves of surrogate pairs. */
export const clean = (text: string): string => text.toWellFormed().replace(CONTROLS, '')

/** A clean text cut to so many bytes of UTF-8; where something was cut, its end says how many bytes. */
export function bounded(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  // The count of cut bytes has no more digits than the count of all bytes.
  const end = boundary(bytes, Math.max(0, bytesMax - mark(bytes.length).length))
  return bytes.toString('utf8', 0, end) + mark(bytes.length - end).slice(0, bytesMax)
}

/** ASCII: a byte is a character. */
const mark = (bytes: number): string => `\n[${bytes} bytes left out]`

/** The first 500 characters on one line, to be quoted in a sentence of the gateway. */
export function excerpt(text: string): string {
  const line = clean(text).replace(/\s+/g, ' ').trim()
  return line.length > EXCERPT_MAX ? `${line.slice(0, EXCERPT_MAX).toWellFormed()}…` : line
}

const EXCERPT_MAX = 500

/** The last boundary between characters that is not beyond `end`. */
function boundary(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && isContinuation(bytes[at])) at--
  return at
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

type Chunks = AsyncIterable<Uint8Array>

/** The text of a body. Rejects with ToolFailure when the body breaks off, and when it is longer than 1 MiB. */
export async function whole(body: Chunks): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of atMost(body)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The chunks of a body. Throws ToolFailure when the body breaks off, and when it is longer than 1 MiB. */
export async function* atMost(body: Chunks): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of unbroken(body)) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw tooLong()
    yield chunk
  }
}

/** The chunks of an event stream. Throws ToolFailure when the stream breaks off, and when one event is longer than 1 MiB. */
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

/** The result of the work; rejects with the reason of the signal as soon as it is aborted, and ignores the work from then on. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = onAborted(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(cancel)
  })
}

/** Calls `run` when the signal is aborted, or at once if it is already. The result cancels that. */
export function onAborted(signal: AbortSignal, run: () => void): Cancel {
  // There is one listener for each call, so that many of them are not a leak.
  setMaxListeners(0, signal)
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
  return () => signal.removeEventListener('abort', run)
}

/** All control characters but line feed and tab. */
const CONTROLS = /[^\P{Cc}\n\t]/gu
/** The most bytes of an answer, or of one event of a stream. */
const BYTES_MAX = 1024 * 1024
