import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AdmittedRequest, CompletedRequests } from '../../../src/adapters/embedded/completed-requests.ts'
import { readingsOfNumbers } from '../../../src/policy/limits/readings.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { holdOf } from './held.ts'

const count = fc.maxSafeNat()
const taken: fc.Arbitrary<AdmittedRequest> = fc
  .record({
    requestId: fc.constantFrom('req_1', 'req_2', 'req_3'),
    account: fc.constantFrom('acct_a', 'acct_b'),
    output: count,
    tokens: count,
    cost: count.map(nanoUsd),
    second: count,
    window: count,
    at: count,
    round: count,
    spent: fc.record({ tokens: count, cost: count.map(nanoUsd) }),
  })
  .chain(hold =>
    fc
      .record({
        requests: count,
        tokens: count,
        day: count,
        concurrent: count,
        used: count.map(nanoUsd),
        held: count.map(nanoUsd),
      })
      .chain(readings => fc.constantFrom({ hold, readings }, { hold, readings, shared: true as const })),
  )
const ends = fc.array(fc.tuple(taken, fc.constantFrom('settled', 'refunded', 'orphan' as const)), { minLength: 1 })

describe('requests that ended', () => {
  it('are told as they were taken and ended, the last time each', () => {
    fc.assert(
      fc.property(ends, all => {
        const ended = new CompletedRequests(3)
        for (const [each, end] of all) ended.put(each, end)

        const last = new Map(all.map(each => [each[0].hold.requestId, each]))
        expect([...ended.ids()].sort()).toEqual([...last.keys()].sort())
        for (const [requestId, [each, end]] of last) {
          expect(ended.taken(requestId)).toEqual(each)
          expect(ended.endOf(requestId)).toBe(end)
        }
      }),
    )
  })

  it('are forgotten all together', () => {
    const ended = new CompletedRequests(1)
    const readings = readingsOfNumbers([])
    ended.put({ hold: holdOf('req_1'), readings }, 'settled')
    expect(ended.isFull).toBe(true)

    ended.clear()
    expect([ended.isFull, ended.has('req_1'), ended.taken('req_1'), ended.endOf('req_1')]).toEqual([
      false,
      false,
      undefined,
      undefined,
    ])
  })
})
