import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addAllotment,
  chargesOf,
  exactCost,
  isCharge,
  readAllotted,
  readCharge,
} from '../../../src/policy/billing/charges.ts'
import type { Price } from '../../../src/policy/config.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { costOfTokens } from '../../../src/policy/price.ts'

const amount = fc.integer({ min: 0, max: 50_000_000 }).map(nanoUsd)
const price: fc.Arbitrary<Price> = fc.record(
  { input: amount, output: amount, cachedInput: amount, cacheWrite: amount, cacheWrite1h: amount, item: amount },
  { requiredKeys: ['input', 'output'] },
)
const count = fc.integer({ min: 0, max: 1_000_000 })
const tokens = fc.record({
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  cacheWrite1hTokens: count,
})

it('the charges of a request cost what the request costs, rounded up to a nano-USD', () => {
  fc.assert(
    fc.property(price, tokens, fc.integer({ min: 0, max: 4 }), (paid, used, images) => {
      const charges = chargesOf(paid, used, images === 0 ? undefined : { kind: 'image', count: images })
      const exact = Object.entries(charges).reduce((sum, [name, quantity]) => {
        const unit = readCharge(name)
        if (!unit) throw new Error(`${name} is no charge`)
        return sum + exactCost(unit, quantity)
      }, 0n)
      expect((exact + 999n) / 1000n).toBe(BigInt(costOfTokens(paid, used, images)))
    }),
  )
})

it('a quantity of nothing is no charge, and tokens of a cache without a price of their own are other input', () => {
  const plain = { input: nanoUsd(500), output: nanoUsd(1500) }
  expect(chargesOf(plain, { inputTokens: 9, cachedTokens: 4, outputTokens: 0 })).toEqual({ 'input@500': 9 })
  expect(
    chargesOf({ ...plain, cachedInput: nanoUsd(50) }, { inputTokens: 9, cachedTokens: 4, outputTokens: 2 }),
  ).toEqual({
    'input@500': 5,
    'cached@50': 4,
    'output@1500': 2,
  })
})

it('no name of a hosted tool is read as a charge or an allotment', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9_]{0,46}$/), tool => {
      expect([isCharge(tool), readCharge(tool), readAllotted(tool)]).toEqual([false, undefined, undefined])
    }),
  )
})

it('an allotment is read as it was written', () => {
  const [allowance, credit] = Object.keys(addAllotment({}, nanoUsd(20), nanoUsd(5))).map(readAllotted)
  expect([allowance, credit]).toEqual([
    { of: 'allowance', amount: 20 },
    { of: 'credit', amount: 5 },
  ])
  expect(Object.keys(addAllotment({}, nanoUsd(0), nanoUsd(0)))).toEqual(['allowance@0'])
})
