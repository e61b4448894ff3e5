import { hash } from 'node:crypto'
import { type BadToken, isBadToken, type SignIn, type VerifyToken } from '../../gateway/accounts/sign-in/sign-in.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { fetchProvider } from './provider.ts'
import { ProviderKeys } from './provider-keys.ts'
import { type TokenRules, verifierOf } from './verifier.ts'

export interface IdentityOptions extends TokenRules {
  readonly alarm: Alarm
}

/** The verification of sign-in tokens of one identity provider. */
export interface Identity {
  readonly verify: VerifyToken
  /** The origins of the issuer, and of its endpoints for tokens once they are known. */
  readonly origins: () => readonly string[]
  /** Stops reading the provider's keys. */
  close(): void
}

/** Begins to read the provider's keys, and does not wait for them: the gateway starts while the provider is down. */
export function openIdentity(options: IdentityOptions): Identity {
  const { issuer, clock, alarm } = options
  const recent = new RecentTokens(clock)
  const unreadable = new UnreadableGroups(clock, alarm)
  let origins: readonly string[] = [new URL(issuer).origin]
  const keys = new ProviderKeys({
    issuer,
    clock,
    alarm,
    fetch: async signal => {
      const provider = await fetchProvider(issuer, signal)
      origins = provider.origins
      return provider.keys
    },
    // A token accepted by a key that was withdrawn must not outlive it.
    changed: () => recent.clear(),
  })
  const verify = verifierOf(options, keys)
  return {
    verify: async token => {
      const known = recent.find(token)
      if (known) return known
      const generation = recent.generation
      const judged = await verify(token)
      if (!isBadToken(judged)) recent.add(token, judged, generation)
      else if (judged.groups) unreadable.note(judged.groups)
      return judged
    },
    origins: () => origins,
    close: () => keys.close(),
  }
}

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

/** Alarms of people whose groups cannot be read, once a minute for each claim and fault: a changed provider refuses everybody. */
class UnreadableGroups {
  readonly #clock: Clock
  readonly #alarm: Alarm
  /** Bounded: claims of the files, each with three faults. */
  readonly #alarmed = new Map<string, Millis>()

  constructor(clock: Clock, alarm: Alarm) {
    this.#clock = clock
    this.#alarm = alarm
  }

  note({ claim, fault, account }: NonNullable<BadToken['groups']>): void {
    const name = `${fault} ${claim}`
    const now = this.#clock.elapsed()
    if (now - (this.#alarmed.get(name) ?? Number.NEGATIVE_INFINITY) < KEPT_MS) return
    this.#alarmed.set(name, now)
    this.#alarm('a sign-in is refused: its groups cannot be read', { claim, fault, account })
  }
}

const KEPT_MS = 60_000
const CAPACITY = 10_000

const digestOf = (token: string): string => hash('sha256', token, 'base64')
