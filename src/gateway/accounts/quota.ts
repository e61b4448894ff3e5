import type { Config, EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { dayAt } from '../../policy/limits/account-counters.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planName, planOf } from '../../policy/plan.ts'
import { addCached, type PaidTokens } from '../../policy/price.ts'
import type { QuotaStanding } from '../../wire/quota-headers.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'

interface QuotaStore {
  readonly accounts: Pick<AccountStore, 'readSpend'>
  readonly ledger: Pick<LedgerStore, 'readTotals'>
}

/** What an account spent and holds in the current window, and the tokens of it. */
export async function readQuota(
  config: Config,
  { accounts, ledger }: QuotaStore,
  caller: Caller,
): Promise<{ standing: QuotaStanding; held: NanoUsd; tokens: PaidTokens }> {
  const plan = planOf(config, caller)
  const { used, held, window } = await accounts.readSpend(caller.account)
  const tokens = await tokensSince(ledger, caller.account, window.start)
  // Without a plan nothing is served, whatever was granted.
  const limit = plan ? addNanoUsd(plan.monthlyNanoUsd, caller.terms.grants?.[window.start] ?? ZERO_USD) : ZERO_USD
  return { standing: { plan: planName(config, caller), used, limit, resetAt: window.end }, held, tokens }
}

/** Windows begin with a day, and so do totals. */
async function tokensSince(ledger: QuotaStore['ledger'], account: string, start: EpochMs): Promise<PaidTokens> {
  let tokens: PaidTokens = { inputTokens: 0, outputTokens: 0 }
  for await (const total of ledger.readTotals({ account, since: dayAt(start) })) {
    const inputTokens = tokens.inputTokens + total.inputTokens
    const outputTokens = tokens.outputTokens + total.outputTokens
    tokens = { inputTokens, outputTokens, ...addCached(tokens, total) }
  }
  return tokens
}
