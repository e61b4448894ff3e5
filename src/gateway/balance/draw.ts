import { weightOf } from '../../policy/balance/rendezvous.ts'
import type { Config } from '../../policy/config.ts'
import type { Caller, InferenceRequest } from '../../policy/facts.ts'
import type { WireRequest } from '../../wire/openai/request.ts'
import type { Headers } from '../../wire/openai/signals.ts'
import { sessionOf } from '../../wire/session-of.ts'
import type { CacheDomains } from './cache-domains.ts'

interface Drawing {
  readonly config: Pick<Config, 'hasShares'>
  readonly domains: CacheDomains
}

interface Asking {
  readonly wire?: Pick<WireRequest, 'sketch' | 'session'>
  readonly headers: Headers
  readonly caller: Pick<Caller, 'account' | 'terms'>
}

/**
 * A request with what shares of traffic choose its conversation by: its session, else the beginning of its chat, else its
 * account. The digest is keyed by a secret of the deployment, so that no client can aim at a pool or avoid it.
 */
export function drawn<R extends InferenceRequest>({ config, domains }: Drawing, request: R, asking: Asking): R {
  if (!config.hasShares) return request
  const { wire, headers, caller } = asking
  const session =
    sessionOf({ headers, named: wire?.session, account: caller.account }) ?? wire?.sketch?.().anchor ?? OF_ACCOUNT
  const { low, high } = domains.of('account', caller)
  return { ...request, draw: weightOf(session ^ low, high) }
}

/** Embeddings, images and pass-through requests without a session are all of one conversation. */
const OF_ACCOUNT = 0
