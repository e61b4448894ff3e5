import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Client } from '../../../src/gateway/ports.ts'
import { type Room, Slots } from '../../../src/gateway/upstream/slots.ts'
import { Places } from '../../../src/server/workers/places.ts'
import { VirtualClock } from '../../support/clock.ts'

const POOL = 'onprem'
const client: Client = { gone: false, onGone: () => () => {} } as unknown as Client

/** Workers that borrow places of one pool; what they and main say to each other arrives later, each way in order. */
function workersOf(count: number) {
  const waiting: (() => void)[] = []
  const clock = new VirtualClock(0)
  const places: Places = new Places(
    (slot, _pool, lent) => void waiting.push(() => slots[slot]?.lend(lent)),
    slot =>
      slots.forEach((each, other) => {
        if (other !== slot) waiting.push(() => each.recall())
      }),
  )
  const slots = Array.from({ length: count }, (_, slot) => {
    const own = new Slots()
    own.borrowFrom({
      want: (wanted, most) => void waiting.push(() => places.want(slot, POOL, wanted, most)),
      giveBack: given => void waiting.push(() => places.giveBack(slot, POOL, given)),
    })
    return own
  })
  return {
    slots,
    clock,
    deliver: () => waiting.shift()?.(),
    deliverAll: () => {
      while (waiting.length > 0) waiting.shift()?.()
    },
  }
}

it('all workers together never run more requests in a pool than it may have, whatever is on its way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('take', 'free', 'deliver', 'deliver')), { maxLength: 120 }),
      async (most, steps) => {
        const { slots, clock, deliver } = workersOf(3)
        const room: Room = { maxConcurrent: most, queueTimeout: 60_000 }
        for (const [slot, step] of steps) {
          const own = slots[slot]
          if (step === 'deliver') deliver()
          else if (step === 'take') void own?.take(room, clock, client)
          else if ((own?.taken ?? 0) > 0) own?.free()
          expect(slots.reduce((sum, { taken }) => sum + taken, 0)).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})

it('each place is used: a request that waits in one worker gets the place that comes free in another', async () => {
  const { slots, clock, deliverAll } = workersOf(2)
  const [a, b] = slots
  const room: Room = { maxConcurrent: 1, queueTimeout: 60_000 }
  const first = a?.take(room, clock, client)
  deliverAll()
  expect(await first).toBe(true)

  const second = b?.take(room, clock, client)
  deliverAll()
  expect(b?.taken).toBe(0)
  a?.free()
  deliverAll()

  expect(await second).toBe(true)
})
