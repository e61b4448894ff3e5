import type { EndOfAnswer } from '../upstream/outcome.ts'

/** Who gets the events of a stream once it is committed. */
export interface StreamSink {
  /** Whole events, ready to be sent. */
  write(events: string): void
  /** Nothing comes after it; not called when the stream was aborted. */
  end(ending: StreamEnding): void
}

export interface StreamEnding extends EndOfAnswer {
  /** For the operator; empty when clean. */
  readonly cause: string
  /** Bytes of content, reasoning and tool calls that were passed on. */
  readonly outputBytes: number
  /** Tokens that the backend made for that at the least. */
  readonly tokens: number
}

/** An answer that is on its way to the client. */
export interface LiveStream {
  /** Hands over what was held, and from now on every event. */
  attach(sink: StreamSink): void
  pause(): void
  resume(): void
  /** The client left: the exchange with the backend is aborted at once, and the sink is not called. The client pays for what was sent. */
  abort(): StreamEnding
  /** The same, but for a backend that has said all: it is heard until it reported its usage, or for some seconds. */
  clientLeft(): Promise<StreamEnding>
}
