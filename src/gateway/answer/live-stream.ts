import type { LeastUsage, Usage } from '../../wire/openai/usage.ts'

/** Who gets the events of a stream once it is committed. */
export interface StreamSink {
  /** Whole events, ready to be sent. */
  write(events: string): void
  /** Nothing comes after it; not called when the stream was aborted. */
  end(ending: StreamEnding): void
}

export interface StreamEnding {
  /** The backend finished what it had to say. */
  readonly clean: boolean
  /** For the operator; empty when clean. */
  readonly cause: string
  /** Whether the replica is to blame, rather than the client or the time that is over. */
  readonly isFault: boolean
  readonly usage?: Usage
  /** Bytes of content, reasoning and tool calls that were passed on. */
  readonly outputBytes: number
  /** Tokens that the backend made for that at the least. */
  readonly tokens: number
  /** What it used at the least, where it did not report the usage of all of it. */
  readonly least?: LeastUsage
}

/** An answer that is on its way to the client. */
export interface LiveStream {
  /** Hands over what was held, and from now on every event. */
  attach(sink: StreamSink): void
  pause(): void
  resume(): void
  /** The client left: the backend is told at once, the sink nothing. What was said stays to be paid. */
  abort(): StreamEnding
  /** The same, but for a backend that has said all: it is heard until it reported its usage, or for some seconds. */
  clientLeft(): Promise<StreamEnding>
}
