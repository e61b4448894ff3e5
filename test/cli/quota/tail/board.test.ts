import { expect, it } from 'vitest'
import { arrange, Board, SORTS } from '../../../../src/cli/quota/tail/board.ts'
import { shareOf } from '../../../../src/cli/quota/tail/cells.ts'
import { NOON, request, standing } from './events.ts'

const labels = (board: Board, sort: (typeof SORTS)[number], filter = '') =>
  arrange(board.rows, { sort, filter }).map(row => row.standing.label)

it('a request moves its account to the top and brings its standing', () => {
  const board = new Board()
  for (const label of ['bob', 'ada', 'eve']) board.apply(standing(label), NOON)
  expect(labels(board, 'recent')).toEqual(['ada', 'bob', 'eve'])

  board.apply(request(standing('eve', { used_usd: '3' })), NOON)
  expect(labels(board, 'recent')).toEqual(['eve', 'ada', 'bob'])
  expect(board.row('acct_eve')).toMatchObject({ standing: { used_usd: '3' }, last: { status: 200 } })
})

it('what is older than what is known changes nothing: a snapshot may come after an event', () => {
  const board = new Board()
  board.apply(request(standing('ada', { at: '2026-11-21T12:00:05.000Z', used_usd: '3' })), NOON)
  board.apply(standing('ada', { used_usd: '1' }), NOON)

  expect(board.row('acct_ada')).toMatchObject({ standing: { used_usd: '3' }, last: { status: 200 } })
})

it('a request whose standing is not known keeps the one that is; who is nobody has no row', () => {
  const board = new Board()
  board.apply(standing('ada', { used_usd: '1' }), NOON)
  board.apply(request(null, { account: 'acct_ada', status: 503 }), NOON)
  board.apply(request(null, { status: 401 }), NOON)
  board.apply(request(null, { account: 'acct_new' }), NOON)

  expect(board.row('acct_ada')).toMatchObject({ standing: { used_usd: '1' }, last: { status: 503 } })
  expect(board.size).toBe(1)
})

it('each sort puts first what is most of it', () => {
  const board = new Board()
  board.apply(standing('quota', { used_usd: '1', limit_usd: '1', requests: 1 }), NOON)
  board.apply(standing('rpm', { used_usd: '5', requests: 9 }), NOON)
  board.apply(standing('tpm', { tokens: 9 }), NOON)
  board.apply(standing('reserved', { held_usd: '0.5' }), NOON)
  board.apply(request(standing('recent')), NOON)
  board.apply(standing('a'), NOON)

  expect(SORTS.map(sort => labels(board, sort)[0])).toEqual(['recent', 'quota', 'rpm', 'tpm', 'reserved', 'a'])
  expect(labels(board, 'reserved').slice(1)).toEqual(['a', 'quota', 'recent', 'rpm', 'tpm'])
})

it('a filter looks into label, id and plan, in any case', () => {
  const board = new Board()
  board.apply(standing('Ada'), NOON)
  board.apply(standing('bob', { plan: 'free' }), NOON)

  expect([
    labels(board, 'account', 'aDA'),
    labels(board, 'account', 'FREE'),
    labels(board, 'account', 'acct_'),
  ]).toEqual([['Ada'], ['bob'], ['Ada', 'bob']])
  expect(labels(board, 'account', '.*')).toEqual([])
})

it('what is spent without a limit is more than all of one', () => {
  expect(shareOf(standing('ada', { limit_usd: '0', used_usd: '1' }))).toBe(Number.POSITIVE_INFINITY)
  expect(shareOf(standing('ada', { limit_usd: '0' }))).toBe(0)
})

it('the pace is that of the last minute', () => {
  const board = new Board()
  for (let second = 0; second < 90; second++) board.apply(request(null), NOON + second * 1000)

  expect(board.pace(NOON + 89_000)).toEqual({ rpm: 60, usdPerHour: 1800 })
  expect(board.pace(NOON + 200_000)).toEqual({ rpm: 0, usdPerHour: 0 })
})

it('of 10,000 accounts and a million requests as many are kept as are needed', () => {
  const board = new Board()
  for (let each = 0; each < 10_000; each++) board.apply(standing(`account-${each}`), NOON)
  const last = standing('account-7')
  for (let each = 0; each < 1_000_000; each++) board.apply(each % 1000 === 0 ? request(last) : NOBODY, NOON)

  expect(board.size).toBe(10_000)
  expect(labels(board, 'recent')[0]).toBe('account-7')
  expect(labels(board, 'account', 'account-77')).toHaveLength(111)
  expect(board.requestsOf('acct_account-7').length).toBeLessThanOrEqual(4)
})

const NOBODY = request(null)

it('events that are missing are counted', () => {
  const board = new Board()
  board.apply({ event: 'dropped', count: 3 }, NOON)
  board.apply({ event: 'dropped', count: 4 }, NOON)
  expect(board.dropped).toBe(7)
})
