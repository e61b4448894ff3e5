import { describe, expect, it } from 'vitest'
import { bar, clip, lastCell, quotaCell, rateCell, short, usd } from '../../../src/cli/tail/cells.ts'
import { request, standing } from './events.ts'

describe('a bar', () => {
  it.each([
    [0, '░░░░░░░░░░'],
    [-1, '░░░░░░░░░░'],
    [0.000_001, '█░░░░░░░░░'],
    [0.5, '█████░░░░░'],
    [0.999_999, '█████████░'],
    [1, '██████████'],
    [Number.POSITIVE_INFINITY, '██████████'],
  ])('of %s is %s: full only when all is used, empty only when nothing is', (share, shown) => {
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
  ['0.000039', '0.000039'],
  ['-3', '-3.00'],
])('%s US dollars are shown as %s', (exact, shown) => {
  expect(usd(exact)).toBe(shown)
})

it('an account without a plan has amounts without limits', () => {
  const none = standing('ada', { limit_usd: null, used_usd: '2', requests_limit: null })
  expect(quotaCell(none, 4)).toBe('████ $2.00')
  expect(rateCell(3, none.requests_limit)).toBe('3')
})

it('the last request is told by its model and time, or by what refused it', () => {
  expect(lastCell(request(null))).toBe('200 svc-core 212ms')
  expect(lastCell(request(null, { status: 429, code: 'rate_limit_exceeded', type: 'requests' }))).toBe('429 requests')
  expect(lastCell(request(null, { status: 402, code: 'quota_exceeded' }))).toBe('402 quota_exceeded')
  expect(lastCell(request(null, { interrupted: 'cut' }))).toBe('200 svc-core 212ms interrupted')
})

it('a text is cut or filled to its width, and a character is never cut in two', () => {
  expect([clip('ada', 5), clip('adalovelace', 5), clip('🦊🦊🦊', 2), clip('ab', 1)]).toEqual([
    'ada  ',
    'adal…',
    '🦊…',
    '…',
  ])
})
