import type { JsonObject } from '../../json-safety.ts'
import type { ClientTools } from './tool-kinds.ts'

/** What of a request its answer is written by. */
export interface Wanted {
  readonly tools: ClientTools
  /** Of earlier calls: no other one may have such an id. */
  readonly callIds: ReadonlySet<string>
  /** Whether reasoning is written as a summary, which is all that most clients show. */
  readonly summaries: boolean
  /** Whether reasoning is sealed too, for the client to send it back. */
  readonly sealed: boolean
  readonly logprobs: boolean
  /** The body, of which an answer repeats some fields. */
  readonly echoed: JsonObject
}
