import type { Config } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planName, planOf } from '../../policy/plan.ts'
import type { QuotaStanding } from '../../wire/quota-headers.ts'
import type { AccountStore } from '../store/account-store.ts'

/** What an account spent and holds in the current window. */
export async function readQuota(
  config: Config,
  accounts: Pick<AccountStore, 'readSpend'>,
  caller: Caller,
): Promise<{ standing: QuotaStanding; held: NanoUsd }> {
  const plan = planOf(config, caller)
  const { used, held, window } = await accounts.readSpend(caller.account)
  // Without a plan nothing is served, whatever was granted.
  const limit = plan ? addNanoUsd(plan.monthlyNanoUsd, caller.terms.grants?.[window.start] ?? ZERO_USD) : ZERO_USD
  return { standing: { plan: planName(config, caller), used, limit, resetAt: window.end }, held }
}
