import { type IdentityOptions, openIdentity } from '../../../src/adapters/identity/identity.ts'
import { VirtualClock } from '../../support/clock.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import type { PrivateKey } from '../../support/identity/oidc-keys.ts'
import { Tally } from '../../support/tally.ts'
import { type Draft, forge } from './forge.ts'

export const AUDIENCE = 'https://gateway.example.com/api'
const USERS = {
  alice: { plan: 'pro', email: 'alice@example.com' },
  bob: { plan: 7, email: 'bob\n@example.com' },
}

/** A real provider, and what the gateway makes of its tokens. */
export interface Bench {
  readonly oidc: OidcServer
  readonly clock: VirtualClock
  readonly alarms: { message: string; [detail: string]: unknown }[]
  /** Resolves once there were `n` alarms. */
  told(n: number): Promise<void>
  readonly identity: ReturnType<typeof openIdentity>
  /** Another identity at the same provider and clock. */
  open(options?: Partial<IdentityOptions>): ReturnType<typeof openIdentity>
  /** A token signed with the provider's keys, good but for the draft. */
  forge(draft?: Draft): string
  /** The provider's keys of now, by what they are for. */
  key(purpose: 'rsa' | 'ec' | 'ed' | 'spare'): PrivateKey
  /** Seconds since the epoch, by the clock. */
  now(): number
  /** How often its key set was read. */
  reads(): number
  close(): Promise<void>
}

export async function startBench(): Promise<Bench> {
  const oidc = await startOidc({ audience: AUDIENCE, users: USERS })
  // The provider's tokens carry real time; a whole second makes edges exact.
  const clock = new VirtualClock(Math.ceil(Date.now() / 1000) * 1000)
  const alarms: Bench['alarms'] = []
  const tally = new Tally()
  const opened: ReturnType<typeof openIdentity>[] = []
  const open = (options: Partial<IdentityOptions> = {}) => {
    const alarm = (message: string, details?: object) => {
      alarms.push({ message, ...details })
      tally.add()
    }
    const claims = { planClaim: 'plan', labelClaim: 'email' }
    const identity = openIdentity({ issuer: oidc.issuer, audience: AUDIENCE, ...claims, clock, alarm, ...options })
    opened.push(identity)
    return identity
  }
  const now = () => Math.floor(clock.now() / 1000)
  const key = (purpose: 'rsa' | 'ec' | 'ed' | 'spare') => {
    const found = oidc.keys[['rsa', 'ec', 'ed', 'spare'].indexOf(purpose)]
    if (!found) throw new Error(`no ${purpose} key`)
    return found
  }
  return {
    oidc,
    clock,
    alarms,
    told: n => tally.reached(n),
    identity: open(),
    open,
    forge: draft => forge({ issuer: oidc.issuer, audience: AUDIENCE, key: key('rsa'), now: now() }, draft),
    key,
    now,
    reads: () => oidc.requests.filter(path => path === '/jwks').length,
    close: async () => {
      for (const identity of opened) identity.close()
      await oidc.stop()
    },
  }
}
