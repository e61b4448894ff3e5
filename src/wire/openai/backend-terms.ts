import type { CapField } from '../../policy/config.ts'
import type { PoolFacts } from '../../policy/providers/profile.ts'

/** The values that replace the client's in a body. */
export interface BackendTerms {
  /** The backend's own name of the model. */
  readonly model: string
  /** The granted cap. */
  readonly output: number
  /** The fields that say the cap; without them the client's own. */
  readonly caps?: readonly CapField[] | undefined
  /** The fields that its provider takes; without it, every field of a chat. */
  readonly facts?: PoolFacts | undefined
  /** Set where messages, parts and tools keep their marks for a cache. */
  readonly marks?: boolean | undefined
  /** Set where the answer is fetched as a stream, whatever the client asked for. */
  readonly streams?: true | undefined
  /** The salt by which the backend keeps its cached prompt from others. */
  readonly cacheSalt?: string | undefined
  /** Where the engine places the request in its order. */
  readonly priority?: number | undefined
}
