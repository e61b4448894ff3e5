import type { BackendSettings } from '../../config/settings.ts'
import type { Mirror, Pool, Price } from '../../policy/config.ts'
import { copyBudget } from '../../policy/mirror.ts'
import { type NanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { costOf, costOfTokens, heldPrice } from '../../policy/price.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import { emptyBill } from '../admission/bill.ts'
import { estimateOf, settlementOf } from '../admission/settlement.ts'
import type { Failure, Work } from '../attempt/outcome.ts'
import { type CheckResult, type HealthVerdict, mostUsageOf } from '../health/check.ts'
import type { Alarm } from '../ports.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { PoolBudgetStore } from '../store/pool-budget-store.ts'

/** The amount reserved of a pool's hour for one attempt. */
export interface BudgetReservation {
  /** Replaces the reserved amount, once the cost of the attempt is known. */
  settle(cost: NanoUsd): void
}

/** The reservation at a pool whose hour has no limit. */
const FREE: BudgetReservation = { settle: () => {} }

/** The number of the first health check, above those of all attempts at a request. */
const FIRST_CHECK = 1000
/** The number of a copy, above those of all health checks. */
const COPY = 9000
/** The cause in the row of a copy that was answered. */
const COPIED = 'copy'

interface ExpenseStore {
  readonly budgets: Pick<PoolBudgetStore, 'take' | 'amend'>
  readonly ledger: Pick<LedgerStore, 'recordWaste'>
}

/** The end of a copy. */
interface EndedCopy {
  /** Absent where no backend worked for it. */
  readonly work: Work | undefined
  readonly facts: Readonly<Record<string, string>>
  /** Why it failed, where it did. */
  readonly cause?: string
}

/** The operator's cost for the attempts of one request, at the prices of the pools: never charged to the client. */
export class Expenses {
  readonly #store: ExpenseStore
  readonly #alarm: Alarm
  readonly #settingsOf: (pool: Pool) => BackendSettings
  readonly #admitted: AdmittedCall
  readonly #before: number
  /** Health checks that this request gave rise to. */
  #checks = 0

  /** `before` attempts at rounds before were written down, by other numbers. */
  constructor(
    ports: {
      readonly store: ExpenseStore
      readonly alarm: Alarm
      readonly settingsOf: (pool: Pool) => BackendSettings
    },
    admitted: AdmittedCall,
    before = 0,
  ) {
    this.#before = before
    this.#store = ports.store
    this.#alarm = ports.alarm
    this.#settingsOf = ports.settingsOf
    this.#admitted = admitted
  }

  /** Takes what an attempt may cost at most; undefined when the pool's hour does not hold it. */
  take(pool: Pool): BudgetReservation | Promise<BudgetReservation | undefined> {
    const { cost, maxNanoUsdPerHour } = this.#settingsOf(pool)
    return cost && maxNanoUsdPerHour !== undefined ? this.#take(pool, cost, maxNanoUsdPerHour) : FREE
  }

  async #take(pool: Pool, cost: Price, limit: NanoUsd): Promise<BudgetReservation | undefined> {
    const amount = this.#mostCost(cost)
    const at = await this.#store.budgets.take({ pool: pool.name, amount, limit })
    if (at === undefined) return undefined
    return {
      settle: actual => {
        if (actual === amount) return
        this.#store.budgets
          .amend({ pool: pool.name, at, difference: subtractNanoUsd(actual, amount) })
          .catch((error: unknown) => {
            // It stays counted at its most until the hour is over.
            this.#alarm('the hourly cost of a pool could not be corrected', { pool: pool.name, error: String(error) })
          })
      },
    }
  }

  /** Takes what a copy may cost of its mirror's day, and of its pool's hour; undefined where one of them does not hold it. */
  async takeCopy({ to, maxNanoUsdPerDay: limit }: Mirror): Promise<BudgetReservation | undefined> {
    const { cost } = this.#settingsOf(to)
    if (!cost || limit === undefined) return this.take(to)
    const { budgets } = this.#store
    const budget = copyBudget(this.#admitted.decision.model.name)
    const amount = this.#mostCost(cost)
    const at = await budgets.take({ ...budget, amount, limit })
    if (at === undefined) return undefined
    const settle = (actual: NanoUsd) => {
      if (actual === amount) return
      // Where that fails, it stays counted at its most until the day is over.
      budgets.amend({ ...budget, at, difference: subtractNanoUsd(actual, amount) }).catch(() => {})
    }
    const hour = await this.take(to)
    if (!hour) settle(ZERO_USD)
    return (
      hour && {
        settle: actual => {
          settle(actual)
          hour.settle(actual)
        },
      }
    )
  }

  /** Writes down what a copy cost, and how it fared beside the request itself. Rejects with StoreUnavailable. */
  async recordCopy(pool: Pool, { work, facts, cause = COPIED }: EndedCopy): Promise<void> {
    const { spent: _, ...admitted } = this.#admitted
    const bill = work ? uncharged(settlementOf(admitted, pool, work).bill) : emptyBill(admitted, pool)
    const copy = { ...bill, cost: this.costOf(pool, work), mirror: facts }
    await this.#store.ledger.recordWaste([{ attempt: COPY, cause, bill: copy }])
  }

  /** The cost of work in a pool, estimated where the backend did not report usage. */
  costOf(pool: Pool, work: Work | undefined): NanoUsd {
    const { cost } = this.#settingsOf(pool)
    if (!cost || !work) return ZERO_USD
    const usage = work.usage ?? estimateOf(this.#admitted, work)
    return costOfTokens(cost, { ...usage, outputTokens: this.#paidOutput(usage.outputTokens) }, this.#images)
  }

  /** Writes down what a failed attempt cost, by its number. The answer does not wait for it, and does not fail with it. */
  record({ pool, cause, work }: Failure, attempt: number): void {
    if (!work || !this.#settingsOf(pool).cost) return
    // The rounds before have rows of their own.
    const { spent: _, ...admitted } = this.#admitted
    // Its operator may have to pay for the most of it.
    const { least: _least, ...most } = work
    const bill = uncharged(settlementOf(admitted, pool, most).bill)
    const waste = { attempt: this.#before + attempt, cause, bill: { ...bill, cost: this.costOf(pool, work) } }
    this.#store.ledger.recordWaste([waste]).catch((error: unknown) => {
      this.#alarm('the cost of a failed attempt could not be recorded', {
        requestId: bill.requestId,
        error: String(error),
      })
    })
  }

  /**
   * Runs a health check where the pool's hourly budget has room for it, and records its cost beside the failed attempts of
   * the request that gave rise to it: no client is charged for either.
   */
  async ofCheck(pool: Pool, check: () => Promise<CheckResult>): Promise<HealthVerdict> {
    const { cost, maxNanoUsdPerHour } = this.#settingsOf(pool)
    if (!cost) return (await check()).verdict
    const amount = costOfTokens(heldPrice(cost), mostUsageOf(pool))
    try {
      const take = { pool: pool.name, amount, limit: maxNanoUsdPerHour ?? ZERO_USD }
      if (maxNanoUsdPerHour !== undefined && (await this.#store.budgets.take(take)) === undefined)
        return { kind: 'unknown' }
    } catch {
      // The store is unavailable, as the answer to the next request will say: the pool's health stays unknown.
      return { kind: 'unknown' }
    }
    const { verdict, usage } = await check()
    if (usage) this.#recordCheck(pool, usage)
    return verdict
  }

  #recordCheck(pool: Pool, usage: Usage): void {
    const { spent: _, ...admitted } = this.#admitted
    const bill = uncharged(settlementOf(admitted, pool, { usage }).bill)
    const { cost } = this.#settingsOf(pool)
    const paid = cost ? costOfTokens(cost, usage) : ZERO_USD
    const attempt = FIRST_CHECK + this.#before + this.#checks++
    this.#store.ledger
      .recordWaste([{ attempt, cause: 'health check', bill: { ...bill, cost: paid } }])
      .catch((error: unknown) => {
        this.#alarm('the cost of a health check could not be recorded', {
          requestId: bill.requestId,
          error: String(error),
        })
      })
  }

  #mostCost(cost: Price): NanoUsd {
    const { claims } = this.#admitted.decision
    return costOf(heldPrice(cost), claims.input, this.#paidOutput(this.#mostOutput), this.#images)
  }

  /** An image model's output is paid by the image, not by its tokens. */
  #paidOutput(tokens: number): number {
    return this.#admitted.request.kind === 'image' ? 0 : tokens
  }

  get #images(): number {
    const { request, decision } = this.#admitted
    return request.kind === 'image' ? decision.claims.spend.items : 0
  }

  get #mostOutput(): number {
    const { decision, hold } = this.#admitted
    return hold.tokens - decision.claims.input
  }
}

/** The operator pays at the prices of the pool: no client is charged at those of the model. */
const uncharged = ({ charges: _charges, saved: _saved, ...bill }: Bill): Bill => bill
