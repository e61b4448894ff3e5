import { array, assert, integer, nat, property, record } from 'fast-check'
import { describe, it } from 'vitest'
import { choose, costAt, NEAR_TOKENS } from '../../../src/policy/balance/cost.ts'

const tokens = nat(2_000_000)
const candidate = record({
  inFlight: nat(300),
  heldTokens: tokens,
  owedTokens: tokens,
  miss: tokens,
})

describe('the choice of a replica', () => {
  it('is one within 256 tokens of the least cost, with the highest weight of those, wherever there is one', () => {
    assert(
      property(array(candidate, { maxLength: 40 }), integer(), (candidates, salt) => {
        const weightOf = (index: number) => Math.imul(index + 1, salt | 1) >>> 0
        const choice = choose(candidates, weightOf)
        if (!choice) return candidates.length === 0
        const chosen = candidates[choice.index]
        if (!chosen || choice.cost !== costAt(chosen)) return false
        const least = Math.min(...candidates.map(costAt))
        const near = candidates.flatMap((each, index) => (costAt(each) <= least + NEAR_TOKENS ? [weightOf(index)] : []))
        return weightOf(choice.index) === Math.max(...near)
      }),
    )
  })

  it('never costs less where more is missing, held, owed or in flight', () => {
    assert(
      property(candidate, candidate, (one, more) => {
        const loaded = {
          ...one,
          inFlight: one.inFlight + more.inFlight,
          heldTokens: one.heldTokens + more.heldTokens,
          owedTokens: one.owedTokens + more.owedTokens,
          miss: one.miss + more.miss,
        }
        return costAt(loaded) >= costAt(one) && Number.isInteger(costAt(one))
      }),
    )
  })
})
