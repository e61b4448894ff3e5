import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Breaker, type Ejection, type Trial } from '../../../src/gateway/pools/breaker.ts'
import { SlidingCount } from '../../../src/gateway/pools/sliding-count.ts'

const NOON = 1_795_255_200_000
const EJECTION: Ejection = { after: 5, for: 5000 }

/** Fails until it is left out. */
function opened(now = NOON, ejection = EJECTION): Breaker {
  const breaker = new Breaker()
  while (breaker.state(now) === 'closed') breaker.failed(now, ejection)
  return breaker
}

type Event =
  /** A client asks: its request is sent if the breaker admits it. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'end'; readonly of: number; readonly how: 'well' | 'badly' | 'left' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'probe'; readonly ok: boolean; readonly again: boolean }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Event>({ kind: 'ask' }) },
  fc.record({
    kind: fc.constant('end' as const),
    of: fc.nat(20),
    how: fc.constantFrom('well' as const, 'badly' as const, 'left' as const),
  }),
  fc.record({
    kind: fc.constant('pass' as const),
    ms: fc.constantFrom(0, 1, 999, 5000, 10_000, 61_000, -5000, -90_000),
  }),
  fc.record({ kind: fc.constant('probe' as const), ok: fc.boolean(), again: fc.boolean() }),
)

/** Settings for histories with frequent ejections. */
const QUICK: Ejection = { after: 2, for: 5000 }

/** A breaker, a clock that steps, and the requests that are under way. */
class Model {
  readonly breaker = new Breaker(() => {
    this.changes++
    if (this.breaker.state(this.now) === 'closed') this.trial = undefined
  })
  now = NOON
  changes = 0
  /** Running requests, each with what `begin` gave. */
  underWay: Trial[] = []
  /** The one that was let in half-open. */
  trial: Trial | undefined

  apply(event: Event): void {
    const { openedAt } = this.breaker
    if (event.kind === 'pass') this.now += event.ms
    else if (event.kind === 'ask') this.#ask()
    else if (event.kind === 'end') this.#end(event.of, event.how)
    else if (event.ok) this.breaker.probeSucceeded(this.now)
    else this.breaker.probeFailed(this.now, QUICK.for, event.again)
    // Left out again: who tried it is out of the game.
    if (this.breaker.openedAt !== openedAt) this.trial = undefined
  }

  #ask(): void {
    const halfOpen = this.breaker.state(this.now) === 'half-open'
    if (!this.breaker.admits(this.now)) return
    const trial = this.breaker.begin()
    this.underWay.push(trial)
    if (!halfOpen) return
    if (this.trial !== undefined) throw new Error('two requests try the replica at a time')
    this.trial = trial
  }

  #end(of: number, how: 'well' | 'badly' | 'left'): void {
    const index = this.underWay.length === 0 ? 0 : of % this.underWay.length
    const [trial] = this.underWay.splice(index, 1)
    if (trial === undefined) return
    if (how === 'well') this.breaker.succeeded(this.now, trial)
    else if (how === 'badly') this.breaker.failed(this.now, QUICK, trial)
    else this.breaker.ended(trial)
    if (trial === this.trial) this.trial = undefined
  }
}

const histories = fc.array(event, { maxLength: 200 })

describe('whatever happens', () => {
  it('never more than one request at a time tries a replica that was left out', () => {
    fc.assert(
      fc.property(histories, events => {
        const model = new Model()
        for (const each of events) model.apply(each)
      }),
      { numRuns: 500 },
    )
  })

  it('nothing is left out for more than 60 s, however the clock steps', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: -1e9, max: 1e9 }), (events, step) => {
        const model = new Model()
        for (const each of events) model.apply(each)

        expect(model.breaker.wait(model.now)).toBeLessThanOrEqual(60_000)
        expect(model.breaker.wait(model.now + step)).toBeLessThanOrEqual(60_000)
        expect(model.breaker.state(model.now + 60_000)).not.toBe('open')
      }),
      { numRuns: 500 },
    )
  })

  it('a waiting request may try after the pause, unless another does', () => {
    fc.assert(
      fc.property(histories, events => {
        const model = new Model()
        for (const each of events) model.apply(each)
        const then = model.now + model.breaker.wait(model.now)

        expect(model.breaker.admits(then)).toBe(model.trial === undefined)
      }),
      { numRuns: 500 },
    )
  })

  it('it is told that it changed as often as it was left out and was back', () => {
    fc.assert(
      fc.property(histories, events => {
        const model = new Model()
        let changes = 0
        let wasClosed = true
        for (const each of events) {
          model.apply(each)
          const isClosed = model.breaker.state(model.now) === 'closed'
          if (isClosed !== wasClosed) changes++
          wasClosed = isClosed
        }

        expect(model.changes).toBe(changes)
      }),
    )
  })
})

