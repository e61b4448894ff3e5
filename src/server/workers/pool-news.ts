import type { Pools, Replica } from '../../gateway/upstream/pools.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'

/** What one process found out, or an operator decided, of a place that answers: all processes of a gateway go by it. */
export type ReplicaNews = { readonly pool: string; readonly replica?: string } & (
  | { readonly what: 'ejected'; readonly at: EpochMs; readonly for: Millis }
  | { readonly what: 'back'; readonly at: EpochMs }
  | { readonly what: 'drained'; readonly drained: boolean }
)

/** Passes on what happens at replicas, and takes in what happened elsewhere, without saying that again. */
export class PoolNews {
  readonly #pools: Pools
  readonly #say: (news: ReplicaNews) => void
  #isTakingIn = false

  constructor(pools: Pools, say: (news: ReplicaNews) => void) {
    this.#pools = pools
    this.#say = say
    pools.onDrained = (pool, replica, drained) => {
      if (!this.#isTakingIn) say({ pool, ...(replica && { replica: replica.url }), what: 'drained', drained })
    }
  }

  /** A replica was ejected, or is back. Whether that was found here. */
  changed(pool: string, { url, breaker }: Replica, now: EpochMs): boolean {
    if (this.#isTakingIn) return false
    const left = breaker.wait(now)
    this.#say(
      left > 0
        ? { pool, replica: url, what: 'ejected', at: breaker.openedAt, for: left }
        : { pool, replica: url, what: 'back', at: now },
    )
    return true
  }

  takeIn(news: ReplicaNews): void {
    const { pool, replica: url } = news
    const state = this.#pools.of(pool)
    const replica = url === undefined ? undefined : state.replica(url)
    this.#isTakingIn = true
    try {
      if (news.what === 'drained') this.#pools.drain(pool, replica, news.drained)
      else if (news.what === 'ejected') replica?.breaker.open(news.at, news.for)
      else replica?.breaker.answers(Math.max(news.at, replica.breaker.openedAt + LONG_AGO))
    } finally {
      this.#isTakingIn = false
    }
  }
}

/** Longer than any ejection: to a breaker, an answer after its time. */
const LONG_AGO: Millis = 3_600_000
