import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { ShownPlan } from '../../wire/admin/key.ts'
import { limitText } from '../../wire/admin/limit.ts'
import type { ShownOrg } from '../../wire/admin/org.ts'
import { dollars } from '../../wire/money.ts'
import { type Column, table, tableText } from '../kit/table.ts'

/** An account or an org as people read it. */
export const subjectText = (subject: ShownAccount | ShownOrg): string =>
  subject.kind === 'org' ? orgText(subject) : accountText(subject)

const orgText = ({ account, frozen, limits, created }: ShownOrg): string =>
  table([
    ['org', account],
    ...(frozen ? [['frozen', 'by an operator: requests of its accounts are refused']] : []),
    ...limits.map(limit => ['limit', limitText(limit)]),
    ['created', timeText(created)],
  ])

/** An account as people read it: one line for each thing that is decided or counted of it. */
export function accountText(account: ShownAccount): string {
  const { label, window, used_usd, held_usd, limit_usd, granted_usd, keys } = account
  const granted = granted_usd === '0' ? '' : `, ${dollars(granted_usd)} of it granted`
  const rows = [
    ['account', account.account],
    ['label', label],
    ...(account.org === null ? [] : [['org', `${account.org}${account.org_frozen ? ', which is frozen' : ''}`]]),
    ...(account.frozen ? [['frozen', `by ${freezerOf(account)}: its requests are refused`]] : []),
    ['plan', planText(account)],
    [
      'overage',
      `${overageText(account.overage)}, by ${account.overage_source === 'plan' ? 'its plan' : 'an operator'}`,
    ],
    ['used', `${dollars(used_usd)}, and ${dollars(held_usd)} reserved by running requests`],
    ['limit', limit_usd === null ? 'none: it has no plan' : `${dollars(limit_usd)}${granted}`],
    ...account.limits.map(limit => ['limit', `${limitText(limit)}, by an operator`]),
    ['window', `${withoutFraction(window.start)} to ${withoutFraction(window.end)}`],
    ['created', timeText(account.created)],
    ...account.sign_ins.map(signIn => ['sign-in', `${signIn}, by invitation`]),
    ...(account.invited_until === null ? [] : [['invited', `until ${withoutFraction(account.invited_until)}`]]),
    ...(keys.length > 0 ? keys.map(key => ['key', keyLine(key)]) : [['key', 'none']]),
  ]
  return table(rows)
}

const freezerOf = ({ deactivated }: ShownAccount): string => (deactivated ? 'the identity provider' : 'an operator')

/** `svc_ab12…  active  key_7Hq2…  ci`: the rest is for `keys list`, which has the room. */
const keyLine = ({ key, status, id, name }: ShownAccount['keys'][number]): string =>
  [key, status, id, ...(name === null ? [] : [name])].join('  ')

/** Accounts as people read them. */
export const accountsTable = (accounts: readonly ShownAccount[]): string =>
  tableText(
    COLUMNS,
    accounts.map(({ label, account, plan, frozen, org_frozen, used_usd, limit_usd, keys }) => [
      label,
      account,
      `${plan ?? 'none'}${frozen || org_frozen ? ', frozen' : ''}`,
      dollars(used_usd),
      limit_usd === null ? '-' : dollars(limit_usd),
      keysText(keys),
    ]),
  )

/** Orgs as people read them. */
export const orgsTable = (orgs: readonly ShownOrg[]): string =>
  tableText(
    [{ title: 'ORG' }, { title: 'STATE' }, { title: 'LIMITS', least: 20 }, { title: 'CREATED', gives: 1 }],
    orgs.map(({ account, frozen, limits, created }) => [
      account,
      frozen ? 'frozen' : 'ok',
      limits.map(limitText).join(', ') || '-',
      timeText(created),
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'ACCOUNT', least: 12 },
  // Other commands take it where labels are not unique: part of it would be of no use.
  { title: 'ID', gives: 2 },
  { title: 'PLAN', least: 6, gives: 3 },
  { title: 'USED', number: true },
  { title: 'LIMIT', number: true },
  { title: 'KEYS', gives: 1 },
]

/** `svc_ab12…, 2 ended`, or `3 keys, 2 ended` */
function keysText(keys: ShownAccount['keys']): string {
  const active = keys.filter(({ status }) => status === 'active').map(({ key }) => key)
  const ended = keys.length - active.length
  const working = active.length > 1 ? [`${active.length} keys`] : active
  return [...working, ...(ended > 0 ? [`${ended} ended`] : [])].join(', ') || '-'
}

const SOURCES: Readonly<Record<ShownPlan['plan_source'], string>> = {
  operator: 'set by an operator',
  token: 'by its sign-in token',
  default: 'by default',
  guests: 'that of guests',
}

/** `pro, by its sign-in token` */
export const planText = ({ plan, plan_source }: ShownPlan): string =>
  plan === null ? 'none: no plan applies to it' : `${plan}, ${SOURCES[plan_source]}`

export const overageText = (overage: ShownAccount['overage']): string =>
  typeof overage === 'string' ? overage : `up to ${dollars(overage.cap_usd)} past the limit`

/** From seconds since the epoch. */
export const timeText = (seconds: number): string => withoutFraction(new Date(seconds * 1000).toISOString())
