import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { Denial } from '../../policy/denial.ts'
import { planName } from '../../policy/plan.ts'
import type { JsonObject } from '../../wire/openai/body.ts'
import { validator } from '../../wire/openai/validate.ts'
import { shown } from './admin-accounts.ts'
import { type Desk, type Errand, NAME, textOf, unknownPlan } from './admin-errand.ts'
import type { ShownAccounts } from './admin-records.ts'

/** Each costs reads of its own, and all of them are in one answer. */
const MOST = 10_000

const check = validator({
  type: 'object',
  required: ['limit'],
  properties: { plan: NAME, limit: { type: 'integer', minimum: 1, maximum: MOST } },
  additionalProperties: false,
})

export const listAccountsErrand: Errand = { method: 'POST', path: '/admin/accounts/list', check, run: listAccounts }

/**
 * Accounts with what `accounts/show` tells of one: those on a plan, else all but devices, of which there may be very
 * many. At most `limit`, those that the store gives first; `has_more` says whether there are others.
 */
async function listAccounts(desk: Desk, body: JsonObject): Promise<ShownAccounts | Denial> {
  const { config, store } = desk
  const plan = body.plan === undefined ? undefined : textOf(body, 'plan')
  const limit = Number(body.limit)
  const isListed = (record: AccountRecord) =>
    plan === undefined ? record.kind !== 'guest' : planName(config, record) === plan
  const data: ShownAccounts['data'][number][] = []
  for await (const record of store.accounts.readAll()) {
    if (!isListed(record)) continue
    if (data.length === limit) return { object: 'list', data: data.sort(byLabel), has_more: true }
    data.push(await shown(desk, record))
  }
  // One that the files declare no more may still have accounts.
  const wrong = plan === undefined || data.length > 0 ? undefined : unknownPlan(config, plan)
  return wrong ?? { object: 'list', data: data.sort(byLabel), has_more: false }
}

const byLabel = (a: { readonly label: string }, b: { readonly label: string }): number => (a.label < b.label ? -1 : 1)
