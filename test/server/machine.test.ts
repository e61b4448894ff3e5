import { expect, it } from 'vitest'
import { watchDescriptors } from '../../src/server/machine.ts'
import { VirtualClock } from '../support/clock.ts'

it('that no descriptor is left is an alarm once, however often it comes and goes, and its end is one', () => {
  const clock = new VirtualClock(0)
  const alarms: string[] = []
  let isFree = true
  const stop = watchDescriptors(
    clock,
    message => void alarms.push(message),
    () => isFree,
  )
  const over = (ms: number, free: boolean) => {
    isFree = free
    clock.advance(ms)
  }
  over(3000, true)
  expect(alarms).toEqual([])
  for (let times = 0; times < 5; times++) {
    over(2000, false)
    over(5000, true)
  }
  expect(alarms).toEqual([expect.stringContaining('no file descriptor is left')])
  over(6000, true)
  expect(alarms).toEqual([expect.anything(), expect.stringContaining('descriptors again')])

  over(1000, false)
  stop()
  over(60_000, true)
  expect(alarms).toHaveLength(3)
})
