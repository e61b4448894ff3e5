import { nanoUsd, ZERO_USD } from '../nano-usd.ts'
import { type Charge, type Hold, presentOf } from './account-counters.ts'
import { weightOfCharge, weightWithout } from './weight.ts'

/** The hold of a request that was charged `was` as an orphan and still runs. */
export function remainderOf(hold: Hold, was: Charge): Hold {
  const { spent, rules } = hold
  const remainder = {
    ...hold,
    tokens: Math.max(0, hold.tokens - presentOf(hold, was)),
    cost: nanoUsd(Math.max(0, spent.cost + hold.cost - was.cost)),
    spent: { ...spent, cost: ZERO_USD },
  }
  if (!rules) return remainder
  return { ...remainder, rules: { ...rules, weight: weightWithout(rules.weight, weightOfCharge(was)) } }
}
