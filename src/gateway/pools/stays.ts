import { weightOf } from '../../policy/balance/rendezvous.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { CacheDomain } from '../balance/pool-marks.ts'

/** A conversation at a pool, as processes tell each other: for so long from now on, or no longer where that is 0. */
export interface Stay {
  /** A digest, keyed so that it names neither the conversation nor its account. */
  readonly key: number
  readonly time: Millis
}

/** Conversations that are remembered at once; the one that was served longest ago is forgotten first. */
const MOST = 16_384

/** The conversations that stay at a pool for a while, although a pool before it can be used again. */
export class Stays {
  readonly #until = new Map<number, EpochMs>()

  /** Whether a conversation stays. */
  has(key: number, now: EpochMs): boolean {
    const until = this.#until.get(key)
    return until !== undefined && now < until
  }

  /** A conversation was served, or elsewhere than before. Returns whether that is a change worth telling. */
  set({ key, time }: Stay, now: EpochMs): boolean {
    const isKnown = this.#until.delete(key)
    if (time === 0) return isKnown
    const [oldest] = this.#until.keys()
    if (oldest !== undefined && this.#until.size >= MOST) this.#until.delete(oldest)
    this.#until.set(key, now + time)
    return true
  }
}

/** The key of a conversation at a pool; `domain` is that of its account, `session` and `pool` are digests. */
export const stayKey = (session: number, pool: number, { low, high }: CacheDomain): number =>
  weightOf(session ^ low, pool ^ high) * 0x100000 + (weightOf(pool ^ low, session ^ high) & 0xfffff)
