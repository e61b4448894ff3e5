import { describe, expect, it } from 'vitest'
import { Deadlines } from '../../src/gateway/timers.ts'
import { VirtualClock } from '../support/clock.ts'

/** A clock, and what ran by it: each name when its time was over. */
function open() {
  const clock = new VirtualClock(0)
  const deadlines = new Deadlines(clock)
  const ran: string[] = []
  const wait = (time: number, then = () => {}) =>
    deadlines.after(time, () => {
      ran.push(`${time} at ${clock.elapsed()}`)
      then()
    })
  return { clock, deadlines, ran, wait }
}

describe('deadlines', () => {
  it('each run once, when their time is over, whatever order they were set in', () => {
    const { clock, ran, wait } = open()
    for (const time of [300, 100, 200, 100]) wait(time)

    clock.advance(99)
    expect(ran).toEqual([])
    clock.advance(1)
    expect(ran).toEqual(['100 at 100', '100 at 100'])
    clock.advance(1000)
    expect(ran).toEqual(['100 at 100', '100 at 100', '200 at 200', '300 at 300'])
  })

  it('take one timer of the clock, however many there are', () => {
    const { clock, wait } = open()
    for (const time of [300, 100, 200]) wait(time)

    expect([100, 200, 300].map(time => clock.waiting(time))).toEqual([1, 0, 0])
  })

  it('that are called off never run, and others may be set after that', () => {
    const { clock, deadlines, ran, wait } = open()
    wait(100)
    wait(200)

    deadlines.callOff()
    wait(150)
    clock.advance(1000)

    expect(ran).toEqual(['150 at 150'])
  })

  it('may call off those that are due with them, and set others', () => {
    const { clock, deadlines, ran, wait } = open()
    wait(100, () => {
      deadlines.callOff()
      wait(50)
    })
    wait(100)
    wait(120)

    clock.advance(1000)

    expect(ran).toEqual(['100 at 100', '50 at 150'])
  })
})
