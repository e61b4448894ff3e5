import { describe, expect, it } from 'vitest'
import { usd, usdCell } from '../../../../src/cli/kit/usd.ts'
import { bar, lastCell, quotaCell, rateCell, short } from '../../../../src/cli/quota/tail/cells.ts'
import { request, standing } from './events.ts'

describe('a bar', () => {
  it.each([
    [0, '░░░░░░░░░░'],
    [-1, '░░░░░░░░░░'],
    [0.000_000_05, '░░░░░░░░░░'],
    [0.0125, '▏░░░░░░░░░'],
    [0.19, '█▉░░░░░░░░'],
    [0.5, '█████░░░░░'],
    [0.999_999, '█████████▉'],
    [1, '██████████'],
    [Number.POSITIVE_INFINITY, '██████████'],
  ])('of %s is %s: full only when all is used, and never more than that', (share, shown) => {
    expect(bar(share, 10)).toBe(shown)
  })

  it('has the width it was given, whatever is used', () => {
    for (let share = -0.5; share < 2; share += 0.01) expect(bar(share, 7)).toHaveLength(7)
  })
})

it.each([
  [999, '999'],
  [1000, '1k'],
  [1999, '1.9k'],
  [9999, '9.9k'],
  [118_499, '118k'],
  [999_999, '999k'],
  [10_000_000, '10M'],
])('%s is written %s, which is never more than there is', (count, written) => {
  expect(short(count)).toBe(written)
})

it.each([
  ['0', '0.00'],
  ['17.42', '17.42'],
  ['500', '500.00'],
  ['0.01', '0.01'],
  ['0.009999', '<0.01'],
  ['0.000039', '<0.01'],
  ['-0.000039', '-<0.01'],
  ['-3', '-3.00'],
])('%s US dollars are shown as %s', (exact, shown) => {
  expect(usd(exact)).toBe(shown)
})

it('what is less than a cent is said to be, beside a limit that is whole', () => {
  expect(usdCell('0.0000264')).toBe('<$0.01')
  expect(quotaCell(standing('ada', { used_usd: '0.0000264', limit_usd: '500' }), 10)).toBe('░░░░░░░░░░ <$0.01/500.00')
  expect(quotaCell(standing('ada', { used_usd: '1', limit_usd: '500' }), 0)).toBe('$1.00/500.00')
})

it('an account without a plan has amounts without limits', () => {
  const none = standing('ada', { limit_usd: null, used_usd: '2', requests_limit: null })
  expect(quotaCell(none, 4)).toBe('████ $2.00')
  expect(rateCell(3, none.requests_limit)).toBe('3')
})

it('the last request is told by its model and time, or by what refused it', () => {
  expect(lastCell(request(null))).toBe('200 212ms svc-core')
  expect(lastCell(request(null, { status: 429, code: 'rate_limit_exceeded', type: 'requests' }))).toBe('429 requests')
  expect(lastCell(request(null, { status: 402, code: 'quota_exceeded' }))).toBe('402 quota_exceeded')
  expect(lastCell(request(null, { interrupted: 'cut' }))).toBe('200 interrupted 212ms svc-core')
})
