import type { EpochMs, NanoUsd } from '../policy/config.ts'

/** The part of the store that says what pools may cost their operator: a part of Store, and of its contract. */
export interface AllowanceStore {
  /**
   * Takes from what a pool may cost in any hour, over all gateways: every span of 60 minutes holds at most `limit`.
   * Resolves to the moment it was counted at, or to undefined, taking nothing, when it would pass the limit.
   */
  takeAllowance(take: AllowanceTake): Promise<EpochMs | undefined>
  /** Puts right what was taken; ignored once that has left the hour. */
  amendAllowance(amend: AllowanceAmend): Promise<void>
  /** What counts against the hour of a pool now. */
  readAllowance(pool: string): Promise<NanoUsd>
}

export interface AllowanceTake {
  readonly pool: string
  readonly amount: NanoUsd
  readonly limit: NanoUsd
}

export interface AllowanceAmend {
  readonly pool: string
  /** As `takeAllowance` resolved. */
  readonly at: EpochMs
  /** Usually negative. What was counted in its minute never falls below nothing. */
  readonly difference: NanoUsd
}
