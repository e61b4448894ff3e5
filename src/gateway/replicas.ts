import type { EpochMs, Millis, Pool } from '../policy/config.ts'

/** When a replica is left out. */
export interface Ejection {
  /** Failures in a row. */
  readonly after: number
  readonly for: Millis
}

interface ReplicaState {
  inFlight: number
  failures: number
  ejectedUntil: EpochMs
}

/** What this process knows of every replica: requests in flight, and failures in a row. */
export class Replicas {
  readonly #states = new Map<string, ReplicaState>()

  /**
   * The less busy of two random replicas of the pool that were not tried yet, healthy ones first;
   * undefined when all were tried. `random` gives numbers in [0, 1).
   */
  pick(pool: Pool, tried: ReadonlySet<string>, now: EpochMs, random: () => number): string | undefined {
    const untried = pool.replicas.filter(replica => !tried.has(replica))
    const healthy = untried.filter(replica => this.#state(pool.name, replica).ejectedUntil <= now)
    const from = healthy.length > 0 ? healthy : untried
    const first = Math.floor(random() * from.length)
    // The second is another one: an offset of 1 to length - 1.
    const second = (first + 1 + Math.floor(random() * (from.length - 1))) % from.length
    const [a, b] = [from[first], from[second]]
    if (a === undefined || b === undefined) return a
    return this.#state(pool.name, b).inFlight < this.#state(pool.name, a).inFlight ? b : a
  }

  /** Counts a request in flight until the returned function is called, once. */
  begin(pool: string, replica: string): () => void {
    const state = this.#state(pool, replica)
    state.inFlight++
    let ended = false
    return () => {
      if (!ended) state.inFlight--
      ended = true
    }
  }

  succeeded(pool: string, replica: string): void {
    this.#state(pool, replica).failures = 0
  }

  /** Counts a failure; enough in a row eject the replica, and one more ejects it again once it is back. */
  failed(pool: string, replica: string, ejection: Ejection, now: EpochMs): void {
    const state = this.#state(pool, replica)
    state.failures++
    if (state.failures >= ejection.after) state.ejectedUntil = now + ejection.for
  }

  /** Names of the pools without one healthy replica. */
  down(pools: Iterable<Pool>, now: EpochMs): string[] {
    const isDown = (pool: Pool) => pool.replicas.every(replica => this.#state(pool.name, replica).ejectedUntil > now)
    return [...pools].filter(isDown).map(pool => pool.name)
  }

  #state(pool: string, replica: string): ReplicaState {
    // Per pool, not per URL: one host may serve a healthy model and a broken one.
    const key = `${pool} ${replica}`
    let state = this.#states.get(key)
    if (!state) {
      state = { inFlight: 0, failures: 0, ejectedUntil: 0 }
      this.#states.set(key, state)
    }
    return state
  }
}
