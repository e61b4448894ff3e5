import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EpochMs, Millis } from '../../src/policy/config.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../src/policy/nano-usd.ts'
import { amend, costIn, type PoolBudget, take, UNSPENT } from '../../src/policy/pool-budget.ts'

const NOON: EpochMs = Date.UTC(2025, 5, 16, 12)
const MINUTE_MS: Millis = 60_000
const HOUR_MS: Millis = 60 * MINUTE_MS
const minuteOf = (at: EpochMs) => Math.floor(at / MINUTE_MS)

/** One that was taken, as a list would keep it. */
interface Event {
  /** True time, which only grows. */
  readonly time: EpochMs
  /** As it was told. */
  readonly at: EpochMs
  cost: NanoUsd
}

type Step =
  | { readonly do: 'take'; readonly amount: NanoUsd }
  /** Changes the amount to a percentage of it, at most what was taken. */
  | { readonly do: 'amend'; readonly pick: number; readonly percent: number }
  | { readonly do: 'wait' | 'back'; readonly ms: Millis }

const LIMIT = 1000
const takeStep = fc.record({ do: fc.constant('take' as const), amount: fc.nat(400).map(nanoUsd) })
const amendStep = fc.record({ do: fc.constant('amend' as const), pick: fc.nat(99), percent: fc.nat(100) })
const some = fc.oneof(
  fc.nat(MINUTE_MS),
  fc.nat(20 * MINUTE_MS),
  fc.constantFrom(HOUR_MS - 1, HOUR_MS, HOUR_MS + MINUTE_MS - 1, HOUR_MS + MINUTE_MS),
)
const waitStep = some.map(ms => ({ do: 'wait' as const, ms }))
/** Any distance, in which the clock may be behind true time for ever. */
const backStep = fc.oneof(some, fc.nat(100 * HOUR_MS)).map(ms => ({ do: 'back' as const, ms }))

/** Takes, amends and waits, beside a list of all that was taken. */
class Books {
  budget: PoolBudget = UNSPENT
  readonly events: Event[] = []
  time = NOON
  clock = NOON

  do(step: Step): void {
    if (step.do === 'take') this.#take(step.amount)
    else if (step.do === 'amend') this.#amend(step.pick, step.percent)
    else this.#pass(step)
  }

  /** Amounts taken in the last 60 minutes. */
  get lastHour(): NanoUsd {
    return nanoUsd(sumOf(this.events.filter(({ time }) => this.time - time <= HOUR_MS)))
  }

  #take(amount: NanoUsd): void {
    const taken = take(this.budget, { amount, limit: nanoUsd(LIMIT) }, this.clock)
    if (!taken) return
    this.budget = taken.budget
    this.events.push({ time: this.time, at: taken.at, cost: amount })
  }

  #amend(pick: number, percent: number): void {
    const event = this.events[pick % Math.max(1, this.events.length)]
    // An attempt is over within the hour: while the clock lies back, no older one is corrected.
    if (!event || (this.clock < this.time && this.time - event.time > HOUR_MS)) return
    const difference = Math.floor((event.cost * percent) / 100) - event.cost
    this.budget = amend(this.budget, { counted: event.at, difference: nanoUsd(difference) }, this.clock)
    event.cost = nanoUsd(event.cost + difference)
  }

  #pass({ do: what, ms }: { readonly do: 'wait' | 'back'; readonly ms: Millis }): void {
    this.clock += what === 'wait' ? ms : -ms
    if (what === 'wait') this.time += ms
  }
}

const sumOf = (events: readonly Event[]) => events.reduce((sum, { cost }) => sum + cost, 0)
const steps = (...kinds: fc.Arbitrary<Step>[]) => fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 80 })

describe('the hour of a pool', () => {
  it('counts what a list of everything taken counts in the minute and the 60 before it, and refuses by that alone', () => {
    fc.assert(
      fc.property(steps(takeStep, takeStep, amendStep, waitStep), all => {
        const books = new Books()
        for (const step of all) {
          const counted = () => sumOf(books.events.filter(({ at }) => minuteOf(at) >= minuteOf(books.clock) - 60))
          const [before, events] = [counted(), books.events.length]

          books.do(step)

          if (step.do === 'take') expect(books.events.length - events).toBe(before + step.amount <= LIMIT ? 1 : 0)
          expect(costIn(books.budget, books.clock)).toBe(counted())
          expect(books.budget.length).toBeLessThanOrEqual(61)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('no span of 60 minutes holds more than the limit', () => {
    fc.assert(
      fc.property(steps(takeStep, takeStep, amendStep, waitStep), all => {
        const books = new Books()
        for (const step of all) {
          books.do(step)
          expect(books.lastHour).toBeLessThanOrEqual(LIMIT)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('nor when the clock steps back, by whatever, and again', () => {
    fc.assert(
      fc.property(steps(takeStep, takeStep, amendStep, waitStep, backStep), all => {
        const books = new Books()
        for (const step of all) {
          books.do(step)
          expect(books.lastHour).toBeLessThanOrEqual(LIMIT)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('is free again two hours after the last of it at the latest, however far the clock stepped back', () => {
    fc.assert(
      fc.property(steps(takeStep, waitStep, backStep), all => {
        const books = new Books()
        for (const step of all) books.do(step)
        // Somebody asks, which is when what lies ahead is found.
        books.do({ do: 'take', amount: ZERO_USD })
        books.do({ do: 'wait', ms: 2 * HOUR_MS + 2 * MINUTE_MS })

        expect(costIn(books.budget, books.clock)).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  it('never counts less than nothing, whatever it is put right by', () => {
    const amendment = fc.record({
      counted: fc.integer({ min: NOON - HOUR_MS, max: NOON }),
      difference: fc.integer().map(nanoUsd),
    })
    fc.assert(
      fc.property(steps(takeStep, waitStep), fc.array(amendment), (all, amendments) => {
        const books = new Books()
        for (const step of all) books.do(step)
        const hour = amendments.reduce((sum, one) => amend(sum, one, books.clock), books.budget)

        expect(hour.filter(({ cost }) => cost < 0)).toEqual([])
      }),
    )
  })
})
