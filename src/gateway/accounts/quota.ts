import { dayOfCalendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { Config } from '../../policy/config.ts'
import { isShown } from '../../policy/counters/limit-use.ts'
import { keyOfWindow } from '../../policy/decision.ts'
import type { Caller } from '../../policy/facts.ts'
import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planName, planOf } from '../../policy/plan.ts'
import { addCached, type PaidTokens } from '../../policy/price.ts'
import type { Quota } from '../../wire/quota-record.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { type LimitStores, readLimits } from './limit-uses.ts'

interface QuotaStore extends LimitStores {
  readonly accounts: Pick<AccountStore, 'readUsage'>
  readonly ledger: Pick<LedgerStore, 'readTotals'>
}

/** An account's spend, holds and tokens in the current window, and the limits of the account and of the key that asks. */
export async function readQuota(config: Config, stores: QuotaStore, caller: Caller): Promise<Quota> {
  const { accounts, ledger } = stores
  const { calendar = UTC_CALENDAR } = config
  const plan = planOf(config, caller)
  const usage = await accounts.readUsage(caller.account, calendar)
  if (!usage) throw new Error(`there is no account ${caller.account}`)
  const { used, held, window } = usage
  const tokens = await tokensSince(ledger, caller.account, dayOfCalendar(calendar, window.start))
  // Without a plan nothing is served, whatever was granted.
  const limit = plan
    ? addNanoUsd(plan.monthlyNanoUsd, caller.terms.grants?.[keyOfWindow(window)] ?? ZERO_USD)
    : ZERO_USD
  const limits = (await readLimits(config, stores, { ...caller, keys: [caller.key] }, usage)).filter(isShown)
  return { standing: { plan: planName(config, caller), used, limit, resetAt: window.end }, held, tokens, limits }
}

/** Windows begin with a day, and so do totals. */
async function tokensSince(ledger: QuotaStore['ledger'], account: string, since: number): Promise<PaidTokens> {
  let tokens: PaidTokens = { inputTokens: 0, outputTokens: 0 }
  for await (const total of ledger.readTotals({ account, since })) {
    const inputTokens = tokens.inputTokens + total.inputTokens
    const outputTokens = tokens.outputTokens + total.outputTokens
    tokens = { inputTokens, outputTokens, ...addCached(tokens, total) }
  }
  return tokens
}
