import fc from 'fast-check'
import { expect, it } from 'vitest'
import { steadyClock } from '../../../src/adapters/embedded/steady-clock.ts'
import { newDirectory, openHere } from './directory.ts'
import { admission, claimsOf, NOON, openShop } from './fixtures.ts'

const SECOND = 1000

/** A clock of a machine, which may be set while time goes by. */
function machine() {
  let [time, elapsed] = [NOON, 0]
  return {
    now: () => time,
    elapsed: () => elapsed,
    pass: (by: number) => {
      time += by
      elapsed += by
    },
    set: (by: number) => {
      time += by
    },
  }
}

it('an account on a clock that is set back by 100 s waits for its minute, and not for the clock', async () => {
  const clock = machine()
  const store = await openHere(await newDirectory(), steadyClock(clock.now, clock.elapsed))
  const shop = await openShop(store)
  const ask = async (id: string) => 'hold' in (await store.holds.admit(admission(shop, id, claimsOf({ rpm: 3 }))))
  for (const id of ['req_1', 'req_2', 'req_3']) expect(await ask(id)).toBe(true)
  clock.pass(SECOND)
  clock.set(-100 * SECOND)

  expect(await ask('req_4')).toBe(false)
  clock.pass(68 * SECOND)

  expect(await ask('req_5')).toBe(true)
})

it.each([
  ['ahead by a second', 1],
  ['ahead by an hour', 3600],
  ['back by three minutes', -180],
  ['back by a day', -86_400],
])('a clock that is set %s shows what it was set to', (_how, seconds) => {
  const clock = machine()
  const steady = steadyClock(clock.now, clock.elapsed)
  clock.set(seconds * SECOND)

  expect(steady()).toBe(clock.now())
})

it('a clock that is set back by two minutes or less never goes back, loses at most a tenth, and is right in the end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120_000 }), fc.array(fc.integer({ min: 0, max: 5000 })), (back, steps) => {
      const clock = machine()
      const steady = steadyClock(clock.now, clock.elapsed)
      clock.set(-back)
      let before = NOON
      for (const step of steps) {
        clock.pass(step)
        const shown = steady()
        expect(shown).toBeGreaterThanOrEqual(before)
        expect(shown).toBeGreaterThanOrEqual(clock.now())
        before = shown
      }
      clock.pass(11 * back)
      expect(steady()).toBe(clock.now())
    }),
  )
})
