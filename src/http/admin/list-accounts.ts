import { setImmediate } from 'node:timers/promises'
import { orgIn } from '../../gateway/accounts/accounts.ts'
import { type ListOrder, type ListQuery, listAccounts } from '../../gateway/accounts/list-accounts.ts'
import type { AccountRecord, ScanPlace } from '../../gateway/store/account-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ShownAccount, ShownAccounts } from '../../wire/admin/account.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { shownOf } from './accounts.ts'
import { type AdminContext, type AdminOp, opOf, unknownPlan } from './op.ts'

/** A page of accounts with the fields of `accounts/show`, and the cursor of the next one. Each costs reads of its own. */
export const listAccountsOp: AdminOp = opOf(calls.listAccounts, list)

type Body = BodyOf<typeof calls.listAccounts>

async function list(context: AdminContext, body: Body): Promise<ShownAccounts | Denied> {
  const { config, store } = context
  const query = queryOf(body)
  if ('denial' in query) return query
  const { records, next } = await listAccounts(store.accounts, config, query)
  // One that the files declare no more may still have accounts.
  const wrong = query.plan === undefined || records.length > 0 ? undefined : unknownPlan(config, query.plan)
  if (wrong) return wrong
  const data = await shownAll(context, records)
  return { object: 'list', data, has_more: next !== undefined, next: next ? cursorText(query.order, next) : null }
}

function queryOf({ plan, org: named, search, sort: order, limit, cursor }: Body): ListQuery | Denied {
  const org = named === undefined ? undefined : orgIn(named)
  const after = cursor === undefined ? undefined : readCursor(order, cursor)
  if (cursor !== undefined && !after)
    return invalid('cursor', `must be the cursor of another page in the order of ${order}`)
  return {
    ...{ order, limit },
    ...(plan !== undefined && { plan }),
    ...(org !== undefined && { org }),
    ...(search !== undefined && { search }),
    ...(after && { after }),
  }
}

/** How many are read at once: requests get their turn in between. */
const AT_ONCE = 64

async function shownAll(context: AdminContext, records: readonly AccountRecord[]): Promise<readonly ShownAccount[]> {
  const shown: ShownAccount[] = []
  for (let at = 0; at < records.length; at += AT_ONCE) {
    shown.push(...(await Promise.all(records.slice(at, at + AT_ONCE).map(record => shownOf(context, record)))))
    await setImmediate()
  }
  return shown
}

/** A place in an order as text. */
export const cursorText = (order: ListOrder, { rank, account }: ScanPlace): string =>
  Buffer.from(JSON.stringify([order, rank, account])).toString('base64url')

/** Undefined where it is none, or of another order. */
export function readCursor(order: ListOrder, text: string): ScanPlace | undefined {
  try {
    const [sort, rank, account]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString())
    const isRank = typeof rank === (order === 'label' || order === 'id' ? 'string' : 'number')
    return sort === order && isRank && typeof account === 'string'
      ? { rank: rank as string | number, account }
      : undefined
  } catch {
    return undefined
  }
}
