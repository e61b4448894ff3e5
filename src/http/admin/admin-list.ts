import { setImmediate } from 'node:timers/promises'
import { ORG_ID, orgIn } from '../../gateway/accounts/accounts.ts'
import { LIST_ORDERS, type ListOrder, type ListQuery, listAccounts } from '../../gateway/accounts/list-accounts.ts'
import type { AccountRecord, ScanPlace } from '../../gateway/store/account-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ShownAccount, ShownAccounts } from '../../wire/admin/account.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { shownOf } from './admin-accounts.ts'
import { type AdminContext, type AdminOp, NAME, textOf, unknownPlan } from './admin-op.ts'

/** Each costs reads of its own, and all of them are in one answer. */
const MOST = 1000

const check = validator({
  type: 'object',
  required: ['limit'],
  properties: {
    plan: NAME,
    org: { type: 'string', pattern: ORG_ID, description: 'must be an org, such as org:acme' },
    search: NAME,
    sort: { enum: LIST_ORDERS },
    limit: { type: 'integer', minimum: 1, maximum: MOST },
    cursor: { type: 'string', maxLength: 2000 },
  },
  additionalProperties: false,
})

/** A page of accounts with the fields of `accounts/show`, and the cursor of the next one. */
export const listAccountsOp: AdminOp = {
  method: 'POST',
  path: '/admin/accounts/list',
  needs: 'viewer',
  check,
  run: list,
}

async function list(context: AdminContext, body: JsonObject): Promise<ShownAccounts | Denied> {
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

function queryOf(body: JsonObject): ListQuery | Denied {
  const order = LIST_ORDERS.find(each => each === body.sort) ?? 'label'
  const org = body.org === undefined ? undefined : orgIn(textOf(body, 'org'))
  const after = body.cursor === undefined ? undefined : readCursor(order, textOf(body, 'cursor'))
  if (body.cursor !== undefined && !after)
    return invalid('cursor', `must be that of another page in the order of ${order}`)
  return {
    order,
    limit: Number(body.limit),
    ...(body.plan !== undefined && { plan: textOf(body, 'plan') }),
    ...(org !== undefined && { org }),
    ...(body.search !== undefined && { search: textOf(body, 'search') }),
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
