import type { EpochMs } from '../../policy/config.ts'
import type { Charge, Hold } from '../../policy/counters/account-counters.ts'
import {
  amendCell,
  extendCell,
  holdCell,
  joinCell,
  releaseCell,
  resumeCell,
  takeCell,
} from '../../policy/counters/rule-hold.ts'
import { weightOfCharge } from '../../policy/counters/weight.ts'
import type { Claims } from '../../policy/decision.ts'
import {
  beginsWithLedger,
  type CounterName,
  type HeldRules,
  type JoinedCell,
  type TakenCell,
} from '../../policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from '../../policy/limits/rule-counter.ts'
import type { RuleCounters } from './rule-counters.ts'

/** The counters among claims that begin with what the ledger knows, and have not begun. */
export function missingCounters(rules: RuleCounters, account: string, claims: Claims): readonly CounterName[] {
  if (!claims.rules) return NONE
  const missing: CounterName[] = []
  for (const claim of claims.rules) {
    const { group, field } = claim
    if (beginsWithLedger(claim) && !rules.find(account, claim)) missing.push({ group, field })
  }
  return missing
}

const NONE: readonly CounterName[] = []

/** Counts a request in the counters of its rules, and what it holds of them. */
export function takeRules(rules: RuleCounters, account: string, { weight, taken }: HeldRules): void {
  for (const cell of taken) rules.put(account, cell, takeCell(rules.of(account, cell), cell, weight))
}

/** Holds the counts of a request that an earlier process counted. */
export function holdRules(rules: RuleCounters, { account, rules: held }: Hold): void {
  if (!held) return
  for (const cell of held.taken) rules.put(account, cell, holdCell(rules.of(account, cell), cell, held.weight))
}

/** Holds the counts of an orphan that still runs. */
export function resumeRules(rules: RuleCounters, { account, rules: held }: Hold, at: EpochMs): void {
  if (held) end(rules, account, held, (counter, cell) => resumeCell(counter, cell, held.weight, at))
}

/** Raises or lowers the counts that a request holds. */
export function extendRules(
  rules: RuleCounters,
  account: string,
  { weight, taken }: HeldRules,
  after: HeldRules,
  at: EpochMs,
): void {
  for (const [place, cell] of taken.entries()) {
    const moved = after.taken[place] ?? cell
    rules.put(account, cell, extendCell(rules.of(account, cell), [cell, moved], [weight, after.weight], at))
  }
}

/** A hold ended at what the request weighed, less what it was charged before, `was`. */
export function releaseRules(
  rules: RuleCounters,
  { account, rules: held }: Hold,
  charge: Charge,
  at: EpochMs,
  was: Charge,
): void {
  if (!held) return
  const [before, after] = [weightOfCharge(was), weightOfCharge(charge)]
  end(rules, account, held, (counter, cell) => releaseCell(counter, cell, held.weight, after, at, before))
}

/** A request is charged to counters of which it held nothing. */
export function joinRules(
  rules: RuleCounters,
  account: string,
  joined: readonly JoinedCell[],
  charge: Charge,
  at: EpochMs,
): void {
  const weight = weightOfCharge(charge)
  for (const cell of joined)
    if (!cell.begins || rules.find(account, cell))
      rules.put(account, cell, joinCell(rules.of(account, cell), cell, weight, at))
}

/** A request that holds nothing any more weighs `charge`, and was charged `was`. */
export function amendRules(
  rules: RuleCounters,
  { account, rules: held }: Hold,
  was: Charge,
  charge: Charge,
  at: EpochMs,
): void {
  if (!held) return
  const [before, after] = [weightOfCharge(was), weightOfCharge(charge)]
  end(rules, account, held, (counter, cell) => amendCell(counter, cell, before, after, at))
}

/** The end of a request of a window before begins no counter: it would begin without what the ledger knows. */
function end(
  rules: RuleCounters,
  account: string,
  { taken }: HeldRules,
  changed: (counter: RuleCounter, cell: TakenCell) => RuleCounter,
): void {
  for (const cell of taken) {
    const before = rules.find(account, cell)
    const after = changed(before ?? NO_CELLS, cell)
    if (before ? after !== before : after.length > 0) rules.put(account, cell, after)
  }
}
