import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Caller } from '../../policy/facts.ts'
import type { WireRequest } from '../../wire/openai/request.ts'
import type { Headers } from '../../wire/openai/signals.ts'
import { sessionOf } from '../../wire/session-of.ts'
import type { CacheDomains } from './cache-domains.ts'
import type { BalancedRequest } from './pool-balance.ts'

interface Asking {
  readonly wire: Pick<WireRequest, 'sketch' | 'session'>
  readonly headers: Headers
  readonly caller: Pick<Caller, 'account' | 'terms'>
}

/** The key for choosing among replicas: chats have a prompt that a replica may have cached. Undefined for other requests. */
export function balancedRequest(
  domains: CacheDomains,
  { wire, headers, caller }: Asking,
  sketch: () => PromptSketch | undefined = () => wire.sketch?.(),
): BalancedRequest | undefined {
  if (!wire.sketch) return undefined
  return {
    sketch,
    domainIn: ({ caches }) => domains.of(caches, caller),
    session: () => sessionOf({ headers, named: wire.session, account: caller.account }) ?? sketch()?.anchor ?? 0,
  }
}
