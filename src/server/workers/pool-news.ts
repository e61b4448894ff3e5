import type { SharedBreaker } from '../../gateway/pools/breaker.ts'
import type { Lesson } from '../../gateway/pools/lessons.ts'
import type { Pools, Sharing } from '../../gateway/pools/pools.ts'
import type { PauseSince, Replica } from '../../gateway/pools/replica.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { EngineReport } from '../../policy/replica-load.ts'
import { FirstTokenNews } from './first-token-news.ts'

/** A finding of one process, or an operator's decision, about a pool or replica: all processes of a gateway follow it. */
export type ReplicaNews = { readonly pool: string; readonly replica?: string } & (
  | { readonly what: 'breaker'; readonly breaker: SharedBreaker }
  | { readonly what: 'paused'; readonly pause: PauseSince; readonly account?: string }
  | { readonly what: 'drained'; readonly drained: boolean }
  | {
      readonly what: 'learned'
      readonly account: string
      readonly lessons: readonly Lesson[]
      readonly at: EpochMs
    }
  /** Operators know that no replica can be used, or that one can again. */
  | { readonly what: 'complained'; readonly cause: string | undefined }
  /** An engine reported its load to the process that reads it for all. */
  | { readonly what: 'reported'; readonly report: EngineReport }
  /** Streams got their first token, or are late for it. */
  | { readonly what: 'first-tokens'; readonly all: number; readonly late: number; readonly at: EpochMs }
)

/** Passes on what happens at replicas, and takes in what happened elsewhere, without saying that again. */
export class PoolNews {
  readonly #pools: Pools
  #isTakingIn = false

  constructor(pools: Pools, say: (news: ReplicaNews) => void, lenderOf?: Sharing['lenderOf']) {
    this.#pools = pools
    const sayOwn = (news: ReplicaNews) => {
      if (!this.#isTakingIn) say(news)
    }
    const firstTokens = new FirstTokenNews(sayOwn)
    pools.share({
      moved: (pool, { url, breaker }) => sayOwn({ pool, replica: url, what: 'breaker', breaker: breaker.shared }),
      paused: (pool, { url }, pause, account) =>
        sayOwn({ pool, replica: url, what: 'paused', pause, ...(account !== undefined && { account }) }),
      drained: (pool, replica, drained) =>
        sayOwn({ pool, ...(replica && { replica: replica.url }), what: 'drained', drained }),
      complained: (pool, cause) => sayOwn({ pool, what: 'complained', cause }),
      learned: (pool, account, lessons, at) => sayOwn({ pool, what: 'learned', account, lessons, at }),
      reported: (pool, { url }, report) => sayOwn({ pool, replica: url, what: 'reported', report }),
      gotFirstToken: (pool, { url }, late, at) => firstTokens.add({ pool, replica: url }, late, at),
      ...(lenderOf && { lenderOf }),
    })
  }

  /** Whether another process found what is said of a replica at this moment. */
  get isTakingIn(): boolean {
    return this.#isTakingIn
  }

  takeIn(news: ReplicaNews): void {
    const { pool, replica: url } = news
    const state = this.#pools.of(pool)
    const replica = url === undefined ? undefined : state.replica(url)
    this.#isTakingIn = true
    try {
      if (news.what === 'drained') this.#pools.drain(pool, replica, news.drained)
      else if (news.what === 'complained') state.complain(news.cause)
      else if (news.what === 'learned') state.learn(news.account, news.lessons, news.at)
      else if (news.what === 'breaker') replica?.breaker.adopt(news.breaker)
      else if (news.what === 'reported') replica?.reported(news.report)
      else if (news.what === 'first-tokens') replica?.firstTokens.add(news.at, news)
      else replica?.cool(news.pause.from, news.pause, news.account)
    } finally {
      this.#isTakingIn = false
    }
  }

  /** All that a process has to know which begins now. */
  known(now: EpochMs): readonly ReplicaNews[] {
    return [...this.#pools.known].flatMap(([pool, state]) => [
      ...(state.drained ? [{ pool, what: 'drained', drained: true } as const] : []),
      ...(state.complaint === undefined ? [] : [{ pool, what: 'complained', cause: state.complaint } as const]),
      ...state.known.flatMap(replica => newsOf(pool, replica, now)),
      ...state.lessons.known(now).map(learned => ({ pool, what: 'learned', ...learned }) as const),
    ])
  }
}

function newsOf(pool: string, replica: Replica, now: EpochMs): readonly ReplicaNews[] {
  const place = { pool, replica: replica.url }
  return [
    { ...place, what: 'breaker', breaker: replica.breaker.shared },
    ...replica.pauses(now).map(paused => ({ ...place, what: 'paused' as const, ...paused })),
    ...(replica.drained ? [{ ...place, what: 'drained' as const, drained: true }] : []),
    ...(replica.report ? [{ ...place, what: 'reported' as const, report: replica.report }] : []),
  ]
}
