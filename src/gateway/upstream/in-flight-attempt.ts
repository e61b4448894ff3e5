import type { Pool } from '../../policy/config.ts'
import type { Clock } from '../ports.ts'
import type { Ejection, Trial } from './breaker.ts'
import type { PoolState, Pools, Replica } from './pools.ts'

/**
 * What the end of a request says of its replica: that it serves, that it or its whole pool fails, that it failed this
 * request, which may be the request's doing, or nothing.
 */
export type ReplicaVerdict = 'serves' | 'fails' | 'pool-fails' | 'failed-this' | 'nothing'

/** Where a request goes. */
export interface Place {
  readonly pool: Pool
  readonly replica: Replica
  /** The second attempt in the pool. */
  readonly isRetry: boolean
}

/** One request at one replica, which has a slot of the pool: in flight until its end, which the breaker hears of once. */
export class InFlightAttempt {
  readonly #pools: Pools
  readonly #pool: Pool
  readonly #state: PoolState
  readonly #replica: Replica
  readonly #ejection: Ejection
  readonly #clock: Clock
  readonly #trial: Trial
  #isRetry: boolean
  #ended = false

  constructor({ pools, clock }: { pools: Pools; clock: Clock }, { pool, replica, isRetry }: Place, ejection: Ejection) {
    this.#pools = pools
    this.#pool = pool
    this.#state = pools.of(pool.name)
    this.#replica = replica
    this.#ejection = ejection
    this.#clock = clock
    this.#isRetry = isRetry
    replica.inFlight++
    this.#trial = replica.breaker.begin()
    if (isRetry) this.#state.retrying++
  }

  /** The replica answers, though the answer is not over. */
  answers(): void {
    this.#replica.breaker.answers(this.#clock.now(), this.#trial)
    if (this.#isRetry) this.#state.retrying--
    this.#isRetry = false
  }

  end(verdictOf: ReplicaVerdict): void {
    if (this.#ended) return
    this.#ended = true
    this.#replica.inFlight--
    this.#state.slots.free()
    if (this.#isRetry) this.#state.retrying--
    const { breaker } = this.#replica
    const now = this.#clock.now()
    if (verdictOf === 'serves') breaker.succeeded(now, this.#trial)
    else if (verdictOf === 'fails') breaker.failed(now, this.#ejection, this.#trial)
    else if (verdictOf === 'failed-this') breaker.failed(now, this.#ejection, this.#trial, true)
    else breaker.ended(this.#trial)
    if (verdictOf === 'pool-fails') this.#pools.failed(this.#pool, now, this.#ejection)
  }
}
