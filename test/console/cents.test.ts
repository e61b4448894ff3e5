import fc from 'fast-check'
import { expect, it } from 'vitest'
import { centsOf } from '../../console/src/shared/cents.ts'
import { roundedParts } from '../../src/policy/billing/rounding.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'

it('amounts in cents add up to their rounded sum, as on invoices', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2_000_000_000 })), amounts => {
      const cents = centsOf(amounts)
      const sum = amounts.reduce((all, each) => all + each, 0)
      expect(cents.reduce((all, each) => all + each, 0)).toBe(Math.round(sum / 10_000_000))
      expect(cents.map(each => each * 10_000_000)).toEqual(roundedParts(amounts.map(nanoUsd), 'cent'))
    }),
  )
})
