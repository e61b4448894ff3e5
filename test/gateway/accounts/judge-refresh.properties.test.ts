import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeRefresh, OVERLAP, type RefreshState } from '../../../src/gateway/accounts/logins/judge-refresh.ts'
import { times } from '../../support/times.ts'

const NETWORKS = ['home', 'office', 'elsewhere']
const step = fc.record({
  /** How many generations the sent token is behind. */
  behind: fc.nat(4),
  after: fc.integer({ min: 0, max: OVERLAP }),
  from: fc.constantFrom(...NETWORKS),
})

describe('refresh tokens of a login, in any order of use', () => {
  it('the newest is rotated, and no other one is ever good', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        let state: RefreshState = { generation: 0, replaced: [] }
        let now = 0
        for (const { behind, after, from } of steps) {
          now += after
          const generation = Math.max(0, state.generation - behind)
          const judged = judgeRefresh(state, { generation, now, from })
          expect(judged.outcome === 'rotated').toBe(generation === state.generation)
          if (judged.outcome === 'reused') return
          if (judged.outcome !== 'rotated') continue
          expect(judged.next.generation).toBe(generation + 1)
          expect(judged.next.replaced.length).toBeLessThanOrEqual(8)
          state = judged.next
        }
      }),
      { numRuns: times(300) },
    )
  })

  it('a replaced one ends the login, unless the network that replaced it sends it within the overlap', () => {
    fc.assert(
      fc.property(step, fc.constantFrom(...NETWORKS), ({ after, from }, by) => {
        const first = judgeRefresh({ generation: 0, replaced: [] }, { generation: 0, now: 0, from: by })
        if (first.outcome !== 'rotated') throw new Error('a first token is good')
        const again = judgeRefresh(first.next, { generation: 0, now: after, from })
        expect(again.outcome).toBe(from === by && after < OVERLAP ? 'stale' : 'reused')
      }),
      { numRuns: times(300) },
    )
  })

  it('a newer one than the store knows is good: the store lost a change, and only this deployment issues them', () => {
    const judged = judgeRefresh({ generation: 3, replaced: [] }, { generation: 5, now: 0, from: 'home' })
    expect(judged).toMatchObject({ outcome: 'rotated', next: { generation: 6 } })
  })
})
