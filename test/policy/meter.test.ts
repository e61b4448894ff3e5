import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { costOfMeter, worstOf } from '../../src/policy/price.ts'

const MB = 1_000_000

test('a share of a price is exact, rounded up once, and no more than is held', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5_000_000_000 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 0, max: 1_000_000_000 }),
      (price, max, bytes) => {
        const cost = costOfMeter({ by: 'mb', price: nanoUsd(price), max }, { bytes, millis: 0 })
        const exact = (BigInt(price) * BigInt(bytes) + BigInt(MB) - 1n) / BigInt(MB)
        const most = BigInt(price) * BigInt(max)
        expect(BigInt(cost)).toBe(exact < most ? exact : most)
      },
    ),
  )
})

test('a second is counted in milliseconds, each begun one whole', () => {
  const meter = { by: 'second', price: nanoUsd(1_000_000), max: 20 } as const
  const after = (millis: number) => costOfMeter(meter, { bytes: 0, millis })

  expect([after(0), after(0.2), after(1), after(1000), after(1001.5), after(1e9)]).toEqual([
    0, 1000, 1000, 1_000_000, 1_002_000, 20_000_000,
  ])
})

test('the reservation is the maximum cost', () => {
  expect(worstOf({ by: 'call', price: nanoUsd(7) })).toBe(7)
  expect(worstOf({ by: 'second', price: nanoUsd(7), max: 3 })).toBe(21)
  expect(worstOf({ by: 'usage', input: 1, output: 1 })).toBe(0)
})
