import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../../src/policy/queue/fair-queue.ts'
import { borrowedSlots, guaranteedSlots } from '../../../src/policy/queue/slot-shares.ts'
import { type Guarantee, type OwnedRequest, QueueWithShares } from '../../../src/policy/queue/with-shares.ts'
import { type Asked, asked, NO_BOUNDS, play } from './play.ts'

const OWNERS = ['org:a', 'plan:b', undefined] as const

const guaranteed: fc.Arbitrary<{ readonly slots: number; readonly guarantees: readonly Guarantee[] }> = fc
  .record({
    slots: fc.integer({ min: 1, max: 12 }),
    a: fc.integer({ min: 1, max: 60 }),
    b: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ slots, a, b }) => {
    const [ofA = 0, ofB = 0] = guaranteedSlots([a * 10_000, b * 10_000], slots)
    return {
      slots,
      guarantees: [
        { owner: 'org:a', slots: ofA },
        { owner: 'plan:b', slots: ofB },
      ],
    }
  })

const request = fc
  .record({
    owner: fc.constantFrom(...OWNERS),
    account: fc.integer({ min: 0, max: 2 }),
    tokens: fc.integer({ min: 1, max: 300 }),
    priority: fc.nat(2),
    weight: fc.integer({ min: 1, max: 4 }),
    service: fc.integer({ min: 1, max: 100 }),
    at: fc.nat(500),
  })
  .map(({ owner, account, at, ...more }) =>
    asked(`${owner ?? 'none'}_${account}`, at, { ...more, ...(owner !== undefined && { owner }) }),
  )

/** An event in a pool: a request comes, one that runs ends, or a client that waits leaves. */
const event = fc.oneof(
  { weight: 3, arbitrary: request },
  { weight: 2, arbitrary: fc.record({ ends: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ leaves: fc.nat(100) }) },
)

/** A pool whose slots and requests are counted beside its queue. */
class CountedPool {
  readonly queue = new QueueWithShares<Asked>()
  readonly running: Asked[] = []
  readonly waiting: Asked[] = []
  readonly #slots: number
  readonly #guarantees: readonly Guarantee[]

  constructor(slots: number, guarantees: readonly Guarantee[]) {
    this.#slots = slots
    this.#guarantees = guarantees
    this.queue.guarantee(guarantees)
  }

  comes(request: Asked): void {
    if (this.running.length < this.#slots) {
      this.queue.start(request)
      this.running.push(request)
    } else {
      expect(this.queue.enter(request, 0, NO_BOUNDS)).toBeUndefined()
      this.waiting.push(request)
    }
  }

  leaves(place: number): void {
    const [request] = this.waiting.splice(place % Math.max(1, this.waiting.length), 1)
    if (request) this.queue.leave(request, 0)
  }

  ends(place: number): void {
    const [request] = this.running.splice(place % Math.max(1, this.running.length), 1)
    if (!request) return
    this.queue.end(request, request.real)
    this.queue.release(request)
    const owed = this.#furthestBelow()
    const next = this.queue.next(0, Number.POSITIVE_INFINITY)
    if (this.waiting.length === 0) expect(next).toBeUndefined()
    else expect(this.waiting).toContain(next)
    if (owed !== undefined) expect(next?.owner).toBe(owed)
    if (!next) return
    this.waiting.splice(this.waiting.indexOf(next), 1)
    this.running.push(next)
  }

  /** The owner that waits with the smallest part of its guarantee, below all of it. */
  #furthestBelow(): string | undefined {
    const below = this.#guarantees.flatMap(({ owner, slots }) => {
      const held = this.running.filter(each => each.owner === owner).length
      return held < slots && this.waiting.some(each => each.owner === owner) ? [{ owner, part: held / slots }] : []
    })
    return below.sort((one, other) => one.part - other.part)[0]?.owner
  }

  isEmpty(): boolean {
    return OWNERS.every(owner => owner === undefined || this.queue.heldBy(owner) + this.queue.waitingOf(owner) === 0)
  }
}

