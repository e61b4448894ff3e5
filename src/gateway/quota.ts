import type { Config } from '../policy/config.ts'
import type { QuotaStanding } from '../wire/quota.ts'
import type { AdmittedCall } from './admit.ts'
import type { Store } from './store.ts'

/** What an account spent and holds in the current window. Spec 4.6. */
export async function readQuota(
  config: Config,
  store: Store,
  account: string,
): Promise<{ standing: QuotaStanding; held: number }> {
  const { plan, used, held, window } = await store.readSpend(account)
  const limit = config.plans.get(plan)?.monthlyUsd ?? 0
  return { standing: { plan, used, limit, resetAt: window.end }, held }
}

/** The standing an answer shows: that of its admission, and its own cost once it is known. */
export function standingAfter({ caller, decision, readings }: AdmittedCall, cost: number): QuotaStanding {
  const { allotment, window } = decision.claims.spend
  return { plan: caller.plan, used: readings.used + cost, limit: allotment, resetAt: window.end }
}
