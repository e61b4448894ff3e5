import type { JsonObject } from '../../json-safety.ts'
import type { ClientTools } from './tool-kinds.ts'

/** The parts of a request that shape its answer. */
export interface Wanted {
  readonly tools: ClientTools
  /** The ids of earlier calls, which no new call may have. */
  readonly callIds: ReadonlySet<string>
  /** Whether reasoning is written as a summary, which is all that most clients show. */
  readonly summaries: boolean
  /** Whether reasoning is sealed too, for the client to send it back. */
  readonly sealed: boolean
  readonly logprobs: boolean
  /** The body, of which an answer repeats some fields. */
  readonly echoed: JsonObject
}
