import { type Calendar, dayOfCalendar, startOf, UTC_CALENDAR } from '../calendar.ts'
import type { EpochMs } from '../time.ts'
import { countsModel, type LimitWindow, type Measure, type RuledModel, slidingDays } from './rule.ts'
import type { RuleClaim } from './rule-claim.ts'
import { addToCell, cellAt, cellStart, isOver, type RuleCounter, windowStart } from './rule-counter.ts'

/** The ledger's sums of one day, plan, model and key. */
export interface DaySums extends Sums {
  /** Days since the epoch, by the calendar that the files had when their requests were admitted. */
  readonly day: number
  readonly plan: string
  readonly model: string
  readonly key?: string
}

/** Sums over requests. */
export interface Sums {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number
}

/** The first day of the ledger, in days since the epoch, that counts in the window of a rule at a moment. */
export const firstDay = ({ rule: { per } }: RuleClaim, at: EpochMs, calendar: Calendar = UTC_CALENDAR): number =>
  dayOfCalendar(calendar, per === undefined ? at : windowStart(per, at))

/**
 * Whether a counter would be the same if it began anew: nothing of it counts, and of a window that slides nothing lies in
 * the days that it would begin with, since they count as if all of them was used at their end. `calendar` is that of the
 * files: the ledger's days are its days.
 */
export function mayBeginAnew(
  counter: RuleCounter,
  per: LimitWindow | undefined,
  at: EpochMs,
  calendar: Calendar = UTC_CALENDAR,
): boolean {
  const newest = counter.at(-1)?.index
  if (!isOver(newest, per, at)) return false
  if (newest === undefined || per === undefined || slidingDays(per) === undefined) return true
  return cellStart(per, newest + 1) <= startOf('day', calendar, dayOfCalendar(calendar, windowStart(per, at)))
}

/** Whether a rule counts these sums, whose key is the one that its counter names. */
export function countsSums(
  { rule, group, field }: RuleClaim,
  models: ReadonlyMap<string, RuledModel>,
  { plan, model, key }: Pick<DaySums, 'plan' | 'model' | 'key'>,
): boolean {
  if (group.startsWith('plan:') && group !== `plan:${plan}`) return false
  const [, , ofKey] = field.split('/', 3)
  if (ofKey && ofKey !== key) return false
  return countsModel(rule, models.get(model) ?? { name: model, tier: '' })
}

/**
 * The counter with the sums of one day. In a window that slides they count as if they were used at the end of the day, or
 * now: never less than there was.
 */
export const addDay = (
  counter: RuleCounter,
  claim: RuleClaim,
  sums: DaySums,
  now: EpochMs,
  calendar: Calendar = UTC_CALENDAR,
): RuleCounter => addSums(counter, claim, sums, Math.min(now, startOf('day', calendar, sums.day + 1) - 1), now)

/** The counter with what requests came to that were admitted at a moment. */
export const addSums = (
  counter: RuleCounter,
  { rule: { per, measure } }: RuleClaim,
  sums: Sums,
  at: EpochMs,
  now: EpochMs,
): RuleCounter =>
  addToCell(counter, per, { index: cellAt(per, at), used: sumOf(measure, sums), held: 0 }, cellAt(per, now))

/** Sums of a model, as limits count them: of images no tokens that were put out. */
export const countedOf = <T extends Sums & { readonly model: string }>(
  models: ReadonlyMap<string, { readonly kind: string }>,
  sums: T,
): T => (models.get(sums.model)?.kind === 'image' ? { ...sums, outputTokens: 0 } : sums)

function sumOf(measure: Measure, { requests, inputTokens, outputTokens, cost }: Sums): number {
  switch (measure) {
    case 'requests':
      return requests
    case 'tokens':
      return inputTokens + outputTokens
    case 'input_tokens':
      return inputTokens
    case 'output_tokens':
      return outputTokens
    case 'usd':
      return cost
    default:
      throw new Error(`the ledger has no sums of ${measure}`)
  }
}
