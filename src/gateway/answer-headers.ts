import type { NanoUsd, Pool } from '../policy/config.ts'
import { quotaHeaders } from '../wire/quota.ts'
import type { AdmittedCall } from './admit.ts'
import { standingAfter } from './quota.ts'

/** What the headers of an answer say of who gave it, and of the standing after it; `cost` is 0 while it is unknown. */
export function answerHeaders(
  brand: string,
  admitted: AdmittedCall,
  pool: Pool,
  cost: NanoUsd,
): Record<string, string> {
  const { decision, hold } = admitted
  const shrunk = hold.output < decision.claims.output.want
  return {
    [`x-${brand}-upstream`]: pool.name,
    ...(decision.route && { [`x-${brand}-smart-route`]: decision.route.name }),
    ...quotaHeaders(brand, standingAfter(admitted, cost)),
    // The cap is the gateway's own: without this the client could not tell why its answer stopped.
    ...(shrunk && { [`x-${brand}-max-tokens`]: String(hold.output) }),
  }
}
