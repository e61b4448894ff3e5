import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasTimeToHide, hiddenTokens, learned, mayHide, type Pace, TYPICAL } from '../../src/policy/pace.ts'

const sample = { inputTokens: 100, outputTokens: 100, seenTokens: 100, promptBytes: 500, millis: 1000 }
const shown = (times: number, more: object = {}, from: Pace = TYPICAL): Pace =>
  Array.from({ length: times }).reduce((pace: Pace) => learned(pace, { ...sample, ...more }), from)

it('answers move the figures of their backend towards what they show', () => {
  const pace = shown(100)

  expect(pace.bytesPerToken).toBeCloseTo(5)
  expect(pace.tokensPerSecond).toBeCloseTo(100)
  expect(shown(100, { seenTokens: 300 }).deltasPerToken).toBeCloseTo(3)
})

it('no answers push a figure out of its bounds', () => {
  const count = fc.integer({ min: 0, max: 1e9 })
  const samples = fc.array(
    fc.record(
      { inputTokens: count, outputTokens: count, seenTokens: count, promptBytes: count, millis: count },
      { requiredKeys: ['inputTokens', 'outputTokens'] },
    ),
  )
  fc.assert(
    fc.property(samples, all => {
      const pace = all.reduce(learned, TYPICAL)
      expect(pace.bytesPerToken).toBeGreaterThanOrEqual(2)
      expect(pace.bytesPerToken).toBeLessThanOrEqual(8)
      expect(pace.tokensPerSecond).toBeGreaterThanOrEqual(1)
      expect(pace.tokensPerSecond).toBeLessThanOrEqual(2000)
      expect(pace.deltasPerToken).toBeGreaterThanOrEqual(1)
      expect(pace.deltasPerToken).toBeLessThanOrEqual(8)
      expect(pace.streams).toBeLessThanOrEqual(8)
    }),
  )
})

it('short prompts and short answers teach nothing', () => {
  expect(shown(20, { inputTokens: 9, outputTokens: 3, seenTokens: 3 })).toEqual(TYPICAL)
})

describe('a backend', () => {
  it('may hide output until eight streams showed all that they counted', () => {
    expect(mayHide(shown(7), false)).toBe(true)
    expect(mayHide(shown(8), false)).toBe(false)
  })

  it('may hide output ever after one stream that did', () => {
    const pace = learned(shown(20), { ...sample, seenTokens: 10 })

    expect(mayHide(shown(1000, {}, pace), false)).toBe(true)
  })

  it('may hide output where the model is declared to think', () => {
    expect(mayHide(shown(20), true)).toBe(true)
  })

  it('had no time to hide much where what it showed took that long', () => {
    const pace = { ...TYPICAL, tokensPerSecond: 100 }

    expect(hasTimeToHide(pace, 10_000, 1000)).toBe(false)
    expect(hasTimeToHide(pace, 10_000, 100)).toBe(true)
    expect(hiddenTokens(pace, 10_000, 100)).toBe(900)
    expect(hiddenTokens(pace, 10_000, 2000)).toBe(0)
  })
})
