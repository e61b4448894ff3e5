import { expect, it } from 'vitest'
import { Standings } from '../../src/adapters/embedded/standings.ts'
import { type Hold, newStanding, type Standing } from '../../src/policy/standing.ts'
import { NOON } from './fixtures.ts'

const READINGS = { requests: 0, tokens: 0, day: 0, open: 0, used: 0, held: 0 }
const FREE = { tokens: 0, cost: 0 }

const holdOf = (account: string): Hold => ({
  requestId: `req_${account}`,
  account,
  output: 20,
  tokens: 30,
  cost: 50,
  second: NOON / 1000,
  window: NOON,
  at: NOON,
})

function standingsOf(max: number) {
  const disk = new Map<string, Standing>()
  const unwritten = new Set<string>()
  const standings = new Standings(
    { read: account => disk.get(account), isWritten: account => !unwritten.has(account) },
    max,
  )
  return { standings, disk, unwritten }
}

it('accounts at rest do not stay in memory', () => {
  const { standings } = standingsOf(100)

  for (let account = 0; account < 5000; account++) {
    standings.take({ hold: holdOf(String(account)), readings: READINGS })
    standings.release(holdOf(String(account)), FREE, NOON)
  }

  expect(standings.size).toBeLessThanOrEqual(101)
})

it('accounts with requests under way, or newer than on disk, stay', () => {
  const { standings, unwritten } = standingsOf(10)
  standings.take({ hold: holdOf('under way'), readings: READINGS })
  unwritten.add('unwritten')
  standings.charge(holdOf('unwritten'), { tokens: 30, cost: 50 }, NOON)

  for (let account = 0; account < 1000; account++)
    standings.charge(holdOf(String(account)), { tokens: 1, cost: 1 }, NOON)

  expect(standings.of('under way').open).toBe(1)
  expect(standings.of('unwritten').spend[NOON]).toEqual({ used: 50, held: 0 })
  expect(standings.of('0')).toEqual(newStanding)
})

it('holds on disk belong to a process that is gone', () => {
  const { standings, disk } = standingsOf(10)
  disk.set('ada', { ...newStanding, open: 3, spend: { [NOON]: { used: 70, held: 90 } } })

  expect(standings.of('ada')).toEqual({ ...newStanding, open: 0, spend: { [NOON]: { used: 70, held: 0 } } })
})

it('a charge whose hold is lost leaves the holds of others alone', () => {
  const { standings } = standingsOf(10)
  standings.take({ hold: holdOf('ada'), readings: READINGS })

  standings.charge({ ...holdOf('ada'), requestId: 'req_lost' }, { tokens: 1, cost: 7 }, NOON)

  const { open, spend, minute } = standings.of('ada')
  expect({ open, spend, minute }).toEqual({
    open: 1,
    spend: { [NOON]: { used: 7, held: 50 } },
    minute: [{ second: NOON / 1000, requests: 1, tokens: 30 }],
  })
})
