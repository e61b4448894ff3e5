import type { EpochMs } from '../config.ts'
import type { Claims, Granted } from '../decision.ts'
import { GROWS, isIdle } from '../limits/rule.ts'
import {
  type CounterName,
  type HeldRules,
  measureOfField,
  type RuleClaim,
  type TakenCell,
  type Weight,
  windowOfField,
} from '../limits/rule-claim.ts'
import {
  addToCell,
  currentCell,
  type RuleCounter,
  type RuleReading,
  type RuleUse,
  readCell,
  readRule,
  slides,
} from '../limits/rule-counter.ts'
import { closedIndex, isClosed, openIndex } from '../limits/session-cell.ts'
import type { Charge, Hold } from './account-counters.ts'
import { isLastTurn } from './session-turn.ts'
import { amountOf, weightOf, weightOfCharge } from './weight.ts'

/** The counter of a name; NO_CELLS if nothing was counted. */
export type CounterOf = (name: CounterName) => RuleCounter

/** The use of each claimed rule; undefined if there are none. */
export const readRules = (
  { rules }: Pick<Claims, 'rules'>,
  counterOf: (claim: RuleClaim) => RuleCounter,
  now: EpochMs,
): readonly RuleReading[] | undefined => rules?.map(claim => readRule(counterOf(claim), claim.rule.per, now))

/** The hold of a request whose claims were granted at these uses; undefined if no rule counts it. */
export function heldRules(
  claims: Claims,
  granted: Pick<Granted, 'tokens' | 'cost'>,
  uses: readonly RuleUse[] = [],
): HeldRules | undefined {
  if (!claims.rules) return undefined
  const taken = claims.rules.map(({ rule, group, field }, place) => {
    const use = uses[place]
    const index = use?.index ?? 0
    return { group, field, cell: use && isLastTurn(rule, use, claims) ? closedIndex(index) : index }
  })
  return { weight: weightOf(claims, granted), taken }
}

/**
 * The use of each rule for judging another round of a request: what it `spent` so far replaces what it holds. A
 * calendar window is that of its admission. In a sliding window, the whole request counts from this round on: its
 * admission may have left the window, and its hold must not.
 */
export function readRulesAgain(
  { rules }: Claims,
  { rules: held }: Pick<Hold, 'rules'>,
  spent: Charge,
  counterOf: CounterOf,
  now: EpochMs,
): readonly RuleReading[] | undefined {
  const weight = weightOfCharge(spent)
  return rules?.map(claim => {
    const { per, measure } = claim.rule
    const taken = held && takenOf(held, claim)
    if (!held || !taken) return readRule(counterOf(claim), per, now)
    const counter = counterOf(claim)
    const index = cellAgain(counter, taken, now)
    const moved = move(
      counter,
      taken,
      { ...taken, cell: index },
      [amountOf(measure, held.weight), amountOf(measure, weight)],
      Math.max(index, taken.cell),
    )
    return readCell(moved, per, index)
  })
}

const takenOf = ({ taken }: HeldRules, { group, field }: RuleClaim): TakenCell | undefined =>
  taken.find(cell => cell.field === field && cell.group === group)

/** The hold of a request with another round: `granted`, after what it `spent` so far. */
export function extendedRules(
  claims: Claims,
  { rules }: Pick<Hold, 'rules'>,
  spent: Charge,
  granted: Pick<Granted, 'tokens' | 'cost'>,
  counterOf: CounterOf,
  at: EpochMs,
): HeldRules | undefined {
  if (!rules) return undefined
  const taken = rules.taken.map(cell => ({ ...cell, cell: cellAgain(counterOf(cell), cell, at) }))
  const [before, now] = [weightOfCharge(spent), weightOf(claims, granted)]
  const weight = {
    input: before.input + now.input,
    output: before.output + now.output,
    images: rules.weight.images,
    seconds: rules.weight.seconds,
    cost: before.cost + now.cost,
  }
  return { weight, taken }
}

/** The cell that another round of a request counts in. */
const cellAgain = (counter: RuleCounter, taken: TakenCell, now: EpochMs): number => {
  const per = windowOfField(taken.field)
  return slides(per) && GROWS[measureOfField(taken.field)] ? currentCell(counter, per, now) : taken.cell
}

/**
 * The counter after the admission of a request that holds `weight`. The request itself counts at once, and is never
 * given back.
 */
export const takeCell = (counter: RuleCounter, taken: TakenCell, weight: Weight): RuleCounter =>
  change(counter, taken, isRequests(taken) ? 1 : 0, heldOf(taken, weight), taken.cell)

/** The counter with the hold of a request that was counted before. */
export const holdCell = (counter: RuleCounter, taken: TakenCell, weight: Weight): RuleCounter =>
  change(counter, taken, 0, heldOf(taken, weight), Math.max(taken.cell, counter.at(-1)?.index ?? taken.cell))

/** The counter after a change of a request's hold, perhaps into another cell. */
export const extendCell = (
  counter: RuleCounter,
  [before, after]: readonly [TakenCell, TakenCell],
  [was, is]: readonly [Weight, Weight],
  now: EpochMs,
): RuleCounter =>
  isRequests(before)
    ? counter
    : move(
        counter,
        before,
        after,
        [heldOf(before, was), heldOf(after, is)],
        currentCell(counter, windowOfField(before.field), now),
      )

