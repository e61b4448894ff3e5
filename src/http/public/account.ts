import type { Identified } from '../../gateway/accounts/identify.ts'
import type { Total } from '../../gateway/store/ledger-store.ts'
import { invalid } from '../../policy/denial.ts'
import { dayAt } from '../../policy/limits/account-counters.ts'
import { ownAccount } from '../../wire/own-account.ts'
import { ownUsage } from '../../wire/own-usage.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from './developer-keys.ts'

/** GET /v1/account: who the caller is, what its plan has and what it used. */
export async function showAccount({ config, store }: App, call: HttpCall, { caller }: Identified): Promise<void> {
  const usage = await store.accounts.readUsage(caller.account)
  if (!usage) throw new Error(`there is no account ${caller.account}`)
  call.json(200, ownAccount(config, caller, usage), UNCACHED)
}

/** GET /billing/usage?days=30: what the account used, by day, model, plan and key. */
export async function showUsage(app: App, call: HttpCall, { caller }: Identified): Promise<void> {
  const query = readQuery(call, ['days'])
  if ('denial' in query) return call.deny(query.denial)
  const days = wholeIn(query.days ?? '30', MOST_DAYS)
  if (days === undefined) return call.deny(invalid('days', `must be a number from 1 to ${MOST_DAYS}`).denial)
  const until = dayAt(app.clock.now())
  const totals: Total[] = []
  const { account } = caller
  for await (const total of app.store.ledger.readTotals({ account, since: until - days + 1 })) totals.push(total)
  call.json(200, ownUsage({ until, days }, totals), UNCACHED)
}

const MOST_DAYS = 90
