import { findAccounts } from '../../gateway/accounts/find-accounts.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { shownOf } from './admin-accounts.ts'
import { type AdminContext, type AdminOp, accountNamed, NAME, textOf } from './admin-op.ts'

/**
 * Accounts for a page in which an operator types: the one with this id, label or key first, then others with the text in their
 * label or id. It is answered at once: `partial` says that `accounts/list` may find more.
 */
export const findAccountsOp: AdminOp = {
  method: 'POST',
  path: '/admin/accounts/find',
  needs: 'viewer',
  check: validator({
    type: 'object',
    required: ['search'],
    properties: { search: NAME, limit: { type: 'integer', minimum: 1, maximum: 100 } },
    additionalProperties: false,
  }),
  run: find,
}

interface ShownFound {
  readonly object: 'list'
  readonly data: readonly ShownAccount[]
  readonly partial: boolean
}

async function find(context: AdminContext, body: JsonObject): Promise<ShownFound> {
  const text = textOf(body, 'search')
  const limit = Number(body.limit ?? 20)
  const { records, isPartial } = await matching(context, text, limit)
  const data = await Promise.all(records.map(record => shownOf(context, record)))
  return { object: 'list', data, partial: isPartial }
}

async function matching(context: AdminContext, text: string, limit: number) {
  const named = await accountNamed(context, text)
  // A key has one account, and is part of no label.
  if (!('denial' in named) && text.startsWith(`${context.settings.brand}_`))
    return { records: [named], isPartial: false }
  const { records, isPartial } = await findAccounts(context.store.accounts, { text, limit, budget: BUDGET })
  const first: readonly AccountRecord[] = 'denial' in named ? [] : [named]
  const others = records.filter(({ account }) => first.every(each => each.account !== account))
  return { records: [...first, ...others].slice(0, limit), isPartial }
}

/** They take some 30 ms of an embedded store. */
const BUDGET = 10_000
