import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatModel, Mirror, Pool } from '../../src/policy/config.ts'
import type { ChatAsk, InferenceRequest } from '../../src/policy/facts.ts'
import { type CopyFacts, copySkip, MOST_COPIES, MOST_COPY_BYTES, mirrorOf } from '../../src/policy/mirror.ts'

const at = { file: 'pools.yaml', line: 1, column: 1 }
const poolOf = (name: string, site = 'here') => ({ name, site }) as Pool
const mirrorTo = (millionths: number, acrossSites = false): Mirror => ({
  to: poolOf('new'),
  millionths,
  acrossSites,
  at,
})
const modelOf = (mirror?: Mirror) =>
  ({ kind: 'chat', name: 'svc-core', lossy: 'allow', ...(mirror && { mirror }) }) as ChatModel
const chat = (draw?: ChatAsk['draw']) => ({ kind: 'chat', ...(draw !== undefined && { draw }) }) as InferenceRequest
const isCopied = (millionths: number, draw: number) =>
  typeof mirrorOf(modelOf(mirrorTo(millionths)), { request: chat(draw), hasTools: false }) === 'object'

const draw = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const sample = fc.integer({ min: 100, max: 1_000_000 })

describe('a sample', () => {
  it('that grows keeps its conversations, and one of all leaves none out', () => {
    fc.assert(
      fc.property(sample, sample, draw, (one, other, of) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        expect(isCopied(1_000_000, of)).toBe(true)
        expect(!isCopied(less, of) || isCopied(more, of)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('of all has requests of which no conversation is known', () => {
    expect(mirrorOf(modelOf(mirrorTo(1_000_000)), { request: chat(), hasTools: false })).toMatchObject({ mirror: {} })
  })

  it('has its share of many conversations', () => {
    const copied = Array.from({ length: 20_000 }, (_, of) => isCopied(50_000, of * 2_654_435_761)).filter(Boolean)
    expect(copied.length / 20_000).toBeCloseTo(0.05, 2)
  })

  it('has no request with hosted tools, none without a conversation, and none of a model without a mirror', () => {
    const model = modelOf(mirrorTo(1_000_000))
    expect(mirrorOf(model, { request: chat(1), hasTools: true })).toBe('hosted-tools')
    expect(mirrorOf(modelOf(mirrorTo(999_999)), { request: chat(), hasTools: false })).toBe('no-conversation')
    expect(mirrorOf(modelOf(), { request: chat(1), hasTools: false })).toBeUndefined()
    expect(mirrorOf(modelOf(mirrorTo(100)), { request: chat('new'), hasTools: false })).toMatchObject({ mirror: {} })
  })
})

const FREE: CopyFacts = {
  servedBy: poolOf('onprem'),
  target: { isUp: true, waiting: 0, isFull: false },
  running: { count: 0, bytes: 0 },
  bytes: 1000,
  bodies: { taken: 0, most: 1_000_000 },
}

describe('a copy', () => {
  it.each<[ReturnType<typeof copySkip>, Partial<CopyFacts>]>([
    [undefined, {}],
    ['same_pool', { servedBy: poolOf('new') }],
    ['site', { servedBy: poolOf('cloud', 'there') }],
    ['down', { target: { isUp: false, waiting: 0, isFull: false } }],
    ['busy', { target: { isUp: true, waiting: 1, isFull: false } }],
    ['full', { target: { isUp: true, waiting: 0, isFull: true } }],
    ['copies', { running: { count: MOST_COPIES, bytes: 0 } }],
    ['copies', { running: { count: 0, bytes: MOST_COPY_BYTES - 999 } }],
    ['memory', { bodies: { taken: 500_001, most: 1_000_000 } }],
  ])('is left out with %s where real traffic, memory or sites demand it', (skip, facts) => {
    expect(copySkip(mirrorTo(1), { ...FREE, ...facts })).toBe(skip)
  })

  it('leaves its site only where the files allow it', () => {
    expect(copySkip(mirrorTo(1, true), { ...FREE, servedBy: poolOf('cloud', 'there') })).toBeUndefined()
  })
})
