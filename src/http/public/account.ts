import type { Identified } from '../../gateway/accounts/identified.ts'
import { labelSums, MOST_SPLIT } from '../../gateway/accounts/label-sums.ts'
import { readLimits } from '../../gateway/accounts/limit-uses.ts'
import { ownRequests } from '../../gateway/accounts/own-requests.ts'
import { namesIn } from '../../gateway/store/ledger-store.ts'
import { addTotals, NO_SUMS } from '../../gateway/store/total-sums.ts'
import { MONTH_FORMS, monthMeant } from '../../policy/billing/month.ts'
import { type Calendar, dayOfCalendar, startOf, UTC_CALENDAR } from '../../policy/calendar.ts'
import { isShown } from '../../policy/counters/limit-use.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { DayNumber } from '../../policy/zone.ts'
import type { Sums, Total } from '../../records/sums.ts'
import { ownAccount } from '../../wire/account/own-account.ts'
import { ownSums, ownUsage } from '../../wire/account/own-usage.ts'
import { OUTCOMES } from '../../wire/own-request.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'
import { splitting } from './splitting.ts'

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

/**
 * GET /billing/usage?days=30, or `month=this`: what the account used, by day, model, plan and key; with `by_label=true` by
 * labels as well.
 */
export async function showUsage(app: AccountApp, call: HttpCall, { caller }: Identified): Promise<void> {
  const query = readQuery(call, ['days', 'month', 'by_label'])
  if ('denial' in query) return call.deny(query.denial)
  const { by_label: split = 'false' } = query
  if (split !== 'true' && split !== 'false') return call.deny(invalid('by_label', 'must be true or false').denial)
  const days = daysIn(app, query)
  if ('denial' in days) return call.deny(days.denial)
  const labels = split === 'true' ? [...app.config.labels.keys()] : []
  const asked = { account: caller.account, ...days, labels, isOfMonth: query.month !== undefined }
  if (labels.length === 0) return sendUsage(app, call, asked)
  return splitting(app, call, caller, () => sendUsage(app, call, asked))
}

/** The days that end today; or those of a month, up to today where it runs. */
function daysIn(
  { config: { calendar = UTC_CALENDAR }, clock }: AccountApp,
  { days: text, month }: { readonly days?: string; readonly month?: string },
): Pick<AskedUsage, 'since' | 'until'> | Denied {
  const today = dayOfCalendar(calendar, clock.now())
  if (month === undefined) {
    const days = wholeIn(text ?? '30', MOST_DAYS)
    return days === undefined
      ? invalid('days', `must be a number from 1 to ${MOST_DAYS}`)
      : { since: today - days + 1, until: today }
  }
  if (text !== undefined) return invalid('month', 'cannot be combined with days')
  const meant = monthMeant(month, clock.now(), calendar)
  if (!meant) return invalid('month', `must be ${MONTH_FORMS}`)
  if (meant.firstDay > today) return invalid('month', 'has not begun')
  return { since: meant.firstDay, until: Math.min(today, meant.endDay - 1) }
}

async function sendUsage(app: AccountApp, call: HttpCall, asked: AskedUsage): Promise<void> {
  const { account, since, until, labels } = asked
  const { calendar = UTC_CALENDAR } = app.config
  const read = () => readTotals(app, asked)
  const { usage, split } =
    labels.length === 0
      ? { usage: await read(), split: undefined }
      : await labelSums(app.store.ledger, {
          ...{ account, of: 'usage', labels, read, most: MOST_SPLIT },
          month: momentsOf({ firstDay: since, endDay: until + 1, calendar }),
        })
  const own = ownUsage({ until, days: until - since + 1, calendar }, usage.totals)
  const byLabel = split?.map(({ label, values }) => ({ label, values: values.map(ownSums) }))
  call.json(200, byLabel ? { ...own, by_label: byLabel } : own, UNCACHED)
}

async function readTotals(app: AccountApp, { account, since, until, labels, isOfMonth }: AskedUsage) {
  const { calendar = UTC_CALENDAR } = app.config
  const totals: Total[] = []
  // Months are what invoices have, and with sums of labels and days long ago they have models and plans that are gone.
  const isRecent = dayOfCalendar(calendar, app.clock.now()) - since < MOST_DAYS
  const among = labels.length === 0 && isRecent && !isOfMonth && { among: namesIn(app.config) }
  for await (const total of app.store.ledger.readTotals({ account, since, until: until + 1, ...among }))
    totals.push(total)
  return { totals, total: totals.reduce<Sums>(addTotals, NO_SUMS) }
}

const momentsOf = ({ firstDay, endDay, calendar }: Days) => ({
  firstDay,
  endDay,
  since: startOf('day', calendar, firstDay),
  until: startOf('day', calendar, endDay),
})

interface Days {
  readonly firstDay: DayNumber
  readonly endDay: DayNumber
  readonly calendar: Calendar
}

interface AskedUsage {
  readonly account: string
  /** The first and the last day. */
  readonly since: DayNumber
  readonly until: DayNumber
  /** The days are a month, and what it sums up to stands on the invoice. */
  readonly isOfMonth: boolean
  /** The labels that split it. */
  readonly labels: readonly string[]
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
