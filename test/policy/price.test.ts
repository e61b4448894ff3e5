import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { costOf, costOfTokens, heldPrice, outputWithin, withCacheWrites } from '../../src/policy/price.ts'

const MAX_EXACT = 2n ** 53n

/** From free to 1,000 USD for a million tokens. */
const price = fc.record({ input: fc.nat(1_000_000_000).map(nanoUsd), output: fc.nat(1_000_000_000).map(nanoUsd) })
const tokens = fc.nat(4_000_000)
const budget = fc.oneof(fc.nat(1_000_000), fc.nat(9_000_000_000_000)).map(nanoUsd)

const exact = (a: { input: number; output: number }, input: number, output: number): bigint =>
  BigInt(input) * BigInt(a.input) + BigInt(output) * BigInt(a.output)

describe('price', () => {
  it.each([
    // usd_per_1m: 0.10 in, 0.40 out
    [{ input: nanoUsd(100_000), output: nanoUsd(400_000) }, 1_000_000, 0, 100_000_000],
    [{ input: nanoUsd(100_000), output: nanoUsd(400_000) }, 0, 1_000_000, 400_000_000],
    [{ input: nanoUsd(100_000), output: nanoUsd(400_000) }, 1, 1, 500],
    // The smallest request of the cheapest model still costs something.
    [{ input: nanoUsd(1), output: nanoUsd(0) }, 1, 0, 1],
    [{ input: nanoUsd(1), output: nanoUsd(1) }, 500, 501, 2],
    [{ input: nanoUsd(0), output: nanoUsd(0) }, 5000, 5000, 0],
  ])('%j for %d in and %d out costs %d nano-USD', (price, input, output, cost) => {
    expect(costOf(price, input, output)).toBe(cost)
  })

  it('a cost is exact, rounded up once', () => {
    fc.assert(
      fc.property(price, tokens, tokens, (price, input, output) => {
        const total = exact(price, input, output)
        fc.pre(total < MAX_EXACT)
        expect(BigInt(costOf(price, input, output))).toBe((total + 999n) / 1000n)
      }),
      { numRuns: 5000 },
    )
  })

  it('the output within a budget is the largest that it pays', () => {
    fc.assert(
      fc.property(price, fc.nat(200_000), budget, (price, input, budget) => {
        fc.pre(price.output > 0 && exact(price, input, 0) < MAX_EXACT)
        const most = outputWithin(price, input, 0, budget)
        const paid = (output: number) => (exact(price, input, 0) + BigInt(output) * BigInt(price.output) + 999n) / 1000n
        if (most >= 0) expect(paid(most)).toBeLessThanOrEqual(BigInt(budget))
        expect(paid(Math.max(0, most + 1))).toBeGreaterThan(BigInt(budget))
      }),
      { numRuns: 5000 },
    )
  })

  it('free output is bounded by the input alone', () => {
    const price = { input: nanoUsd(1000), output: nanoUsd(0) }

    expect(outputWithin(price, 10, 0, nanoUsd(10))).toBe(Number.MAX_SAFE_INTEGER)
    expect(outputWithin(price, 10, 0, nanoUsd(9))).toBe(-1)
  })
})

const nano = fc.nat(1_000_000_000).map(nanoUsd)
const cachePrice = fc.record(
  { input: nano, output: nano, cachedInput: nano, cacheWrite: nano, cacheWrite1h: nano },
  { requiredKeys: ['input', 'output'] },
)
/** Also counts of backends that say that more was cached than they read. */
const counts = fc.record(
  {
    inputTokens: fc.nat(1_000_000),
    outputTokens: fc.nat(1_000_000),
    cachedTokens: fc.nat(1_200_000),
    cacheWriteTokens: fc.nat(1_200_000),
    cacheWrite1hTokens: fc.nat(1_200_000),
  },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
)

describe('tokens of a cache', () => {
  it('cost what their parts cost, each at its price, rounded up once', () => {
    fc.assert(
      fc.property(cachePrice, counts, (price, tokens) => {
        const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = tokens
        const cached = Math.min(cachedTokens, inputTokens)
        const written = Math.min(cacheWriteTokens, inputTokens - cached)
        const kept = Math.min(cacheWrite1hTokens, written)
        const parts = [
          [inputTokens - cached - written, price.input],
          [cached, price.cachedInput ?? price.input],
          [written - kept, price.cacheWrite ?? price.input],
          [kept, price.cacheWrite1h ?? price.cacheWrite ?? price.input],
          [outputTokens, price.output],
        ] as const
        const total = parts.reduce((sum, [count, per1k]) => sum + BigInt(count) * BigInt(per1k), 0n)
        fc.pre(total < MAX_EXACT)
        expect(BigInt(costOfTokens(price, tokens))).toBe((total + 999n) / 1000n)
      }),
      { numRuns: 5000 },
    )
  })

  it('never cost more than was held for as many tokens', () => {
    fc.assert(
      fc.property(cachePrice, counts, (price, tokens) => {
        const held = costOf(heldPrice(price), tokens.inputTokens, tokens.outputTokens)
        expect(costOfTokens(price, tokens)).toBeLessThanOrEqual(held)
      }),
      { numRuns: 5000 },
    )
  })

  it('cost as other input where they have no price of their own', () => {
    fc.assert(
      fc.property(price, counts, (price, tokens) => {
        expect(costOfTokens(price, tokens)).toBe(costOf(price, tokens.inputTokens, tokens.outputTokens))
        expect(heldPrice(price)).toBe(price)
      }),
    )
  })
})

describe('a price without one for what is written into a cache', () => {
  const price = { input: nanoUsd(1_000_001), output: nanoUsd(0) }
  const tokens = { inputTokens: 1000, outputTokens: 0, cacheWriteTokens: 1000 }

  it.each([
    [undefined, 0, 1_000_001],
    ['5m', 0, 1_250_002],
    ['1h', 0, 1_250_002],
    ['1h', 1000, 2_000_002],
    ['1h', 400, 0.6 * 1_250_002 + 0.4 * 2_000_002],
  ] as const)(
    'costs what providers list where a request asks for %s, with %d tokens kept for an hour',
    (time, kept, cost) => {
      const paid = withCacheWrites(price, time)
      expect(costOfTokens(paid, { ...tokens, cacheWrite1hTokens: kept })).toBe(Math.ceil(cost))
    },
  )

  it('never costs more than is held, and a declared price stands', () => {
    for (const time of [undefined, '5m', '1h'] as const) {
      const paid = withCacheWrites(price, time)
      expect(costOfTokens(paid, { ...tokens, cacheWrite1hTokens: 1000 })).toBeLessThanOrEqual(
        costOf(heldPrice(paid), 1000, 0),
      )
    }
    const declared = { ...price, cacheWrite: nanoUsd(5) }
    expect(withCacheWrites(declared, '1h')).toBe(declared)
  })
})
