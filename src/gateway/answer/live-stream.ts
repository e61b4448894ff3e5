import type { StreamError } from '../../wire/client-dialect.ts'
import type { EndedAnswer } from '../attempt/outcome.ts'

/** An answer that is on its way to the client. */
export interface LiveStream {
  /** Set where the events have the dialect of the client already. */
  readonly native?: NativeEnding | undefined
  /** Bytes of the model's output so far. */
  readonly saidBytes: number
  /** Whether as many bytes stay in memory until its end: to be translated, or for a further round. */
  readonly keepsSaid: boolean
  /** Hands over the held events, and from now on every event. */
  attach(sink: Sink<string>): void
  pause(): void
  resume(): void
  /** The client left: the exchange with the backend is aborted at once, and the sink is not called. The client pays for what was sent. */
  abort(): EndedAnswer
  /** Ends the answer of a client that left. A backend that has sent all content is read until it reported its usage, or for some seconds. */
  clientLeft(): Promise<EndedAnswer>
}

/** The ending of a stream that passes through unchanged. */
export interface NativeEnding {
  /** The event that ends the answer, once all was said. */
  readonly last: string
  /** The one that ends it where it failed. */
  fail(error: StreamError, requestId: string): string
}

/** Who gets the pieces of an answer once it has begun: whole events of a stream, or bytes. */
export interface Sink<T> {
  write(piece: T): void
  /** Nothing comes after it; not called when the answer was aborted. */
  end(ending: EndedAnswer): void
}

/** The most bytes that are held until the stream is whole or a sink takes it: a larger answer is a fault of the backend. */
const MAX_HELD = 67_108_864

/** Pieces on their way to a sink, which may come after the first of them, or after the ending. */
export class Outbox<T extends { readonly length: number }> {
  readonly #join: (pieces: T[]) => T
  #sink: Sink<T> | undefined
  #held: T[] = []
  #heldLength = 0
  #ending: EndedAnswer | undefined

  constructor(join: (pieces: T[]) => T) {
    this.#join = join
  }

  /** How much waits for a sink. */
  get held(): number {
    return this.#heldLength
  }

  /** False where more is held than any answer has. */
  write(piece: T): boolean {
    if (this.#sink) {
      this.#sink.write(piece)
      return true
    }
    this.#held.push(piece)
    this.#heldLength += piece.length
    return this.#heldLength <= MAX_HELD
  }

  /** Hands over the held pieces, and from now on every piece. */
  attach(sink: Sink<T>): void {
    this.#sink = sink
    const held = this.#held
    this.#held = []
    this.#heldLength = 0
    if (held.length > 0) sink.write(this.#join(held))
    if (this.#ending) sink.end(this.#ending)
  }

  /** The sink takes nothing more. */
  detach(): void {
    this.#sink = undefined
  }

  end(ending: EndedAnswer): void {
    this.#ending = ending
    this.#sink?.end(ending)
  }
}

export const joinTexts = (texts: string[]): string => texts.join('')
