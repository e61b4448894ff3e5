import type { Identified } from '../../gateway/accounts/identified.ts'
import { readLimits } from '../../gateway/accounts/limit-uses.ts'
import { ownRequests } from '../../gateway/accounts/own-requests.ts'
import { namesIn } from '../../gateway/store/ledger-store.ts'
import { dayOfCalendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import { isShown } from '../../policy/counters/limit-use.ts'
import { invalid } from '../../policy/denial.ts'
import type { Total } from '../../records/sums.ts'
import { ownAccount } from '../../wire/account/own-account.ts'
import { ownUsage } from '../../wire/account/own-usage.ts'
import { OUTCOMES } from '../../wire/own-request.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the account endpoint. */
type AccountApp = Pick<ClientApp, 'config' | 'store' | 'clock' | 'recent'>

/** GET /v1/account: who the caller is, what its plan has and what it used. */
export async function showAccount(
  { config, store }: AccountApp,
  call: HttpCall,
  { caller, person }: Identified,
): Promise<void> {
  const usage = await store.accounts.readUsage(caller.account, config.calendar)
  if (!usage) throw new Error(`there is no account ${caller.account}`)
  const uses = (await readLimits(config, store, { ...caller, keys: [caller.key] }, usage)).filter(isShown)
  call.json(200, ownAccount(config, { ...caller, person }, { ...usage, uses }), UNCACHED)
}

/** GET /billing/usage?days=30: what the account used, by day, model, plan and key. */
export async function showUsage(app: AccountApp, call: HttpCall, { caller }: Identified): Promise<void> {
  const query = readQuery(call, ['days'])
  if ('denial' in query) return call.deny(query.denial)
  const days = wholeIn(query.days ?? '30', MOST_DAYS)
  if (days === undefined) return call.deny(invalid('days', `must be a number from 1 to ${MOST_DAYS}`).denial)
  const { calendar = UTC_CALENDAR } = app.config
  const until = dayOfCalendar(calendar, app.clock.now())
  const totals: Total[] = []
  const { account } = caller
  const among = namesIn(app.config)
  const since = until - days + 1
  for await (const total of app.store.ledger.readTotals({ account, since, among })) totals.push(total)
  call.json(200, ownUsage({ until, days, calendar }, totals), UNCACHED)
}

const MOST_DAYS = 90

/** GET /v1/requests: the newest requests of the account, and why some were refused. */
export async function listRequests(app: AccountApp, call: HttpCall, { caller }: Identified): Promise<void> {
  const query = readQuery(call, ['limit', 'before', 'status'])
  if ('denial' in query) return call.deny(query.denial)
  const { before, status } = query
  const limit = wholeIn(query.limit ?? '50', MOST_REQUESTS)
  if (limit === undefined) return call.deny(invalid('limit', `must be a number from 1 to ${MOST_REQUESTS}`).denial)
  if (before !== undefined && !REQUEST_ID.test(before))
    return call.deny(invalid('before', 'must be a value of `next`, or the id of a request').denial)
  const outcome = OUTCOMES.find(each => each === status)
  if (status !== undefined && !outcome)
    return call.deny(invalid('status', `must be one of ${OUTCOMES.join(', ')}`).denial)
  const sources = { recent: app.recent, ledger: app.store.ledger }
  call.json(200, await ownRequests(sources, { account: caller.account, limit, before, outcome }), UNCACHED)
}

const MOST_REQUESTS = 100
/** The form of an id, or of the time that ids begin with. */
const REQUEST_ID = /^req_[0-9A-Za-z]{1,40}$/
