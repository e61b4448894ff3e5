import { expect, it } from 'vitest'
import { Ticker } from '../../src/http/ticker.ts'
import { VirtualClock } from '../support/clock.ts'

const EVERY = 100

it('runs again for what came just as it ended', async () => {
  const clock = new VirtualClock(0)
  let waiting = 1
  let runs = 0
  const ticker: Ticker = new Ticker(
    clock,
    EVERY,
    async () => {
      runs++
      waiting = 0
      // It comes after the run, and before whoever waits for the run goes on.
      if (runs === 1)
        queueMicrotask(() => {
          waiting++
          ticker.start()
        })
    },
    () => waiting > 0,
  )
  ticker.start()
  clock.advance(EVERY)
  await new Promise(setImmediate)
  clock.advance(EVERY)
  expect(runs).toBe(2)
})
