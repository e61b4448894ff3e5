import type { LeastUsage, Usage } from './usage/usage.ts'

/** Reads a backend's stream as it comes, and keeps what commit and settlement need to know. */
export interface AnswerReader {
  /** Bytes of content, reasoning and tool calls so far. */
  readonly outputBytes: number
  /** Tokens that the backend made for that at the least. */
  readonly tokens: number
  /** The usage of all that was said so far, as the backend reported it. */
  readonly usage: Usage | undefined
  /** The least usage so far. */
  readonly least: LeastUsage
  /** Whether the backend reported anything that was used. */
  readonly hasReported: boolean
  /** Whether it reports on the way how much it has said. */
  readonly reportsOutput: boolean
  /** Whether there was any content, or an end without. */
  readonly started: boolean
  /** Whether there is anything for the client, or never will be. */
  readonly shows: boolean
  /** Whether all was said. */
  readonly finished: boolean
  /** Events that could not be read, and were left out. */
  readonly skippedEvents: number
  /** Events that wait until the answer proves whole. */
  readonly heldEvents: string
  /** Whether nothing that was said was in them; `surplus` is what the backend counts beside what it sends. */
  isWhole(surplus?: number): boolean
  /** How many tokens the backend counted beside those that came; undefined where that cannot be told. */
  readonly surplus: number | undefined
  /** Whether all was said, should nothing more come. */
  readonly isComplete: boolean
  /** Bytes that are kept of an event that is not complete, and of events that wait for the end. */
  readonly held: number
  read(received: Buffer): StreamReading
  /**
   * Reads the events at the beginning that need no parsing and hold at most `tokens`; undefined where there are none. None of
   * them ends the answer.
   */
  readKnown(received: Buffer, tokens: number): KnownEvents | undefined
  /** A whole answer that came in place of the stream; undefined where the bytes are none that can be passed on as one. */
  readWhole(bytes: Buffer): StreamReading | undefined
  /** The bytes ended. */
  end(): StreamReading
  /**
   * Ends the answer at its cap: the events that say so, with what its client is charged. Nothing is read any more. `dropsLast`
   * where the client does not get the event that was read last.
   */
  cut(charged: Usage, dropsLast: boolean): string
}

/** Events that say a text and nothing else. */
export interface KnownEvents {
  /** How many of the bytes they take. */
  readonly end: number
  /** As they go to the client. */
  readonly events: string
}

/** The reading of some bytes of a stream. Nothing after a stop is read. */
export interface StreamReading {
  /** Whole events, as they go to the client; empty when there is none. */
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
  /** Bytes of what the model said, where the backend reports no usage; 0 where it does. */
  readonly outputBytes: number
  /** Images in it. */
  readonly items?: number
  /** The least tokens that its backend made, where it was fetched as a stream. */
  readonly tokens?: number
  /** The least usage, where it was ended at its cap. */
  readonly least?: LeastUsage
  /** Events of such a stream that could not be read, and that the answer went on without. */
  readonly skippedEvents?: number
  /** Set where it is not a chat completion: it has the dialect of the client already. */
  readonly isNative?: true
}
