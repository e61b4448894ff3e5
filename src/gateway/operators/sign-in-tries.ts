import type { Millis } from '../../policy/config.ts'
import { hashOf } from '../accounts/keys.ts'
import type { Clock } from '../ports.ts'

/**
 * Counts failed operator credentials by address. After so many different ones in a minute, it refuses the rest of that minute
 * without checking. A credential that was valid within the last hour still passes. One wrong token that repeats, as from a
 * forgotten scraper, guesses nothing and counts once.
 */
export class SignInTries {
  readonly #clock: Clock
  /** Hashes of what failed, by address, the oldest first. */
  readonly #failed = new Map<string, { readonly since: Millis; readonly hashes: Set<string> }>()
  /** When what was right was last seen, by hash, the oldest first. */
  readonly #right = new Map<string, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long an address is to wait before this is looked at; 0 where it is looked at now. */
  waitOf(address: string, credential: string): Millis {
    const failed = this.#failed.get(address)
    if (!failed || failed.hashes.size < MOST_TRIES) return 0
    const now = this.#clock.elapsed()
    const wait = failed.since + MINUTE - now
    if (wait <= 0) return 0
    const seen = this.#right.get(hashOf(credential))
    return seen !== undefined && now - seen < REMEMBERED ? 0 : wait
  }

  succeeded(credential: string): void {
    remember(this.#right, hashOf(credential), this.#clock.elapsed())
  }

  failed(address: string, credential: string): void {
    const now = this.#clock.elapsed()
    const before = this.#failed.get(address)
    const isRunning = before !== undefined && now - before.since < MINUTE
    const failed = isRunning ? before : { since: now, hashes: new Set<string>() }
    // One more than are looked at is never counted.
    if (failed.hashes.size < MOST_TRIES) failed.hashes.add(hashOf(credential))
    if (!isRunning) remember(this.#failed, address, failed)
  }
}

/** In a minute, of one address. */
export const MOST_TRIES = 10

const MINUTE: Millis = 60_000
const REMEMBERED: Millis = 60 * MINUTE
/** Counts kept of each kind; a thousand more addresses cost the oldest its count. */
const MOST_KEPT = 10_000

function remember<T>(all: Map<string, T>, name: string, value: T): void {
  all.delete(name)
  const [oldest] = all.keys()
  if (all.size >= MOST_KEPT && oldest !== undefined) all.delete(oldest)
  all.set(name, value)
}
