import { findAccounts } from '../../gateway/accounts/find-accounts.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { AnswerOf, BodyOf } from '../../wire/admin-api/call.ts'
import { shownOf } from './accounts.ts'
import { type AdminContext, type AdminOp, accountNamed, opOf } from './op.ts'

/**
 * Accounts for a page in which an operator types: the one with this id, label or key first, then others with the text in their
 * label or id. It is answered at once: `partial` says that `accounts/list` may find more.
 */
export const findAccountsOp: AdminOp = opOf(calls.findAccounts, find)

async function find(
  context: AdminContext,
  { search: text, limit }: BodyOf<typeof calls.findAccounts>,
): Promise<AnswerOf<typeof calls.findAccounts>> {
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
