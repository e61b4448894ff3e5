import { expect, it } from 'vitest'
import { allowedText } from '../../../src/policy/limits/text.ts'

it.each([
  [5_000_000_000, '$5 a month (UTC)'],
  [500_000_000, '$0.50 a month (UTC)'],
  [1_250_000_000, '$1.25 a month (UTC)'],
  [1_234_500_000, '$1.2345 a month (UTC)'],
])('%i nano-USD a month are said as %s', (most, text) => {
  expect(allowedText({ measure: 'usd', most, per: 'month' })).toBe(text)
})
