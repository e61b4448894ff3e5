import type { Secret } from '../../config/settings.ts'
import type { Logins } from '../../gateway/accounts/logins/logins.ts'
import type { AgentTokens } from '../../gateway/accounts/sign-in/agent-tokens.ts'
import type { Remembered } from '../../gateway/recent-requests.ts'
import type { Gateway } from '../../gateway/request.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Feed } from '../feed.ts'
import type { ReadyApp } from '../health.ts'
import type { BodyMemory } from '../ingress/body-memory.ts'
import type { ListenerApp } from '../listener/app.ts'

/** A mail by which a customer confirms an address. */
export interface ConfirmationMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** `refused`: the server does not take mail to this address. `away`: it takes none now, and the operator hears why. Never rejects. */
export type SendConfirmation = (mail: ConfirmationMail) => Promise<'taken' | 'refused' | 'away'>

/** Dependencies of the client endpoints. */
export type ClientApp = ListenerApp & Gateway & ReadyApp & ClientFacts

interface ClientFacts {
  /** Resolves once operators can reach the gateway, by the token that it left for them. */
  readonly begun: Promise<void>
  /** Bodies in flight, of which there is only so much at once. */
  readonly bodies: BodyMemory
  /** The newest requests of clients. */
  readonly recent: Remembered
  /** Hears of accounts that begin to use something. */
  readonly feed: Pick<Feed, 'began'>
  /** Sends mail by the server that the files name for customers. */
  readonly mail: SendConfirmation
  /** When the configuration was loaded. */
  readonly loadedAt: EpochMs
  /** Secrets for deriving guest keys, newest first: those of the settings, or the gateway's own. */
  readonly guestSecrets: readonly Secret[]
  /** Signs agent tokens; absent where people do not sign in. */
  readonly agentTokens?: AgentTokens
  /** Signs agents in by the device flow; absent where the files do not ask for it. */
  readonly logins?: Logins
}
