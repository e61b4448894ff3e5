import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { ShownKey, ShownPlan } from '../../wire/admin/key.ts'
import { type Column, table, tableText } from '../table.ts'

/** An account as people read it: one line for each thing that is decided or counted of it. */
export function accountText(account: ShownAccount): string {
  const { label, window, used_usd, held_usd, limit_usd, granted_usd, keys } = account
  const granted = granted_usd === '0' ? '' : `, $${granted_usd} of it granted`
  const rows = [
    ['account', account.account],
    ['label', label],
    ['plan', planText(account)],
    [
      'overage',
      `${overageText(account.overage)}, by ${account.overage_source === 'plan' ? 'its plan' : 'an operator'}`,
    ],
    ['used', `$${used_usd}, and $${held_usd} reserved by running requests`],
    ['limit', limit_usd === null ? 'none: it has no plan' : `$${limit_usd}${granted}`],
    ['window', `${withoutFraction(window.start)} to ${withoutFraction(window.end)}`],
    ['created', timeText(account.created)],
    ...(keys.length > 0
      ? keys.map(key => ['key', `${key.key}  ${key.status}  ${timeText(key.created)}`])
      : [['key', 'none']]),
  ]
  return table(rows)
}

/** Accounts as people read them. */
export const accountsTable = (accounts: readonly ShownAccount[]): string =>
  tableText(
    COLUMNS,
    accounts.map(({ label, account, plan, used_usd, limit_usd, keys }) => [
      label,
      account,
      plan ?? 'none',
      `$${used_usd}`,
      limit_usd === null ? '-' : `$${limit_usd}`,
      keysText(keys),
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'LABEL', least: 12 },
  // The id gives way after the plan: other commands need it where labels are not unique.
  { title: 'ACCOUNT', least: 10 },
  { title: 'PLAN', least: 6, gives: 1 },
  { title: 'USED', number: true },
  { title: 'LIMIT', number: true },
  { title: 'KEYS', gives: 2 },
]

/** `svc_ab12…, 2 ended` */
function keysText(keys: ShownAccount['keys']): string {
  const active = keys.filter(({ status }) => status === 'active').map(({ key }) => key)
  const ended = keys.length - active.length
  return [...active, ...(ended > 0 ? [`${ended} ended`] : [])].join(', ') || '-'
}

/** A key, and the account that it is of. */
export const keyText = (key: ShownKey & { readonly owner: ShownAccount }): string =>
  `${key.key}  ${key.status}  ${timeText(key.created)}\n\n${accountText(key.owner)}`

const SOURCES: Readonly<Record<ShownPlan['plan_source'], string>> = {
  operator: 'set by an operator',
  token: 'by its sign-in token',
  default: 'by default',
  guests: 'that of guests',
}

/** `pro, by its sign-in token` */
export const planText = ({ plan, plan_source }: ShownPlan): string =>
  plan === null ? 'none: the configuration has none for it' : `${plan}, ${SOURCES[plan_source]}`

export const overageText = (overage: ShownAccount['overage']): string =>
  typeof overage === 'string' ? overage : `up to $${overage.cap_usd} past the limit`

/** From seconds since the epoch. */
export const timeText = (seconds: number): string => withoutFraction(new Date(seconds * 1000).toISOString())
