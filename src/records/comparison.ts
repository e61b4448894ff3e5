import type { EpochMs, Millis } from '../policy/config.ts'

/** One side of a comparison: the requests, or their copies. Counts are requests or tokens. */
export interface ComparedSide {
  readonly errors: number
  /** Waits for the first token of streams, 50 and 95 of a hundred of which were no longer. Absent without streams. */
  readonly firstTokenP50Ms?: Millis
  readonly firstTokenP95Ms?: Millis
  /** The median of output tokens a second, from the first token of a stream on, or else from the start. Absent without usage. */
  readonly tokensPerSecond?: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** How many answers ended by each finish reason. */
  readonly finish: Readonly<Record<string, number>>
  /** Answers to requests for JSON, and those of them that are JSON. */
  readonly json: number
  readonly validJson: number
}

/** Requests that one pool served, and their copies at another one. */
export interface Comparison {
  /** Requests that have both answers. */
  readonly pairs: number
  /** Pairs of which one side left early: a client went away, or a request took the slot of a copy. They count nowhere else. */
  readonly left: number
  readonly original: ComparedSide
  readonly copy: ComparedSide
  /** Since when rows were looked at: later than what was asked for where there are too many. */
  readonly since: EpochMs
}
