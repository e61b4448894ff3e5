import { describe, expect, it } from 'vitest'
import { takeAnySlot } from '../../../src/gateway/pools/any-slot.ts'
import { Slots } from '../../../src/gateway/pools/slots.ts'
import type { Client } from '../../../src/gateway/ports.ts'
import { VirtualClock } from '../../support/clock.ts'

const room = { maxConcurrent: 1, queueTimeout: 500 }
const stays: Client = { gone: false, wasCut: false, onGone: () => () => {} }
const placesOf = (count: number) => Array.from({ length: count }, (_, at) => ({ at, slots: new Slots() }))

describe('takeAnySlot', () => {
  it('takes the preferred place while it has a slot, and else the first that has one', () => {
    const clock = new VirtualClock(0)
    const places = placesOf(3)
    const taken = [0, 1, 2].map(() => takeAnySlot(places, room, clock, stays))
    expect(taken).toEqual(places)
  })

  it('waits at all places, and gives back all slots but the one that it got', async () => {
    const clock = new VirtualClock(0)
    const places = placesOf(3)
    for (const { slots } of places) slots.takeNow(room)
    const taking = takeAnySlot(places, room, clock, stays)
    places[1]?.slots.free()
    places[2]?.slots.free()
    expect(await taking).toBe(places[1])
    expect(places.map(({ slots }) => [slots.taken, slots.waiting])).toEqual([
      [1, 0],
      [1, 0],
      [0, 0],
    ])
  })

  it('gets none once queue_timeout is over', async () => {
    const clock = new VirtualClock(0)
    const places = placesOf(2)
    for (const { slots } of places) slots.takeNow(room)
    const taking = takeAnySlot(places, room, clock, stays)
    await clock.advance(500)
    expect(await taking).toBeUndefined()
    expect(places.map(({ slots }) => [slots.taken, slots.waiting])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  it('a client that leaves waits nowhere', async () => {
    const clock = new VirtualClock(0)
    const places = placesOf(2)
    for (const { slots } of places) slots.takeNow(room)
    let leave = () => {}
    const client: Client = {
      gone: false,
      wasCut: false,
      onGone: run => {
        const before = leave
        leave = () => {
          before()
          run()
        }
        return () => {}
      },
    }
    const taking = takeAnySlot(places, room, clock, client)
    leave()
    expect(await taking).toBeUndefined()
    expect(places.map(({ slots }) => slots.waiting)).toEqual([0, 0])
  })

  it('asks a lender for a slot of the preferred place before it takes another one', async () => {
    const clock = new VirtualClock(0)
    const places = placesOf(2)
    const [preferred, other] = places
    preferred?.slots.borrowFrom({
      want: async () => {
        await Promise.resolve()
        preferred.slots.lend(1)
      },
      wantSpare: async () => {},
      giveBack: () => {},
    })
    other?.slots.borrowFrom({ want: async () => {}, wantSpare: async () => {}, giveBack: () => {} })
    other?.slots.takeNow(room)
    other?.slots.lend(1)
    expect(await takeAnySlot(places, room, clock, stays)).toBe(preferred)
  })
})
