import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Room, Slots } from '../../../src/gateway/pools/slots.ts'
import type { Client } from '../../../src/gateway/ports.ts'
import { SlotLeases } from '../../../src/server/workers/slot-leases.ts'
import { VirtualClock } from '../../support/clock.ts'
import { settled } from './fake-worker.ts'

const POOL = 'onprem'
const WORKERS = 3
const client: Client = { gone: false, wasCut: false, onGone: () => () => {} }

/** Clients of each worker, of which that which waits longest may leave. */
class Clients {
  readonly #waiting: Set<() => void>[] = Array.from({ length: WORKERS }, () => new Set())

  comes(slot: number): Client {
    const waiting = this.#waiting[slot]
    const onGone = (run: () => void) => {
      waiting?.add(run)
      return () => void waiting?.delete(run)
    }
    return { gone: false, wasCut: false, onGone }
  }

  leaves(slot: number): void {
    const [first] = this.#waiting[slot] ?? []
    first?.()
  }
}

/** Workers that borrow places of one pool; what they and main say to each other arrives later, each way in order. */
function workersOf(count: number) {
  const ways: (() => void)[][] = Array.from({ length: 2 * count }, () => [])
  const say = (way: number, message: () => void) => void ways[way]?.push(message)
  const clock = new VirtualClock(0)
  const places: SlotLeases = new SlotLeases(
    (slot, _pool, lent) => say(slot, () => slots[slot]?.lend(lent)),
    (slot, _pool, forCopy) => say(slot, () => slots[slot]?.recall(forCopy)),
  )
  const slots = Array.from({ length: count }, (_, slot) => {
    const own = new Slots()
    const ask = (how: () => void) =>
      new Promise<void>(heard =>
        say(count + slot, () => {
          how()
          say(slot, heard)
        }),
      )
    own.borrowFrom({
      want: (...wanted) => ask(() => places.want(slot, POOL, ...wanted)),
      wantSpare: most => ask(() => places.wantSpare(slot, POOL, most)),
      giveBack: (...given) => say(count + slot, () => places.giveBack(slot, POOL, ...given)),
    })
    return own
  })
  const sum = (of: 'taken' | 'waiting') => slots.reduce((all, slot) => all + slot[of], 0)
  return {
    slots,
    clock,
    clients: new Clients(),
    /** The ends of the copies of each worker that run, oldest first. */
    copies: Array.from({ length: count }, (): (() => void)[] => []),
    sum,
    deliver: (way: number) => ways[way]?.shift()?.(),
    isQuiet: () => ways.every(way => way.length === 0),
    deliverAll: () => {
      while (ways.some(way => way.length > 0)) for (const way of ways) way.shift()?.()
    },
  }
}

type Rig = ReturnType<typeof workersOf>
const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constantFrom('take', 'leave', 'free'), at: fc.nat(WORKERS - 1) }),
    fc.record({ step: fc.constant('deliver'), at: fc.nat(2 * WORKERS - 1) }),
  ),
  { maxLength: 160 },
)

it('all workers together never run more requests in a pool than it may have, whatever is on its way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (most, steps) => {
      const workers = workersOf(WORKERS)
      for (const each of steps) {
        take(workers, most, each)
        expect(workers.sum('taken')).toBeLessThanOrEqual(most)
      }
    }),
  )
})

it('no place is free while a request waits for one in any worker, once all is said', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (most, steps) => {
      const workers = workersOf(WORKERS)
      for (const each of steps) take(workers, most, each)
      for (;;) {
        workers.deliverAll()
        const waiting = workers.sum('waiting')
        if (waiting > 0) expect(workers.sum('taken')).toBe(most)
        else if (workers.sum('taken') === 0) break
        workers.slots.find(({ taken }) => taken > 0)?.free()
      }
    }),
    { numRuns: 2000 },
  )
})

it('a copy holds no place while a request waits for one in any worker, once all is said', async () => {
  const withCopies = fc.array(
    fc.oneof(
      fc.record({ step: fc.constantFrom('take', 'copy', 'copy', 'end copy', 'free'), at: fc.nat(WORKERS - 1) }),
      fc.record({ step: fc.constant('deliver'), at: fc.nat(2 * WORKERS - 1) }),
    ),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), withCopies, async (most, steps) => {
      const workers = workersOf(WORKERS)
      const sparing = () => workers.slots.reduce((all, { spare }) => all + spare.taken, 0)
      for (const each of steps) {
        take(workers, most, each)
        await Promise.resolve()
        expect(workers.sum('taken')).toBeLessThanOrEqual(most)
      }
      do {
        workers.deliverAll()
        await settled()
      } while (!workers.isQuiet())
      if (workers.sum('waiting') > 0) expect([workers.sum('taken'), sparing()]).toEqual([most, 0])
    }),
    { numRuns: 300 },
  )
})

it('a copy gets a place that another worker has and does not use, and none that a request will leave', async () => {
  const { slots, clock, deliverAll } = workersOf(2)
  const [a, b] = slots
  const room: Room = { maxConcurrent: 1, queueTimeout: 60_000 }
  const first = a?.take(room, clock, client)
  deliverAll()
  await first
  const tooEarly = b?.takeSpare(room, { clock, client }, () => {})
  deliverAll()
  await settled()
  clock.advance(50)
  expect(await tooEarly).toBeUndefined()
  a?.free()

  const copy = b?.takeSpare(room, { clock, client }, () => {})
  deliverAll()
  expect(await copy).toBeDefined()
})

interface Step {
  readonly step: string
  readonly at: number
}

/** Does one step of those that are tried. */
function take({ slots, clock, clients, copies, deliver }: Rig, most: number, { step, at }: Step): void {
  const own = slots[at]
  if (step === 'deliver') deliver(at)
  else if (step === 'take') void own?.take({ maxConcurrent: most, queueTimeout: 60_000 }, clock, clients.comes(at))
  else if (step === 'copy')
    void own
      ?.takeSpare({ maxConcurrent: most, queueTimeout: 0 }, { clock, client }, () => {})
      .then(end => end && copies[at]?.push(end))
  else if (step === 'end copy') copies[at]?.shift()?.()
  else if (step === 'leave') clients.leaves(at)
  else if (own && own.taken > own.spare.taken) own.free()
}

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

it('a request waits for queue_timeout from when main has heard of it, however busy main is', async () => {
  const { slots, clock, deliverAll } = workersOf(2)
  const [a, b] = slots
  const room: Room = { maxConcurrent: 1, queueTimeout: 500 }
  const first = a?.take(room, clock, client)
  clock.advance(2000)
  deliverAll()
  expect(await first).toBe(true)

  let second: boolean | undefined
  void b?.take(room, clock, client).then(got => {
    second = got
  })
  clock.advance(2000)
  deliverAll()
  await settled()
  clock.advance(499)
  await settled()
  expect(second).toBeUndefined()
  clock.advance(1)
  await settled()
  expect(second).toBe(false)
})
