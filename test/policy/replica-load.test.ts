import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFresh, leastOverload, type Overload, overloadOf, overloadText } from '../../src/policy/replica-load.ts'

const NOW = 1_700_000_000_000
const report = (waiting: number, at = NOW) => ({ at, running: 9, waiting })

describe('overloadOf', () => {
  it('a replica is passed over once more requests wait there than spill allows', () => {
    const spill = { waitingOver: 8 }
    expect(overloadOf({ report: report(8) }, spill, NOW)).toBeUndefined()
    expect(overloadOf({ report: report(9) }, spill, NOW)).toEqual({ why: 'waiting_over', waiting: 9, over: 8 })
    expect(overloadOf({}, spill, NOW)).toBeUndefined()
    expect(overloadOf({ report: report(1) }, { waitingOver: 0 }, NOW)).toBeDefined()
  })

  it('a report of more than 3 s ago passes nothing over, and neither does one of the future', () => {
    const spill = { waitingOver: 8 }
    expect(overloadOf({ report: report(9, NOW - 3000) }, spill, NOW)).toBeDefined()
    expect(overloadOf({ report: report(9, NOW - 3001) }, spill, NOW)).toBeUndefined()
    expect(isFresh(report(9, NOW + 1), NOW)).toBe(false)
  })

  it('a replica is passed over while more than a tenth of at least ten streams are late', () => {
    const spill = { firstTokenOver: 5000 }
    const of = (all: number, late: number) => overloadOf({ firstTokens: { all, late } }, spill, NOW)
    expect(of(9, 9)).toBeUndefined()
    expect(of(10, 1)).toBeUndefined()
    expect(of(10, 2)).toEqual({ why: 'first_token_over', late: 2, of: 10, overMs: 5000 })
    expect(of(1000, 100)).toBeUndefined()
    expect(of(1000, 101)).toBeDefined()
  })

  it('without spill no load passes a replica over', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(1000), fc.nat(1000), (waiting, late, more) => {
        const firstTokens = { all: late + more, late }
        expect(overloadOf({ report: report(waiting), firstTokens }, {}, NOW)).toBeUndefined()
      }),
    )
  })
})

describe('leastOverload', () => {
  const waits = (waiting: number): Overload => ({ why: 'waiting_over', waiting, over: 8 })
  const late = (late: number): Overload => ({ why: 'first_token_over', late, of: 10, overMs: 5000 })

  it('a pool is busy only while each of its usable replicas is passed over', () => {
    expect(leastOverload([])).toBeUndefined()
    expect(leastOverload([waits(9), undefined])).toBeUndefined()
    expect(leastOverload([waits(12), waits(9), waits(30)])).toEqual(waits(9))
    expect(leastOverload([late(9), late(3)])).toEqual(late(3))
    expect(leastOverload([late(3), waits(12)])).toEqual(waits(12))
  })

  it('says in words why', () => {
    expect(overloadText(waits(12))).toBe('12 requests wait at its least loaded replica, more than 8')
    expect(overloadText({ why: 'waiting_over', waiting: 1, over: 0 })).toBe(
      '1 request waits at its least loaded replica, more than 0',
    )
    expect(overloadText(late(3))).toBe(
      '3 of 10 streams waited longer than 5 s for the first token at its least loaded replica',
    )
  })
})
