import type { EpochMs } from '../../policy/config.ts'

/** The wait of one stream for its first token. */
export interface FirstToken {
  /** The stream is on its way to the replica. */
  sent(now: EpochMs): void
  /** Its first token came. */
  came(now: EpochMs): void
  /** The attempt is over; one that ended early without a first token says nothing of the replica. */
  ended(now: EpochMs): void
}
