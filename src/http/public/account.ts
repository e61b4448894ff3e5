import type { Identified } from '../../gateway/accounts/identify.ts'
import { ownAccount } from '../../wire/own-account.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { UNCACHED } from './developer-keys.ts'

/** GET /v1/account: who the caller is, what its plan has and what it used. */
export async function showAccount({ config, store }: App, call: HttpCall, { caller }: Identified): Promise<void> {
  const usage = await store.accounts.readUsage(caller.account)
  if (!usage) throw new Error(`there is no account ${caller.account}`)
  call.json(200, ownAccount(config, caller, usage), UNCACHED)
}
