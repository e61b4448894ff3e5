import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  judgeRefresh,
  judgeUse,
  OVERLAP,
  PROOF_WITHIN,
  type RefreshState,
} from '../../../src/gateway/accounts/logins/judge-refresh.ts'
import { times } from '../../support/times.ts'

const NETWORKS = ['home', 'office', 'elsewhere']
const step = fc.record({
  /** How many generations the sent token is behind. */
  behind: fc.nat(4),
  after: fc.integer({ min: 0, max: OVERLAP }),
  from: fc.constantFrom(...NETWORKS),
})

/** A login whose first refresh token was replaced by a refresh from a network. */
function rotatedBy(by: string): RefreshState {
  const first = judgeRefresh({ generation: 0, replaced: [] }, { generation: 0, now: 0, from: by })
  if (first.outcome !== 'rotated') throw new Error('a first token is good')
  return first.next
}

const use = fc.record({
  kind: fc.constantFrom('refresh' as const, 'access' as const),
  behind: fc.nat(2),
  after: fc.integer({ min: 0, max: PROOF_WITHIN / 4 }),
  from: fc.constantFrom(...NETWORKS),
})

/** A login whose token of the office was sent again from home. */
function doubtedAt(now: number): RefreshState {
  const doubted = judgeRefresh(rotatedBy('office'), { generation: 0, now, from: 'home' })
  if (doubted.outcome !== 'doubted') throw new Error('another network is doubted')
  return doubted.next
}

/** The login after a token of it was sent; undefined where it has ended. */
function used(
  state: RefreshState,
  { kind, behind, now, from }: { kind: 'refresh' | 'access'; behind: number; now: number; from: string },
): RefreshState | undefined {
  const sent = { generation: Math.max(0, state.generation - behind), now, from }
  const judged = kind === 'refresh' ? judgeRefresh(state, sent) : judgeUse(state, sent)
  if (judged.outcome === 'reused' || judged.outcome === 'over') return undefined
  return 'next' in judged ? judged.next : state
}

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
          if (judged.outcome === 'reused') return
          expect(judged.outcome === 'rotated').toBe(generation === state.generation)
          if (judged.outcome === 'stale') continue
          expect(judged.next.generation).toBe(judged.outcome === 'rotated' ? generation + 1 : state.generation)
          expect(judged.next.replaced.length).toBeLessThanOrEqual(8)
          state = judged.next
        }
      }),
      { numRuns: times(300) },
    )
  })

  it('a replaced one is refused: from the network that replaced it without harm, from another one in doubt, and late it ends the login', () => {
    fc.assert(
      fc.property(step, fc.constantFrom(...NETWORKS), ({ after, from }, by) => {
        const again = judgeRefresh(rotatedBy(by), { generation: 0, now: after, from })
        expect(again.outcome).toBe(after >= OVERLAP ? 'reused' : from === by ? 'stale' : 'doubted')
      }),
      { numRuns: times(300) },
    )
  })

  it('a doubt ends only by the newest tokens from the network in doubt and in time, whatever else is sent meanwhile', () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 12 }), uses => {
        let state = doubtedAt(0)
        let now = 0
        for (const { after, ...each } of uses) {
          now += after
          const next = used(state, { ...each, now })
          const isProof = each.behind === 0 && each.from === 'home' && now < PROOF_WITHIN
          if (now >= PROOF_WITHIN || next === undefined) {
            const mayEnd = now >= PROOF_WITHIN || each.kind === 'refresh'
            expect([next, mayEnd, isProof]).toEqual([undefined, true, false])
            return
          }
          expect(next.doubt === undefined).toBe(isProof)
          if (isProof) return
          state = next
        }
      }),
      { numRuns: times(300) },
    )
  })

  it('a newer one than the store knows is good: the store lost a change, and only this deployment issues them', () => {
    const judged = judgeRefresh({ generation: 3, replaced: [] }, { generation: 5, now: 0, from: 'home' })
    expect(judged).toMatchObject({ outcome: 'rotated', next: { generation: 6 } })
  })
})
