import { describe, expect, it } from 'vitest'
import { READ_RATES, ReadLimits } from '../../../src/http/listener/read-limits.ts'
import { VirtualClock } from '../../support/clock.ts'

const newLimits = () => {
  const clock = new VirtualClock(0)
  return { clock, limits: new ReadLimits(clock) }
}

describe('reads of one reader', () => {
  it.each(Object.entries(READ_RATES).map(([reader, rate]) => [reader as keyof typeof READ_RATES, rate] as const))(
    'of the kind %s pass as a burst, and then at their rate',
    (reader, { perSecond, burst }) => {
      const { clock, limits } = newLimits()
      const take = () => limits.take(reader, 'a')

      for (let i = 0; i < burst; i++) expect(take()).toBe(0)
      expect(take()).toBe(1000 / perSecond)
      clock.advance(1000 / perSecond)
      expect([take(), take() > 0]).toEqual([0, true])
      clock.advance(10_000 + (burst * 1000) / perSecond)
      for (let i = 0; i < burst; i++) expect(take()).toBe(0)
      expect(take()).toBeGreaterThan(0)
    },
  )

  it('pass in any second no more often than the rate says, once the burst is used', () => {
    const { clock, limits } = newLimits()
    for (let i = 0; i < 100; i++) limits.take('key', 'a')
    let passed = 0
    for (let ms = 0; ms < 10_000; ms += 7) {
      clock.advance(7)
      if (limits.take('key', 'a') === 0) passed++
    }
    expect(passed).toBeLessThanOrEqual(200)
    expect(passed).toBeGreaterThan(195)
  })

  it('do not count for another one, and keys and addresses are apart', () => {
    const { limits } = newLimits()
    for (let i = 0; i < 500; i++) limits.take('key', 'a')

    expect([limits.take('key', 'b'), limits.take('address', 'a')]).toEqual([0, 0])
  })

  it('take bounded memory, whoever asks', () => {
    const { limits } = newLimits()
    for (let i = 0; i < 60_000; i++) limits.take('address', `10.0.${i}`)

    expect(limits.size).toBe(50_000)
  })
})
