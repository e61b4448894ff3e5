import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Slots } from '../../../src/gateway/pools/slots.ts'
import type { Client } from '../../../src/gateway/ports.ts'
import { VirtualClock } from '../../support/clock.ts'

/** A client who leaves when it is told to. */
class Leaver implements Client {
  gone = false
  readonly wasCut = false
  readonly #leaving = new Set<() => void>()

  onGone(run: () => void) {
    if (this.gone) run()
    else this.#leaving.add(run)
    return () => this.#leaving.delete(run)
  }

  leave(): void {
    this.gone = true
    for (const run of [...this.#leaving]) run()
  }
}

type Move = { readonly kind: 'take' | 'free' | 'leave' | 'pass'; readonly of: number }
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'free', 'free', 'leave', 'pass'),
  of: fc.nat(50),
})

/** Requests that take, free, leave and wait too long, as told; each move after the one before has had its effect. */
async function play(max: number, moves: readonly Move[]) {
  const slots = new Slots()
  const clock = new VirtualClock(0)
  const clients: Leaver[] = []
  let holding = 0
  let asked = 0
  let refused = 0
  const room = { maxConcurrent: max, queueTimeout: 100 }
  for (const { kind, of } of moves) {
    if (kind === 'take') {
      const client = new Leaver()
      clients.push(client)
      asked++
      void slots.take(room, clock, client).then(got => (got ? holding++ : refused++))
    } else if (kind === 'free' && holding > 0) {
      holding--
      slots.free()
    } else if (kind === 'leave') clients[of % Math.max(1, clients.length)]?.leave()
    else if (kind === 'pass') clock.advance(of)
    await setImmediate()
    expect(slots.taken).toBe(holding)
    expect(slots.taken).toBeLessThanOrEqual(max)
    expect(slots.waiting).toBeLessThanOrEqual(max)
    // Nobody waits while there is room.
    if (slots.waiting > 0) expect(slots.taken).toBe(max)
  }
  clock.advance(100)
  await setImmediate()
  return { slots, holding, refused, asked }
}

it('there are never more under way than may be, nobody waits beside a free place, and no place is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 60 }), async (max, moves) => {
      const { slots, holding } = await play(max, moves)
      expect(slots.waiting).toBe(0)
      for (let n = 0; n < holding; n++) slots.free()

      expect(slots.taken).toBe(0)
    }),
    { numRuns: 200 },
  )
})

it('who waits longest is served first', async () => {
  const slots = new Slots()
  const clock = new VirtualClock(0)
  const served: number[] = []
  const ask = (name: number) =>
    slots.take({ maxConcurrent: 3, queueTimeout: 100 }, clock, new Leaver()).then(got => got && served.push(name))
  for (let name = 0; name < 6; name++) void ask(name)
  await setImmediate()
  for (let n = 0; n < 3; n++) slots.free()
  await setImmediate()

  expect(served).toEqual([0, 1, 2, 3, 4, 5])
})

it('a client that has left already gets no place to wait in', async () => {
  const slots = new Slots()
  const clock = new VirtualClock(0)
  const gone = new Leaver()
  gone.leave()
  const room = { maxConcurrent: 1, queueTimeout: 100 }
  await slots.take(room, clock, new Leaver())

  expect(await slots.take(room, clock, gone)).toBe(false)
  expect(slots.waiting).toBe(0)
  slots.free()
  expect(slots.taken).toBe(0)
})

const nobody = { gone: false, wasCut: false, onGone: () => () => {} }

it('a limit that was raised lets those in first that wait longest', async () => {
  const clock = new VirtualClock(0)
  const slots = new Slots()
  await slots.take({ maxConcurrent: 1, queueTimeout: 1000 }, clock, nobody)
  const first = slots.take({ maxConcurrent: 1, queueTimeout: 1000 }, clock, nobody)

  expect(await slots.take({ maxConcurrent: 3, queueTimeout: 1000 }, clock, nobody)).toBe(true)
  expect(await first).toBe(true)
  expect(slots.taken).toBe(3)
})

it('a limit that was lowered is come down to, though others wait', async () => {
  const clock = new VirtualClock(0)
  const slots = new Slots()
  for (let i = 0; i < 4; i++) await slots.take({ maxConcurrent: 4, queueTimeout: 1000 }, clock, nobody)
  const next = slots.take({ maxConcurrent: 2, queueTimeout: 1000 }, clock, nobody)

  for (let i = 0; i < 2; i++) slots.free()
  expect(slots.taken).toBe(2)
  slots.free()

  expect(await next).toBe(true)
  expect(slots.taken).toBe(2)
})

it('those that wait for a place that is lent are let in where a reload takes the limit away', async () => {
  const clock = new VirtualClock(0)
  const slots = new Slots()
  slots.borrowFrom({ want: async () => {}, wantSpare: async () => {}, giveBack: () => {} })
  const first = slots.take({ maxConcurrent: 1, queueTimeout: 1000 }, clock, nobody)
  slots.lend(1)
  await first
  const next = slots.take({ maxConcurrent: 1, queueTimeout: 1000 }, clock, nobody)

  expect(slots.takeNow({ queueTimeout: 1000 })).toBe(true)
  expect(slots.waiting).toBe(0)
  expect(await next).toBe(true)
})
