import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Hold, minuteEnd, usedOf } from '../../policy/counters/account-counters.ts'
import { isShown, resetOf } from '../../policy/counters/limit-use.ts'
import { amountOf } from '../../policy/counters/weight.ts'
import type { Allowed, Claims, Mutable } from '../../policy/decision.ts'
import type { Measure } from '../../policy/limits/limit-rule.ts'
import { mostOf } from '../../policy/limits/named-rules.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { RuleClaim } from '../../policy/limits/rule-claim.ts'
import { cellEnd, NOTHING_READ, type RuleReading, type RuleUse } from '../../policy/limits/rule-counter.ts'
import type { RateLimit, RateState } from '../../wire/quota-headers.ts'

/** An admitted request, with what the store read of its account at the admission. */
interface Counted {
  readonly decision: Pick<Allowed, 'claims'>
  readonly readings: Readings
  readonly rules?: readonly RuleUse[]
  readonly hold: Hold
}

/** The rest of the limits that an admitted request met: its reservation counts as used. */
export function rateAfter({ decision, readings, rules, hold }: Counted): RateState {
  const { claims } = decision
  const { round, spent, at, second } = hold
  const state = minuteState(claims, {
    requests: readings.requests + 1,
    tokens: readings.tokens + spent.tokens + hold.tokens,
    // A later round counts in a later second, and only the moment of the admission is known.
    resetMs: minuteEnd(second) - (round === 0 ? at : second * 1000),
  })
  const weight = hold.rules?.weight
  if (claims.rules && rules && weight)
    addRules(state, claims.rules, ({ rule }, place) => {
      const { used, held, index } = rules[place] ?? NOTHING_READ
      return { used: used + held + amountOf(rule.measure, weight), resetMs: cellEnd(rule.per, index) - at }
    })
  return state
}

/** The rest of the limits that a refused request met; `newest` is the last second that counts in the minute, or 0. */
export function rateAt(claims: Claims, readings: Readings, { at, newest, rules }: Refused): RateState {
  const { requests, tokens } = readings
  const state = minuteState(claims, { requests, tokens, resetMs: newest === 0 ? 0 : minuteEnd(newest) - at })
  if (claims.rules && rules)
    addRules(state, claims.rules, ({ rule }, place) => {
      const reading = rules[place] ?? NOTHING_READ
      return { used: reading.used + reading.held, resetMs: (resetOf(rule, reading) ?? at) - at }
    })
  return state
}

interface Refused {
  readonly at: EpochMs
  readonly newest: number
  readonly rules?: readonly RuleReading[] | undefined
}

interface MinuteUse {
  readonly requests: number
  readonly tokens: number
  readonly resetMs: Millis
}

/** How much of the fullest limit is taken that a request met, with what it reserved: 1 where that is all. */
export function fullestShare({ decision, readings, rules, hold }: Counted): number {
  const { limits, spend, rules: claims = [] } = decision.claims
  let share = 0
  const add = (taken: number, most: number) => {
    if (taken > share * most) share = taken / most
  }
  for (const rule of limits) add(usedOf(readings, rule.name) + (rule.measure === 'tokens' ? hold.tokens : 1), rule.most)
  if (spend.limit !== undefined) add(readings.used + readings.held + hold.cost, spend.limit)
  const weight = hold.rules?.weight
  if (rules && weight)
    claims.forEach(({ rule }, place) => {
      const { used, held } = rules[place] ?? NOTHING_READ
      add(used + held + amountOf(rule.measure, weight), rule.most)
    })
  return share
}

function minuteState({ limits }: Claims, { requests, tokens, resetMs }: MinuteUse): Mutable<RateState> {
  const state: Mutable<RateState> = {}
  const [rpm, tpm] = [mostOf(limits, 'rpm'), mostOf(limits, 'tpm')]
  if (Number.isFinite(rpm)) state.requests = left(rpm, requests, resetMs)
  if (Number.isFinite(tpm)) state.tokens = left(tpm, tokens, resetMs)
  return state
}

/** Shows one of the limits that count the same: the one with the least left, or of two equal ones the one that renews later. */
function addRules(
  state: Mutable<RateState>,
  claims: readonly RuleClaim[],
  counted: (claim: RuleClaim, place: number) => { readonly used: number; readonly resetMs: Millis },
): void {
  for (const [place, claim] of claims.entries()) {
    const name = NAMES[claim.rule.measure]
    if (!name || !isShown(claim)) continue
    const { used, resetMs } = counted(claim, place)
    const found = left(claim.rule.most, used, resetMs)
    if (isTighter(found, state[name])) state[name] = found
  }
}

const NAMES: Readonly<Partial<Record<Measure, keyof RateState>>> = {
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
}

const isTighter = (one: RateLimit, other: RateLimit | undefined): boolean =>
  !other || one.remaining < other.remaining || (one.remaining === other.remaining && one.resetMs > other.resetMs)

const left = (limit: number, used: number, resetMs: Millis): RateLimit => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetMs,
})
