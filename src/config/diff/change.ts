import type { Place } from '../../policy/config.ts'

/** What clients feel of a change: refusals, less for them, something else, more for them; or nothing. */
export type Effect = 'lost' | 'less' | 'other' | 'more' | 'plumbing'

/** One change of one field in one sentence. */
export interface Said {
  /** As the files call it: `rpm`, `server.listen`. */
  readonly field: string
  /** As the files would write them; null where there is none. */
  readonly from: string | null
  readonly to: string | null
  /** Without a full stop. */
  readonly text: string
  readonly effect: Effect
  /** Where it is written, if not where the field is. */
  readonly at?: Place
}

/** A change in meaning, and the place in the candidate's files that makes it. */
export interface Change extends Said {
  /** `plan pro`, `svc-pro`, `server`. */
  readonly subject: string
  readonly at: Place
}

const ORDER: readonly Effect[] = ['lost', 'less', 'other', 'more', 'plumbing']

/** What clients feel most first; the rest as it was found. */
export const inOrder = (changes: readonly Change[]): readonly Change[] =>
  ORDER.flatMap(effect => changes.filter(change => change.effect === effect))
