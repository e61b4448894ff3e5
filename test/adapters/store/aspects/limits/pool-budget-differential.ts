import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { EpochMs, Millis } from '../../../../../src/policy/config.ts'
import { type NanoUsd, nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import {
  amend,
  type BudgetSpan,
  costIn,
  type PoolBudget,
  take,
  UNSPENT,
} from '../../../../../src/policy/pool-budget.ts'
import type { Start } from '../../contract.ts'
import { type Clock, NOON } from '../../fixtures.ts'

/** The average of a sequence, with room to spare. */
const ANSWERS_PER_RUN = 80
const MINUTE: Millis = 60_000
const HOUR: Millis = 60 * MINUTE

type Step =
  /** `room` is how far the limit is above what counts already. */
  | { readonly do: 'take'; readonly amount: NanoUsd; readonly room: NanoUsd }
  | { readonly do: 'amend'; readonly pick: number; readonly difference: NanoUsd }
  | { readonly do: 'wait'; readonly ms: Millis }

const some = (max: number, min = 0): fc.Arbitrary<number> => fc.integer({ min, max })
const amount = fc.oneof(some(200), some(40_000_000_000_000)).map(nanoUsd).map(nanoUsd)
/** Where a bucket leaves the hour, and where a clock that stepped back no longer leaves the newest the current one. */
const edge = fc
  .tuple(fc.constantFrom(MINUTE, HOUR, HOUR + MINUTE, -HOUR, -HOUR - MINUTE), some(1, -1))
  .map(([ms, more]) => ms + more)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), amount, room: amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('amend' as const),
      pick: fc.nat(99),
      difference: fc.oneof(
        some(0, -200).map(nanoUsd),
        amount,
        amount.map(by => nanoUsd(-by)),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(some(2 * MINUTE), some(10 * MINUTE), some(HOUR, -HOUR), some(20 * HOUR, -20 * HOUR), edge),
    }),
  },
)

/** Does the same to the hour of a pool in the store and to the policy, and compares every answer. */
class Pair {
  readonly #store: Store
  readonly #clock: Clock
  readonly #pool: string
  readonly #span: BudgetSpan
  readonly #counted: EpochMs[] = []
  #budget: PoolBudget = UNSPENT
  compared = 0

  constructor(store: Store, clock: Clock, pool: string, span: BudgetSpan) {
    this.#span = span
    this.#store = store
    this.#clock = clock
    this.#pool = pool
  }

  async do(step: Step): Promise<void> {
    if (step.do === 'wait') this.#clock.at += step.ms
    else if (step.do === 'take') await this.#take(step.amount, step.room)
    else await this.#amend(step.pick, step.difference)
    this.#same(await this.#store.budgets.read(this.#pool, this.#span), costIn(this.#budget, this.#clock.at, this.#span))
  }

  async #take(amount: NanoUsd, room: NanoUsd): Promise<void> {
    const limit = nanoUsd(costIn(this.#budget, this.#clock.at, this.#span) + room)
    const taken = take(this.#budget, { amount, limit }, this.#clock.at, this.#span)
    const of = { pool: this.#pool, span: this.#span }
    this.#same(await this.#store.budgets.take({ ...of, amount, limit }), taken?.at)
    if (!taken) return
    this.#budget = taken.budget
    this.#counted.push(taken.at)
  }

  async #amend(pick: number, difference: NanoUsd): Promise<void> {
    const counted = this.#counted[pick % Math.max(1, this.#counted.length)]
    if (counted === undefined) return
    this.#budget = amend(this.#budget, { counted, difference }, this.#clock.at, this.#span)
    await this.#store.budgets.amend({ pool: this.#pool, span: this.#span, at: counted, difference })
  }

  #same(answer: unknown, expected: unknown): void {
    this.compared++
    expect(answer).toEqual(expected)
  }
}

/** The store counts the hour of a pool as the policy does. Compares as many answers as `differentialContract` is told. */
export function poolBudgetDifferential(start: Start, answers: number): void {
  const least = Number(process.env.SCRIPT_ANSWERS ?? answers)

  it(`counts the hour of a pool as the policy does, ${least} times and more`, async () => {
    const { store, clock } = await start()
    let pools = 0
    let compared = 0

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 200, size: 'max' }), async steps => {
        clock.at = NOON
        const pair = new Pair(store, clock, `pool${pools}`, pools++ % 3 === 2 ? 'day' : 'hour')
        for (const step of steps) await pair.do(step)
        compared += pair.compared
      }),
      {
        numRuns: Math.ceil(least / ANSWERS_PER_RUN),
        interruptAfterTimeLimit: 600_000,
        markInterruptAsFailure: true,
      },
    )

    expect(compared).toBeGreaterThanOrEqual(least)
    console.info(`compared ${compared} answers of the store with those of the policy`)
  }, 660_000)
}
