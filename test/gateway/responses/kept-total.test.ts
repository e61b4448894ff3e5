import { expect, it } from 'vitest'
import { KeptTotal } from '../../../src/gateway/responses/kept-total.ts'
import { VirtualClock } from '../../support/clock.ts'

it('the store is asked for the total at most once in ten seconds', async () => {
  const clock = new VirtualClock(0)
  let asked = 0
  const total = new KeptTotal({ readTotal: async () => ++asked }, clock)

  expect(await Promise.all([total.read(), total.read()])).toEqual([1, 1])
  clock.advance(9_999)
  expect(await total.read()).toBe(1)
  clock.advance(1)
  expect(await total.read()).toBe(2)
})

it('a store that fails or is silent has no total, and none is waited for longer than two seconds', async () => {
  const clock = new VirtualClock(0)
  const failing = async () => {
    throw new Error('away')
  }
  expect(await new KeptTotal({ readTotal: failing }, clock).read()).toBeUndefined()

  const silent = new KeptTotal({ readTotal: () => new Promise(() => {}) }, clock).read()
  expect(await clock.during(silent, 100)).toBeUndefined()
})
