import { expect, expectTypeOf, it } from 'vitest'
import type { Plan, Price } from '../../src/policy/config.ts'
import {
  addNanoUsd,
  lowerNanoUsd,
  type NanoUsd,
  nanoUsd,
  subtractNanoUsd,
  ZERO_USD,
} from '../../src/policy/nano-usd.ts'
import { costOf } from '../../src/policy/price.ts'
import { usdText } from '../../src/wire/money.ts'

it('a plain number, such as an amount of dollars or of tokens, does not pass for nano-USD', () => {
  const dollars: number = 20

  // @ts-expect-error: a number has no unit.
  const plan: Partial<Plan> = { monthlyNanoUsd: dollars }
  // @ts-expect-error: neither has a literal.
  const price: Price = { input: 1000, output: ZERO_USD }
  // @ts-expect-error: what is shown to clients is divided by 1e9.
  usdText(dollars)

  expect([plan, price]).toHaveLength(2)
})

it('arithmetic with the operators of the language loses the unit', () => {
  expectTypeOf(nanoUsd(1)).toExtend<number>()
  expectTypeOf<number>().not.toExtend<NanoUsd>()
  expectTypeOf(nanoUsd(1)).toEqualTypeOf<NanoUsd>()
  // @ts-expect-error: a product may be of anything.
  const product: NanoUsd = nanoUsd(2) * 3

  expect(product).toBe(6)
})

it('amounts stay amounts: added, subtracted, the lower of two, and as a cost', () => {
  expectTypeOf(addNanoUsd).returns.toEqualTypeOf<NanoUsd>()
  expectTypeOf(costOf).returns.toEqualTypeOf<NanoUsd>()

  expect(addNanoUsd(nanoUsd(2), nanoUsd(3))).toBe(5)
  expect(subtractNanoUsd(nanoUsd(2), nanoUsd(3))).toBe(-1)
  expect(lowerNanoUsd(nanoUsd(2), nanoUsd(3))).toBe(2)
})
