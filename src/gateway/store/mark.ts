import type { EpochMs } from '../../policy/config.ts'

/**
 * What a store says of a move to another one. `moved`: the other one has all that it had, and goes on. `copy`: it is the other
 * one's copy, and takes over once a gateway has put it in its place.
 */
export interface Mark {
  readonly state: 'moved' | 'copy'
  /** Of the move. */
  readonly id: string
  /** The other store, as it may be shown. */
  readonly other: string
  readonly at: EpochMs
}

export const markText = (mark: Mark): string => JSON.stringify(mark)

/** Undefined where there is none. */
export const readMark = (text: string | null | undefined): Mark | undefined =>
  text ? (JSON.parse(text) as Mark) : undefined
