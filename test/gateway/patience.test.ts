import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { afterReading, outOfPatience, Patience, TURNS } from '../../src/gateway/patience.ts'
import { VirtualClock } from '../support/clock.ts'
import { socketPair, standStill } from '../support/socket-pair.ts'

const TIME = 2000

/** A wait on a clock that a test moves, and whether it is over. */
function waiting(heard?: () => number) {
  const clock = new VirtualClock(0)
  const over = vi.fn()
  const callOff = outOfPatience({ time: TIME, heard, after: clock.after }, over)
  return { clock, over, callOff }
}

it('patience runs out after the whole time of silence, and not before', () => {
  const { clock, over } = waiting()

  clock.advance(TIME - 1)
  expect(over).not.toHaveBeenCalled()
  clock.advance(1)

  expect(over).toHaveBeenCalledOnce()
  clock.advance(10 * TIME)
  expect(over).toHaveBeenCalledOnce()
})

it('a process that stood still for an hour leaves the other side all but a turn of the time', () => {
  const timers: (() => void)[] = []
  const over = vi.fn()
  const after = (_: number, run: () => void) => {
    timers.push(run)
    return () => {}
  }
  outOfPatience({ time: TIME, after }, over)

  // The clock is an hour further by the time that the first of them runs.
  for (let turn = 1; turn < TURNS; turn++) timers.shift()?.()

  expect(over).not.toHaveBeenCalled()
  timers.shift()?.()
  expect(over).toHaveBeenCalledOnce()
})

it('an answer to another question begins the silence anew, but no question waits for more than twice the time', () => {
  let heard = 0
  const { clock, over } = waiting(() => heard)

  for (let turn = 1; turn < 2 * TURNS; turn++) {
    heard++
    clock.advance(TIME / TURNS)
  }
  expect(over).not.toHaveBeenCalled()
  heard++
  clock.advance(TIME / TURNS)

  expect(over).toHaveBeenCalledOnce()
})

it('a wait without a limit goes on while anything is heard, and ends by silence alone', () => {
  const patience = new Patience(0, Number.POSITIVE_INFINITY)
  for (let heard = 1; heard < 100; heard++) expect(patience.isOverAfterTurn(heard)).toBe(false)
  const silent = Array.from({ length: TURNS }, () => patience.isOverAfterTurn(99))
  expect(silent.indexOf(true)).toBe(TURNS - 1)
})

it('a wait that is called off never ends', () => {
  const { clock, over, callOff } = waiting()
  clock.advance(TIME / 2)
  callOff()
  clock.advance(10 * TIME)
  expect(over).not.toHaveBeenCalled()
})

it('an answer that came while this process stood still is read before a timer that was due runs', async () => {
  const [here, there] = await socketPair()
  const events: string[] = []
  here.on('data', () => events.push('answer'))
  const isOver = new Promise<void>(resolve => {
    afterReading(1, () => {
      events.push('timer')
      resolve()
    })
  })
  there.write('answer')
  standStill(20)

  await isOver

  expect(events).toEqual(['answer', 'timer'])
})

it('a timer that is called off by what was read when it was due does not run', async () => {
  const [here, there] = await socketPair()
  const run = vi.fn()
  const callOff = afterReading(1, run)
  here.on('data', callOff)
  there.write('answer')
  standStill(20)

  await once(here, 'data')
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))

  expect(run).not.toHaveBeenCalled()
})
