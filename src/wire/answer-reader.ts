import type { LeastUsage, Usage } from './usage/usage.ts'

/** Reads a backend's stream, and keeps what commit and settlement need. */
export interface AnswerReader {
  /** Bytes of content, reasoning and tool calls so far. */
  readonly outputBytes: number
  /** A lower bound of the tokens that the backend generated for them. */
  readonly tokens: number
  /** The usage of the answer so far, as the backend reported it. */
  readonly usage: Usage | undefined
  /** A lower bound of the usage so far. */
  readonly least: LeastUsage
  /** Whether the backend has reported any usage. */
  readonly hasReported: boolean
  /** Whether the backend reports its output while it streams. */
  readonly reportsOutput: boolean
  /** Whether content has arrived, or the answer has ended without any. */
  readonly started: boolean
  /** Whether the client has something to receive, or never will. */
  readonly shows: boolean
  /** Whether every choice has finished. */
  readonly finished: boolean
  /** Malformed events that were skipped. */
  readonly skippedEvents: number
  /** Events that are held back until the answer proves complete. */
  readonly heldEvents: string
  /** Whether the skipped events held no output. `surplus` is how many more tokens the backend counts than it sends. */
  isWhole(surplus?: number): boolean
  /** How many more tokens the backend counted than it sent; undefined if unknown. */
  readonly surplus: number | undefined
  /** Whether the answer is complete if the stream ends here. */
  readonly isComplete: boolean
  /** Bytes buffered for an incomplete event, and for events that are held back. */
  readonly held: number
  read(received: Buffer): StreamReading
  /**
   * Reads the leading events that need no parsing and hold at most `tokens`; undefined if there are none. None of them
   * ends the answer.
   */
  readKnown(received: Buffer, tokens: number): KnownEvents | undefined
  /** Reads a whole answer that arrived instead of a stream; undefined if it cannot be passed on as a stream. */
  readWhole(bytes: Buffer): StreamReading | undefined
  /** Reads the end of the bytes. */
  end(): StreamReading
  /**
   * Ends the answer at its cap. Returns the closing events, with the usage that the client is charged; nothing is read
   * after that. `dropsLast`: the client does not receive the last event that was read.
   */
  cut(charged: Usage, dropsLast: boolean): string
}

/** Events that carry text and nothing else. */
export interface KnownEvents {
  /** Where they end in the bytes. */
  readonly end: number
  /** As the client receives them. */
  readonly events: string
}

/** The contents of some bytes of a stream. Nothing after a stop is read. */
export interface StreamReading {
  /** Complete events as the client receives them; empty if there are none. */
  readonly events: string
  readonly stop?:
    | { readonly kind: 'done' }
    /** An error in place of a chunk, as the backend sent it. */
    | { readonly kind: 'error'; readonly error: unknown }
    | { readonly kind: 'broken'; readonly cause: string }
}

/** A whole answer that may be passed on. */
export interface WholeAnswer {
  readonly bytes: Buffer
  readonly usage?: Usage
  /** Bytes of output, if the backend reports no usage; otherwise 0. */
  readonly outputBytes: number
  /** The number of images in it. */
  readonly items?: number
  /** A lower bound of the generated tokens, if it was fetched as a stream. */
  readonly tokens?: number
  /** A lower bound of the usage, if it was cut at its cap. */
  readonly least?: LeastUsage
  /** Malformed events of that stream that were skipped. */
  readonly skippedEvents?: number
  /** Set if it is already in the client's dialect. */
  readonly isNative?: true
}
