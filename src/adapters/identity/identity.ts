import { isBadToken, type VerifyToken } from '../../gateway/accounts/sign-in.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { fetchKeys } from './provider.ts'
import { ProviderKeys } from './provider-keys.ts'
import { RecentTokens } from './recent-tokens.ts'
import { type TokenRules, verifierOf } from './verifier.ts'

export interface IdentityOptions extends TokenRules {
  readonly alarm: Alarm
}

/** The verification of sign-in tokens of one identity provider. */
export interface Identity {
  readonly verify: VerifyToken
  /** Stops reading the provider's keys. */
  close(): void
}

/** Begins to read the provider's keys, and does not wait for them: the gateway starts while the provider is down. */
export function openIdentity(options: IdentityOptions): Identity {
  const { issuer, clock, alarm } = options
  const recent = new RecentTokens(clock)
  const keys = new ProviderKeys({
    issuer,
    clock,
    alarm,
    fetch: signal => fetchKeys(issuer, signal),
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
      return judged
    },
    close: () => keys.close(),
  }
}
