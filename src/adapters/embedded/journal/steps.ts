import type { LaterSums } from '../../../gateway/store/total-sums.ts'
import type { EpochMs } from '../../../policy/config.ts'
import type { Charge, Hold } from '../../../policy/counters/account-counters.ts'
import type { CounterName, JoinedCell } from '../../../policy/limits/rule-claim.ts'
import type { RuleCounter } from '../../../policy/limits/rule-counter.ts'
import type { Watch } from '../../../policy/notices.ts'
import type { PackedRow, ToolUse } from '../ledger-rows.ts'
import type { JournaledHold } from '../open-holds.ts'

/**
 * The changes of the store's state, as records of the journal have them, in the order in which they were made. Each has all
 * that it depends on besides the state, so that repeating them on a state gives the same state again.
 */
export interface Steps {
  /** A request was admitted. */
  readonly take: [held: JournaledHold]
  /** A request goes on with another round. */
  readonly extend: [at: EpochMs, held: JournaledHold, spent: Charge]
  /** An orphan runs on. */
  readonly resume: [at: EpochMs, held: JournaledHold]
  /** A hold ended at a charge; `was` is what was charged before. */
  readonly end: [at: EpochMs, requestId: string, charge: Charge, was: Charge]
  /** The charge of a request changed whose hold had ended. */
  readonly amend: [at: EpochMs, hold: Hold, was: Charge, charge: Charge, shared: true | null]
  /** A request was charged to counters of which it held nothing. */
  readonly join: [at: EpochMs, account: string, joined: readonly JoinedCell[], charge: Charge]
  /** The charge before this crossed thresholds of limits that notices are about. */
  readonly announce: [at: EpochMs, account: string, watches: readonly Watch[]]
  /** A counter of a rule began. */
  readonly begin: [account: string, name: CounterName, counter: RuleCounter]
  /** A row was added to the ledger. */
  readonly row: [key: string, row: PackedRow, requests: 0 | 1, later: LaterSums | null, tools: ToolUse | null]
}

export type Step = { readonly [Name in keyof Steps]: readonly [Name, ...Steps[Name]] }[keyof Steps]
