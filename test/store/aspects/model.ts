import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../../src/gateway/store.ts'
import type { Charge, Hold } from '../../../src/policy/standing.ts'
import type { Start } from '../contract.ts'
import { admission, type Clock, claimsOf, ledgerOf, openShop, type Shop, settlement, sumOf } from '../fixtures.ts'

const LIMITS = { rpm: 6, tpm: 400, maxConcurrent: 4, limit: 900 }

const ACTS = ['admit', 'repeat', 'settle', 'settleAgain', 'refund', 'wait'] as const

interface Step {
  readonly act: (typeof ACTS)[number]
  /** Which of the requests, or how long. */
  readonly pick: number
  /** What is asked for, or how much of it was needed in percent. */
  readonly weight: number
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...ACTS, 'admit', 'admit', 'settle'),
  pick: fc.nat(99),
  weight: fc.nat(100),
})

interface Taken {
  readonly hold: Hold
  readonly at: number
  /** What it weighs in its minute. */
  tokens: number
}

interface World {
  readonly store: Store
  readonly shop: Shop
  readonly clock: Clock
}

/** Does the steps to the store, and beside it what they should come to. */
class Model {
  readonly #world: World
  readonly #taken: Taken[] = []
  readonly #open: Taken[] = []
  readonly #settled: { hold: Hold; charge: Charge }[] = []

  constructor(world: World) {
    this.#world = world
  }

  async do({ act, pick, weight }: Step): Promise<void> {
    const { store, shop, clock } = this.#world
    const open = pickOf(this.#open, pick)
    if (act === 'wait') clock.at += pick * weight * 4
    else if (act === 'admit') await this.#admit(weight)
    else if (act === 'settleAgain') await this.#settleAgain(pick)
    else if (!open) return
    else if (act === 'repeat') await store.admit(admission(shop, open.hold.requestId))
    else if (act === 'settle') await this.#settle(open, weight)
    else await this.#refund(open)
  }

  async check(): Promise<void> {
    const { store, shop, clock } = this.#world
    const { used, held } = await store.readSpend(shop.account)
    const expected = {
      used: this.#settled.reduce((sum, { charge }) => sum + charge.cost, 0),
      held: this.#open.reduce((sum, { hold }) => sum + hold.cost, 0),
    }
    const minute = this.#taken.filter(({ at }) => clock.at - at <= 60_000)

    expect({ used, held }).toEqual(expected)
    expect(used + held).toBeLessThanOrEqual(LIMITS.limit)
    expect(this.#open.length).toBeLessThanOrEqual(LIMITS.maxConcurrent)
    expect(minute.length).toBeLessThanOrEqual(LIMITS.rpm)
    expect(minute.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(LIMITS.tpm)
  }

  async #admit(weight: number): Promise<void> {
    const { store, shop, clock } = this.#world
    const requestId = `req_${shop.account}_${String(this.#taken.length).padStart(4, '0')}`
    const claims = claimsOf({ ...LIMITS, input: 1 + (weight % 50), want: 10 + weight, min: 5, at: clock.at })
    const answer = await store.admit(admission(shop, requestId, claims))
    if (answer.outcome !== 'admitted') return
    const taken = { hold: answer.hold, at: clock.at, tokens: answer.hold.tokens }
    this.#taken.push(taken)
    this.#open.push(taken)
  }

  async #settle(taken: Taken, percent: number): Promise<void> {
    const part = (whole: number) => Math.floor((whole * percent) / 100)
    const settled = { hold: taken.hold, charge: { tokens: part(taken.hold.tokens), cost: part(taken.hold.cost) } }
    await this.#world.store.settle(settlement(settled.hold, settled.charge))
    this.#settled.push(settled)
    this.#end(taken, settled.charge.tokens)
  }

  async #settleAgain(pick: number): Promise<void> {
    const settled = pickOf(this.#settled, pick)
    if (settled) await this.#world.store.settle(settlement(settled.hold, settled.charge))
  }

  async #refund(taken: Taken): Promise<void> {
    await this.#world.store.refund(taken.hold)
    this.#end(taken, 0)
  }

  #end(taken: Taken, tokens: number): void {
    this.#open.splice(this.#open.indexOf(taken), 1)
    taken.tokens = tokens
  }
}

const pickOf = <T>(items: readonly T[], pick: number): T | undefined => items[pick % Math.max(1, items.length)]

export function modelContract(start: Start): void {
  it('whatever the order, limits hold, `held` is the open holds and `used` the ledger', async () => {
    const { store, clock, reopen } = await start()
    const accounts: string[] = []

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async steps => {
        const shop = await openShop(store, `shop${accounts.length}`)
        accounts.push(shop.account)
        const model = new Model({ store, shop, clock })
        for (const step of steps) {
          await model.do(step)
          await model.check()
        }
      }),
      { numRuns: 40 },
    )

    const reopened = await reopen()
    for (const account of accounts) {
      const { used, held } = await reopened.readSpend(account)
      expect({ used, held }).toEqual({ used: sumOf(await ledgerOf(reopened, account)), held: 0 })
    }
  })
}
