import { describe, expect, it } from 'vitest'
import { FirstTokens } from '../../../src/gateway/pools/first-tokens.ts'

const NOW = 1_700_000_000_000

describe('FirstTokens', () => {
  it('counts a stream as late when its first token took longer than allowed', () => {
    const tokens = new FirstTokens()
    for (const took of [4999, 5000, 5001]) {
      const watched = tokens.watch(5000)
      watched.sent(NOW)
      watched.came(NOW + took)
      watched.ended(NOW + 60_000)
    }
    expect(tokens.count(NOW + 5001)).toEqual({ all: 3, late: 1 })
  })

  it('counts a stream that still waits as soon as it is late, and once', () => {
    const told: boolean[] = []
    const tokens = new FirstTokens(late => told.push(late))
    const watched = tokens.watch(5000)
    watched.sent(NOW)
    expect(tokens.count(NOW + 5000)).toEqual({ all: 0, late: 0 })
    expect(tokens.count(NOW + 5001)).toEqual({ all: 1, late: 1 })
    watched.came(NOW + 6000)
    watched.ended(NOW + 7000)
    expect(tokens.count(NOW + 7000)).toEqual({ all: 1, late: 1 })
    expect(told).toEqual([true])
  })

  it('a stream that ended before it was late, without a first token, says nothing', () => {
    const tokens = new FirstTokens()
    for (const took of [10, 5001]) {
      const watched = tokens.watch(5000)
      watched.sent(NOW)
      watched.ended(NOW + took)
    }
    // Never sent: the connection was refused.
    tokens.watch(5000).ended(NOW + 9000)
    expect(tokens.count(NOW + 9000)).toEqual({ all: 1, late: 1 })
  })

  it('forgets streams after 30 s', () => {
    const tokens = new FirstTokens()
    tokens.add(NOW, { all: 20, late: 20 })
    expect(tokens.count(NOW + 29_000)).toEqual({ all: 20, late: 20 })
    expect(tokens.count(NOW + 31_000)).toEqual({ all: 0, late: 0 })
  })
})
