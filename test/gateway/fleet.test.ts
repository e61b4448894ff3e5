import { expect, it } from 'vitest'
import { Fleet } from '../../src/gateway/fleet/fleet.ts'
import type { FleetState, FleetStore } from '../../src/gateway/store/fleet-store.ts'
import { StoreUnavailable } from '../../src/gateway/store/store.ts'
import { VirtualClock } from '../support/clock.ts'

const STATE: FleetState = { at: 1, members: [], drained: [] }

/** A fleet whose store does not answer until a time, and what it heard. */
function fleetUntil(answersAt: number) {
  const clock = new VirtualClock(0)
  const heard: FleetState[] = []
  const read = async () => {
    if (clock.elapsed() < answersAt) throw new StoreUnavailable('it does not answer')
    return STATE
  }
  const store = { read } as FleetStore
  const fleet = new Fleet({
    store,
    clock,
    alarm: () => {},
    self: () => {
      throw new Error('it is not announced')
    },
    heard: state => void heard.push(state),
  })
  return { clock, fleet, heard }
}

it('a gateway that begins hears of the fleet although its store is late', async () => {
  const { clock, fleet, heard } = fleetUntil(3000)

  expect(await clock.during(fleet.hear(), 50)).toBe(STATE)

  expect(heard).toEqual([STATE])
})

it('a gateway does not begin without what its store says of the fleet', async () => {
  const { clock, fleet, heard } = fleetUntil(60_000)

  await expect(clock.during(fleet.hear(), 50)).rejects.toThrow(StoreUnavailable)

  expect(heard).toEqual([])
  expect(clock.elapsed()).toBeLessThan(6000)
})