it('the n-th time in a row it is left out n times as long, up to 60 s', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 40 }), (time, times) => {
      const breaker = new Breaker()
      let now = NOON
      for (let n = 1; n <= times; n++) {
        breaker.open(now, time)
        expect(breaker.wait(now)).toBe(Math.min(time * n, 60_000))
        now += breaker.wait(now)
        expect(breaker.state(now - 1)).toBe('open')
        expect(breaker.state(now)).toBe('half-open')
      }
    }),
  )
})

it('one that served for more than 60 s starts anew', () => {
  const breaker = opened()
  breaker.failed(NOON + 5000, EJECTION)
  breaker.succeeded(NOON + 15_000, breaker.begin())
  breaker.open(NOON + 75_000, 5000)
  expect(breaker.wait(NOON + 75_000)).toBe(15_000)

  breaker.succeeded(NOON + 90_000, breaker.begin())
  breaker.open(NOON + 150_001, 5000)
  expect(breaker.wait(NOON + 150_001)).toBe(5000)
})

it('a clock that stepped back lets a request try at once', () => {
  const breaker = opened()

  expect(breaker.admits(NOON - 1)).toBe(true)
})

it('a request of before that ends makes no room for a second one to try', () => {
  const breaker = new Breaker()
  const old = breaker.begin()
  for (let n = 0; n < 5; n++) breaker.failed(NOON, EJECTION)
  breaker.begin()

  breaker.ended(old)

  expect(breaker.admits(NOON + 5000)).toBe(false)
})

describe('where probes watch', () => {
  it('no request tries before a probe was answered, and then one at a time', () => {
    const breaker = opened()
    breaker.watched = true

    expect(breaker.admits(NOON + 5000)).toBe(false)
    breaker.probeSucceeded(NOON + 4999)
    expect(breaker.admits(NOON + 5000)).toBe(false)
    breaker.probeSucceeded(NOON + 5000)
    expect([breaker.state(NOON + 5000), breaker.admits(NOON + 5000)]).toEqual(['half-open', true])
    breaker.begin()
    expect(breaker.admits(NOON + 5000)).toBe(false)
  })

  it('a request that failed is followed by no other before the next answered probe', () => {
    const breaker = opened()
    breaker.watched = true
    breaker.probeSucceeded(NOON + 5000)

    breaker.failed(NOON + 5000, EJECTION, breaker.begin())

    expect(breaker.wait(NOON + 5000)).toBe(10_000)
    expect(breaker.admits(NOON + 15_000)).toBe(false)
  })

  it('a success forgets no failure of a request', () => {
    const breaker = new Breaker()
    for (let n = 0; n < 4; n++) breaker.failed(NOON, EJECTION)
    breaker.probeSucceeded(NOON)
    expect(breaker.failures).toBe(4)
    breaker.failed(NOON, EJECTION)

    expect(breaker.state(NOON)).toBe('open')
  })

  it('one failure leaves out only what was out', () => {
    const breaker = new Breaker()
    breaker.probeFailed(NOON, 5000, false)
    expect(breaker.state(NOON)).toBe('closed')
    breaker.probeFailed(NOON, 5000, true)
    breaker.probeFailed(NOON + 1000, 5000, true)
    expect(breaker.wait(NOON + 1000)).toBe(4000)
    breaker.probeFailed(NOON + 5000, 5000, false)

    expect(breaker.wait(NOON + 5000)).toBe(10_000)
  })
})

it('counts are those of the last ten seconds, whatever came before', () => {
  const step = fc.record({ ms: fc.nat(4000), marked: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const recent = new SlidingCount()
      const added: { at: number; marked: boolean }[] = []
      let now = NOON
      for (const { ms, marked } of steps) {
        now += ms
        recent.add(now, 1, marked ? 1 : 0)
        added.push({ at: now, marked })
      }
      const second = (at: number) => Math.floor(at / 1000)
      const kept = added.filter(({ at }) => second(at) > second(now) - 10)

      expect(recent.share(now)).toEqual({ all: kept.length, marked: kept.filter(each => each.marked).length })
      expect(recent.share(now + 10_000)).toEqual({ all: 0, marked: 0 })
    }),
  )
})

it('a clock that steps back loses no count', () => {
  const recent = new SlidingCount()
  recent.add(NOON, 1)
  recent.add(NOON - 60_000, 1)

  expect(recent.share(NOON)).toEqual({ all: 2, marked: 0 })
})
