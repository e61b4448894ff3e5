/**
 * A prompt as a cache of prefixes sees it: a mark for each of its beginnings, without any of its text. Two prompts that
 * begin alike have the same first marks. Plain data, made by `src/wire/prompt-sampler.ts`.
 */
export interface PromptSketch {
  /** Marks, of two halves of 32 bits each, in the order of the prompt. */
  readonly low: readonly number[]
  readonly high: readonly number[]
  /** UTF-8 bytes of the prompt up to each mark. */
  readonly ends: readonly number[]
  /** UTF-8 bytes of the whole prompt, with what images weigh. */
  readonly bytes: number
  /** The mark at the end of the first message of a user: what a conversation began with. */
  readonly anchor: number
}

/** The marks within the first bytes of a prompt. */
export function beginningOf(sketch: PromptSketch, bytes: number): PromptSketch {
  const { low, high, ends } = sketch
  const end = ends.findIndex(each => each > bytes)
  if (end < 0) return sketch
  return { ...sketch, low: low.slice(0, end), high: high.slice(0, end), ends: ends.slice(0, end) }
}

/** Who may find whose prefix in a cache. */
export type Caches = 'account' | 'org' | 'pool'

/** How requests are spread over the replicas of a pool. */
export type Balance = 'prefix' | 'session' | 'busy'

/** Who shares a prefix, as a key for marks: those of one domain say nothing about another's. */
export interface MarkKey {
  readonly low: number
  readonly high: number
}