describe('a queue with shares', () => {
  it('gives each free slot to the owner that is furthest below its guarantee and waits, and leaves none idle while any request waits', () => {
    fc.assert(
      fc.property(guaranteed, fc.array(event, { maxLength: 120 }), ({ slots, guarantees }, events) => {
        const pool = new CountedPool(slots, guarantees)
        for (const each of events) {
          if ('account' in each) pool.comes(each)
          else if ('ends' in each) pool.ends(each.ends)
          else pool.leaves(each.leaves)
        }
        while (pool.running.length > 0) pool.ends(0)
        expect([pool.waiting.length, pool.queue.order.size, pool.isEmpty()]).toEqual([0, 0, true])
      }),
    )
  })

  it('gives an owner its guarantee within one service time of those that borrow it, and starts each request once', () => {
    const borrowed = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 40, maxLength: 80 })
    fc.assert(
      fc.property(guaranteed, borrowed, fc.nat(400), ({ slots, guarantees }, services, at) => {
        const [mine] = guarantees
        if (!mine) throw new Error('there are two')
        const flood = services.flatMap((service, n) =>
          Array.from({ length: 10 }, () => asked(`other_${n % 3}`, 0, { service, priority: 2 })),
        )
        const own = Array.from({ length: mine.slots }, () =>
          asked('owner', at, { owner: mine.owner, service: 1000, priority: 0 }),
        )
        const { started, idle } = play([...flood, ...own], slots, Number.POSITIVE_INFINITY, guarantees)
        for (const each of own) expect((started.get(each) ?? Number.NaN) - at).toBeLessThanOrEqual(100)
        expect([started.size, idle]).toEqual([flood.length + own.length, 0])
      }),
      { numRuns: 30 },
    )
  })

  it('has the order of a queue without shares while nothing is guaranteed', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), all => {
        const [shared, fair] = [new QueueWithShares<Asked>(), new FairQueue<Asked>()]
        for (const queue of [shared, fair]) for (const each of all) queue.enter(each, each.at, NO_BOUNDS)
        for (const _ of all) {
          const [next, expected] = [shared.next(1000, 50), fair.next(1000, 50)]
          if (!next || !expected) throw new Error('one waits')
          expect(next).toBe(expected)
          shared.end(next, next.real)
          fair.end(next, next.real)
        }
      }),
    )
  })

  it('orders the requests within a share by priority, and then fairly by weight, whatever slots their accounts were lent', () => {
    const queue = new QueueWithShares<OwnedRequest>()
    queue.guarantee([{ owner: 'org:a', slots: 1 }])
    const ask = (account: string, more: Partial<Asked> = {}) => asked(account, 0, { owner: 'org:a', ...more })
    // One account was lent slots for a long time.
    for (let n = 0; n < 20; n++) queue.start({ ...ask('old'), owner: 'org:none' })
    const waiting = [
      ask('old'),
      ask('old'),
      ask('heavy', { weight: 2 }),
      ask('heavy', { weight: 2 }),
      ask('first', { priority: 5 }),
    ]
    for (const each of waiting) queue.enter(each, 0, NO_BOUNDS)
    const order = waiting.map(() => {
      const next = queue.next(0, Number.POSITIVE_INFINITY)
      if (next) queue.release(next)
      return next?.account
    })
    expect(order).toEqual(['first', 'old', 'heavy', 'heavy', 'old'])
  })
})

describe('the slots that shares guarantee', () => {
  it('are whole, within one of the exact part, and never more than there are', () => {
    const shares = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 1000 }), (percents, slots) => {
        const all = guaranteedSlots(
          percents.map(each => each * 10_000),
          slots,
        )
        for (const [place, each] of all.entries())
          expect(Math.abs(each - ((percents[place] ?? 0) * slots) / 100)).toBeLessThan(1)
        const sum = all.reduce((total, each) => total + each, 0)
        expect(sum).toBeLessThanOrEqual(slots)
        if (percents.reduce((total, each) => total + each, 0) === 100) expect(sum).toBe(slots)
      }),
    )
  })

  it.each([
    [[60, 40], 16, [10, 6]],
    [[60, 40], 64, [38, 26]],
    [[34, 33, 33], 10, [4, 3, 3]],
    [[50], 1, [1]],
    [[40], 1, [0]],
    [[100], 7, [7]],
  ] as const)('of %j %% among %d are %j', (percents, slots, guaranteed) => {
    expect(
      guaranteedSlots(
        percents.map(each => each * 10_000),
        slots,
      ),
    ).toEqual(guaranteed)
  })
})

it.each([
  [
    'no slot is lent while requests of owners alone run',
    [
      [2, 2],
      [1, 0],
    ],
    2,
    0,
  ],
  [
    'slots that nobody is guaranteed are used before any is lent',
    [
      [2, 0],
      [1, 0],
    ],
    1,
    0,
  ],
  [
    'a request beyond those borrows',
    [
      [2, 0],
      [1, 0],
    ],
    2,
    1,
  ],
  [
    'an owner beyond its guarantee borrows as well',
    [
      [2, 4],
      [1, 0],
    ],
    4,
    1,
  ],
  [
    'slots that owners took back are lent no more',
    [
      [2, 2],
      [1, 0],
    ],
    4,
    1,
  ],
] as const)('%s', (_name, shares, taken, expected) => {
  const given = shares.map(([slots, held]) => ({ slots, held }))
  expect(borrowedSlots(given, { taken, max: 4 })).toBe(expected)
})
