import { hash } from 'node:crypto'
import type { SignIn } from '../../gateway/accounts/sign-in.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { EpochMs } from '../../policy/config.ts'

/** Tokens accepted within the last minute. The digest is over the whole token: a prefix is shared by other users' tokens. */
export class RecentTokens {
  /** Changes with clear(). */
  generation = 0
  readonly #clock: Clock
  readonly #known = new Map<string, { readonly signIn: SignIn; readonly until: EpochMs }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  find(token: string): SignIn | undefined {
    const digest = digestOf(token)
    const known = this.#known.get(digest)
    if (!known) return undefined
    if (this.#clock.now() < known.until) return known.signIn
    this.#known.delete(digest)
    return undefined
  }

  /** Remembers a token, unless the cache was cleared since its verification began in `generation`. */
  add(token: string, signIn: SignIn, generation: number): void {
    if (generation !== this.generation) return
    const now = this.#clock.now()
    const until = Math.min(now + KEPT_MS, signIn.expiresAt)
    if (until <= now) return
    if (this.#known.size >= CAPACITY) this.#dropOldest()
    this.#known.set(digestOf(token), { signIn, until })
  }

  clear(): void {
    this.generation++
    this.#known.clear()
  }

  #dropOldest(): void {
    for (const digest of this.#known.keys()) {
      this.#known.delete(digest)
      return
    }
  }
}

const KEPT_MS = 60_000
const CAPACITY = 10_000

const digestOf = (token: string): string => hash('sha256', token, 'base64')
