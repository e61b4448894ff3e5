import type { CanaryRules, EpochMs } from '../../policy/config.ts'
import {
  type CanaryCounts,
  isOf,
  judgeCanary,
  noCounts,
  type PoolOutcome,
  type Side,
  type StopReason,
  withOutcome,
} from '../../policy/traffic/canary.ts'

/** A canary as the store has it: its counts, and its stop. */
export interface CanaryRecord {
  readonly counts: CanaryCounts
  /** Absent while it runs. Counts of a canary that was stopped are those by which it was. */
  readonly stopped?: { readonly at: EpochMs; readonly why: StopReason }
}

/** A request on one side of a canary. */
export interface CanaryOutcome {
  readonly side: Side
  readonly outcome: PoolOutcome
}

/** The record in a text of the store. One of another comparison begins anew, unless it was stopped; so does an unreadable one. */
export function recordIn(text: string | undefined, rules: CanaryRules): CanaryRecord {
  const fresh = { counts: noCounts(rules) }
  if (text === undefined) return fresh
  try {
    const record = JSON.parse(text) as CanaryRecord
    return record.stopped || isOf(record.counts, rules) ? record : fresh
  } catch {
    return fresh
  }
}

/** A record with more requests. One that was stopped counts no more. */
export function withOutcomes(record: CanaryRecord, outcomes: readonly CanaryOutcome[]): CanaryRecord {
  if (record.stopped || outcomes.length === 0) return record
  return {
    counts: outcomes.reduce((counts, { side, outcome }) => withOutcome(counts, side, outcome), record.counts),
  }
}

/** A record, stopped now if it breaks a rule. */
export function judged(record: CanaryRecord, rules: CanaryRules, now: EpochMs): CanaryRecord {
  const why = record.stopped ? undefined : judgeCanary(rules, record.counts)
  return why ? { ...record, stopped: { at: now, why } } : record
}