/** Moves a hold from one cell to another, or changes it within one. */
function move(
  counter: RuleCounter,
  { field, cell: from }: TakenCell,
  { cell: to }: TakenCell,
  [was, is]: readonly [number, number],
  current: number,
): RuleCounter {
  const per = windowOfField(field)
  if (from === to || isIdle(per)) return addToCell(counter, per, { index: to, used: 0, held: is - was }, current)
  const less = addToCell(counter, per, { index: from, used: 0, held: -was }, current)
  return addToCell(less, per, { index: to, used: 0, held: is }, current)
}

/** The counter after an orphan that still runs takes its hold again. */
export const resumeCell = (counter: RuleCounter, taken: TakenCell, weight: Weight, now: EpochMs): RuleCounter =>
  takeTurnAgain(changeAt(counter, taken, 0, heldOf(taken, weight), now), taken, now)

/**
 * The counter after a hold ended at the request's weight, less its earlier charge `was`. A last turn that was charged
 * nothing may be granted again.
 */
export const releaseCell = (
  counter: RuleCounter,
  taken: TakenCell,
  held: Weight,
  charge: Weight,
  now: EpochMs,
  was?: Weight,
): RuleCounter => {
  const used = chargedOf(taken, charge) - (was ? chargedOf(taken, was) : 0)
  return settleTurn(changeAt(counter, taken, used, -heldOf(taken, held), now), taken, charge, now)
}

/** The counter after a request without a hold weighs `charge`, and was charged `was` before. */
export const amendCell = (
  counter: RuleCounter,
  taken: TakenCell,
  was: Weight,
  charge: Weight,
  now: EpochMs,
): RuleCounter =>
  settleTurn(changeAt(counter, taken, chargedOf(taken, charge) - chargedOf(taken, was), 0, now), taken, charge, now)

/** The counter with a request that its admission did not count. */
export const joinCell = (counter: RuleCounter, joined: TakenCell, charge: Weight, now: EpochMs): RuleCounter =>
  change(
    counter,
    joined,
    amountOf(measureOfField(joined.field), charge),
    0,
    currentCell(counter, windowOfField(joined.field), now),
  )

/** The counter once a request's charge is known: only a charged request uses up the last turn of its session. */
function settleTurn(counter: RuleCounter, taken: TakenCell, charge: Weight, now: EpochMs): RuleCounter {
  if (!hasLastTurn(taken)) return counter
  return isCharged(charge) ? takeTurnAgain(counter, taken, now) : giveTurnBack(counter, taken)
}

/** Whether a request was granted the last turn of its session. */
export const hasLastTurn = ({ field, cell }: TakenCell): boolean => isClosed(cell) && isIdle(windowOfField(field))

const isCharged = ({ input, output, images, seconds, cost }: Weight): boolean =>
  input + output + images + seconds + cost > 0

/** Reopens a session. The request of that turn no longer counts, or a limit of requests would refuse the next. */
function giveTurnBack(counter: RuleCounter, taken: TakenCell): RuleCounter {
  const cell = counter.at(-1)
  if (!cell || !isClosed(cell.index)) return counter
  const used = Math.max(0, cell.used - (isRequests(taken) ? 1 : 0))
  return [{ index: openIndex(cell.index), used, held: cell.held }]
}

/** Closes a session whose turn was given back too early. For other measures, the change of their amounts closes it. */
function takeTurnAgain(counter: RuleCounter, taken: TakenCell, now: EpochMs): RuleCounter {
  if (!isRequests(taken) || !hasLastTurn(taken)) return counter
  const per = windowOfField(taken.field)
  const { index, cells } = readRule(counter, per, now)
  const [cell] = cells
  if (!cell || isClosed(cell.index)) return counter
  return addToCell(counter, per, { index: taken.cell, used: 1, held: 0 }, index)
}

function changeAt(counter: RuleCounter, taken: TakenCell, used: number, held: number, now: EpochMs): RuleCounter {
  return isRequests(taken)
    ? counter
    : change(counter, taken, used, held, currentCell(counter, windowOfField(taken.field), now))
}

const change = (
  counter: RuleCounter,
  { field, cell }: TakenCell,
  used: number,
  held: number,
  current: number,
): RuleCounter => addToCell(counter, windowOfField(field), { index: cell, used, held }, current)

/** Whether a counter changes when a request is admitted, and not when it ends. */
export const isRequests = ({ field }: TakenCell): boolean => measureOfField(field) === 'requests'

/** The amount that a settlement replaces: 0 for requests, which are never given back. */
function heldOf({ field }: TakenCell, weight: Weight): number {
  const measure = measureOfField(field)
  return measure === 'requests' ? 0 : amountOf(measure, weight)
}

/** The amount that a settlement charges: 0 for concurrent requests, and for requests, which count at admission. */
function chargedOf({ field }: TakenCell, weight: Weight): number {
  const measure = measureOfField(field)
  return measure === 'requests' || measure === 'concurrent' ? 0 : amountOf(measure, weight)
}
