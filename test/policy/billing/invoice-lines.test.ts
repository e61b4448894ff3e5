import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apportion } from '../../../src/policy/billing/apportion.ts'
import { chargesOf } from '../../../src/policy/billing/charges.ts'
import { coverageOf, coverageSince } from '../../../src/policy/billing/coverage.ts'
import { linesOf } from '../../../src/policy/billing/invoice-lines.ts'
import { rounded, roundedParts } from '../../../src/policy/billing/rounding.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { costOfTokens } from '../../../src/policy/price.ts'

const amount = fc.integer({ min: 0, max: 50_000_000 }).map(nanoUsd)
const money = fc.integer({ min: -2_000_000_000, max: 2_000_000_000_000 }).map(nanoUsd)
const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0)

const price = fc.record({ input: amount, output: amount, cachedInput: amount }, { requiredKeys: ['input', 'output'] })
const use = fc.record({
  inputTokens: fc.integer({ min: 0, max: 200_000 }),
  outputTokens: fc.integer({ min: 0, max: 20_000 }),
  cachedTokens: fc.integer({ min: 0, max: 200_000 }),
})
const request = fc.record({ price: fc.nat({ max: 2 }), use })

it('rounded parts add up to the rounded total, and none is off by a whole cent', () => {
  fc.assert(
    fc.property(fc.array(money, { maxLength: 40 }), fc.constantFrom('exact' as const, 'cent' as const), (parts, to) => {
      const shown = roundedParts(parts, to)
      expect(sumOf(shown)).toBe(rounded(nanoUsd(sumOf(parts)), to))
      for (const [at, part] of parts.entries()) expect(Math.abs((shown[at] ?? 0) - part)).toBeLessThan(10_000_000)
      if (to === 'exact') expect(shown).toEqual(parts)
    }),
  )
})

it('the missing cent goes to the part that lost most', () => {
  const cents = (...parts: number[]) =>
    roundedParts(
      parts.map(part => nanoUsd(part * 10_000_000)),
      'cent',
    )
  expect(cents(5.4, 0.6, 0.5).map(each => each / 10_000_000)).toEqual([5, 1, 1])
  expect(cents(4.9, 0.4).map(each => each / 10_000_000)).toEqual([5, 0])
})

it('parts in proportion to weights add up to the whole', () => {
  const weight = fc.bigInt({ min: 0n, max: 10n ** 15n })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc.array(weight, { minLength: 1, maxLength: 9 }),
      (whole, weights) => {
        expect(sumOf(apportion(whole, weights))).toBe(whole)
      },
    ),
  )
})

it('the lines of a model cost what its requests cost, to the nano-dollar, at each unit price', () => {
  fc.assert(
    fc.property(
      fc.array(price, { minLength: 3, maxLength: 3 }),
      fc.array(request, { minLength: 1, maxLength: 30 }),
      (prices, requests) => {
        const charges = new Map<string, number>()
        let cost = 0
        for (const each of requests) {
          const paid = prices[each.price] ?? { input: nanoUsd(0), output: nanoUsd(0) }
          cost += costOfTokens(paid, each.use)
          for (const [name, quantity] of Object.entries(chargesOf(paid, each.use)))
            charges.set(name, (charges.get(name) ?? 0) + quantity)
        }
        const lines = linesOf({ model: 'm', requests: requests.length, cost: nanoUsd(cost), charges })
        expect(sumOf(lines.map(line => line.cost))).toBe(cost)
        expect(lines.some(({ kind }) => kind === 'other')).toBe(false)
        for (const line of lines) {
          expect(line.quantity).toBe(charges.get(`${line.kind}@${line.price}`))
          const exact = (line.quantity * line.price) / 1000
          expect(Math.abs(line.cost - exact)).toBeLessThanOrEqual(requests.length + 1)
        }
      },
    ),
  )
})

it('charges from before prices were recorded have a line without a quantity', () => {
  const none = { model: 'm', requests: 2, cost: nanoUsd(900), charges: new Map<string, number>() }
  expect(linesOf(none)).toEqual([{ model: 'm', kind: 'other', quantity: 0, price: 0, cost: 900 }])
  const half = { ...none, charges: new Map([['input@100', 1000]]) }
  expect(linesOf(half)).toMatchObject([
    { kind: 'input', quantity: 1000, price: 100, cost: 100 },
    { kind: 'other', cost: 800 },
  ])
})

it('a model that costs nothing has a line for each kind all the same', () => {
  const free = {
    model: 'm',
    requests: 1,
    cost: nanoUsd(0),
    charges: new Map([
      ['input@0', 10],
      ['output@0', 3],
    ]),
  }
  expect(linesOf(free)).toMatchObject([
    { kind: 'input', quantity: 10, cost: 0 },
    { kind: 'output', quantity: 3, cost: 0 },
  ])
})

it('allowance, credit and overage add up to the usage, also when it is covered in two parts', () => {
  fc.assert(
    fc.property(amount, amount, amount, amount, (first, second, allowance, credit) => {
      const allotment = { allowance, credit }
      const parts = ({ fromAllowance, fromCredit, overage }: ReturnType<typeof coverageOf>) => [
        fromAllowance,
        fromCredit,
        overage,
      ]
      const used = nanoUsd(first + second)
      const [whole, before] = [parts(coverageOf(used, allotment)), parts(coverageOf(first, allotment))]
      const since = parts(coverageSince(first, used, allotment))
      expect(sumOf(whole)).toBe(used)
      expect(since.map((part, at) => part + (before[at] ?? 0))).toEqual(whole)
      expect(whole[0]).toBe(Math.min(used, allowance))
    }),
  )
})
