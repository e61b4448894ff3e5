import { describe, expect, it } from 'vitest'
import { type Candidate, choose, costAt, NEAR_TOKENS } from '../../../src/policy/balance/cost.ts'
import { digest32, weightOf } from '../../../src/policy/balance/rendezvous.ts'

const replica = (some: Partial<Candidate> = {}): Candidate => ({
  ...{ inFlight: 0, heldTokens: 0, owedTokens: 0, miss: 0 },
  ...some,
})

/** The first wins where all are near. */
const first = (index: number) => -index
const last = (index: number) => index

describe('the cost of a request at a replica', () => {
  it.each<[string, Partial<Candidate>, number]>([
    ['nothing is missing, nobody is there', {}, 0],
    ['its own prefill', { miss: 1000 }, 1000],
    ['its prefill stalls each that decodes', { miss: 1000, inFlight: 3 }, 4000 + 384],
    ['what is owed before it', { owedTokens: 700 }, 700],
    ['a twentieth of what is held, rounded down', { heldTokens: 1019 }, 50],
    ['everything at once', { miss: 10, inFlight: 2, owedTokens: 5, heldTokens: 40 }, 30 + 5 + 2 + 256],
  ])('counts %s', (_what, some, cost) => {
    expect(costAt(replica(some))).toBe(cost)
  })
})

describe('the choice of a replica', () => {
  it.each<[string, readonly Candidate[], number | undefined, string | undefined]>([
    ['nobody', [], undefined, undefined],
    ['the only one', [replica({ miss: 9999 })], 0, 'only'],
    ['the one that knows the prompt', [replica({ miss: 4000 }), replica({ miss: 500 })], 1, 'prefix'],
    [
      'another one where too much is owed at the one that knows it',
      [replica({ owedTokens: 9000 }), replica({ miss: 4000 })],
      1,
      'load',
    ],
    ['the less loaded of two that know it', [replica({ inFlight: 9 }), replica({ inFlight: 1 })], 1, 'load'],
    ['by weight where all are near', [replica(), replica({ owedTokens: NEAR_TOKENS })], 0, 'tie'],
  ])('is %s', (_what, candidates, index, why) => {
    const choice = choose(candidates, first)
    expect([choice?.index, choice?.why]).toEqual([index, why])
  })

  it('takes the highest weight among those within 256 tokens, and no other', () => {
    const near = [replica(), replica({ owedTokens: 256 }), replica({ owedTokens: 257 })]
    expect(choose(near, last)?.index).toBe(1)
  })
})

describe('rendezvous hashing', () => {
  const places = Array.from({ length: 5 }, (_, i) => digest32(`http://replica-${i}:8000/v1`))
  const ownerOf = (key: number, among: readonly number[]) =>
    among.toSorted((a, b) => weightOf(key, b) - weightOf(key, a))[0]

  it('spreads keys evenly', () => {
    const counts = new Map<number | undefined, number>()
    for (let key = 0; key < 5000; key++) {
      const owner = ownerOf(digest32(`session ${key}`), places)
      counts.set(owner, (counts.get(owner) ?? 0) + 1)
    }
    for (const count of counts.values()) expect(count).toBeGreaterThan(800)
    expect(counts.size).toBe(5)
  })

  it('moves only the keys of a place that goes', () => {
    const [gone = 0, ...rest] = places
    for (let key = 0; key < 500; key++) {
      const before = ownerOf(key, places)
      if (before !== gone) expect(ownerOf(key, rest)).toBe(before)
    }
  })
})
