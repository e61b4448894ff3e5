import type { EpochMs } from '../../policy/config.ts'

/** Measures how long one stream waits for its first token. */
export interface FirstToken {
  /** The stream was requested. */
  sent(now: EpochMs): void
  /** Its first token arrived. */
  came(now: EpochMs): void
  /** The attempt ended. One that ended early without a first token says nothing about the replica. */
  ended(now: EpochMs): void
}
