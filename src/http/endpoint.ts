import type { Secret } from '../config/settings.ts'
import type { Identified } from '../gateway/identify.ts'
import type { Gateway } from '../gateway/infer.ts'
import type { Random } from '../gateway/ports.ts'
import type { EpochMs } from '../policy/config.ts'
import type { Caller } from '../policy/facts.ts'
import type { HttpCall } from './call.ts'

/** One row of a listener's table: where, who may call, and what it does. */
export type Endpoint = {
  readonly method: 'GET' | 'POST'
  /** Matched exactly; a last segment `{id}` matches anything without a slash. */
  readonly path: string
} & (
  | { readonly who: 'anyone'; readonly run: (app: App, call: HttpCall, id: string) => Promise<void> | void }
  /** Whoever has a key, or signed in. */
  | { readonly who: 'caller'; readonly run: (app: App, call: HttpCall, identified: Identified) => Promise<void> }
  /** Whoever signed in; a key is not enough. */
  | { readonly who: 'signed-in'; readonly run: (app: App, call: HttpCall, caller: Caller) => Promise<void> }
  /** `by` is the operator, for the audit. */
  | { readonly who: 'operator'; readonly run: (app: App, call: HttpCall, by: string) => Promise<void> }
)

/** What endpoints work with. */
export interface App extends Gateway {
  readonly random: Random
  /** When the configuration was loaded. */
  readonly loadedAt: EpochMs
  /** What keys of guests are derived from, newest first: those of the settings, or the gateway's own. */
  readonly guestSecrets: readonly Secret[]
  /** What an operator sends as bearer. */
  readonly adminToken: string
  /** False once the process is on its way out. */
  readonly ready: () => boolean
}
