import type { Config, EpochMs, Millis } from '../policy/config.ts'
import type { CallNote } from './listener/call-note.ts'

/** One finished request, for the log. What a request has not is undefined. */
export interface LogEntry extends Readonly<Partial<CallNote>> {
  readonly at: EpochMs
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** 499 when the client left before its answer. */
  readonly status: number
  readonly ms: Millis
  /** Where it is traced. */
  readonly traceId?: string | undefined
  /** Of a caller that was recognised. It is in no line of the log. */
  readonly account?: string | undefined
}

/** Hears of every request once it is over, with the configuration that it began with. */
export type Log = (entry: LogEntry, config: Config) => void
