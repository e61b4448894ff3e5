import type { ShownAccount } from '../../../../src/wire/admin/account.ts'
import { exactUsd, usd } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { Meter } from '../../shared/meter.tsx'
import { State } from '../../shared/state.tsx'
import { Table } from '../../shared/table.tsx'
import { Label } from '../label.tsx'
import * as text from '../texts/accounts.tsx'

/** Accounts, a line each: it opens the page of one. */
export const AccountTable = ({ accounts }: { readonly accounts: readonly ShownAccount[] }) => (
  <Table
    label={text.accounts}
    columns={[
      { title: text.account },
      { title: text.plan, narrow: true },
      { title: text.spentThisWindow },
      { title: text.overage, narrow: true },
      { title: text.org, narrow: true },
      { title: text.keys, num: true, narrow: true },
    ]}
  >
    <tbody>
      {accounts.map(account => (
        <Row key={account.account} account={account} />
      ))}
    </tbody>
  </Table>
)

function Row({ account: shown }: { readonly account: ShownAccount }) {
  const { account, label, plan, plan_source, overage, org, keys } = shown
  return (
    <tr>
      <td>
        <Link to="accounts" query={{ id: account }} isRow>
          <Label text={label} />
        </Link>
        <p class="folded">
          <bdi>{plan ?? text.noPlan}</bdi>
          {isFrozen(shown) && text.keysFrozen}
        </p>
        {label !== account && (
          <p class="small narrow">
            <code class="muted">{account}</code>
          </p>
        )}
      </td>
      <td class="narrow nowrap">
        <bdi>{plan ?? text.none}</bdi>
        {isFrozen(shown) ? (
          <p class="small">
            <State tone="bad">{text.isFrozen}</State>
          </p>
        ) : (
          <p class="small muted">{SOURCES[plan_source]}</p>
        )}
      </td>
      <td class="spent">
        <Spent account={shown} />
      </td>
      <td class="narrow nowrap">{overageText(overage)}</td>
      <td class="narrow">
        <bdi>{org ?? '–'}</bdi>
      </td>
      <td class="num narrow">{keys.filter(({ status }) => status === 'active').length}</td>
    </tr>
  )
}

/** The used part of this window's money. */
export function Spent({ account }: { readonly account: ShownAccount }) {
  const { used_usd, held_usd, limit_usd, overage } = account
  const words = text.of(usd(Number(used_usd)), limit_usd === null ? text.nothing : usd(Number(limit_usd)))
  const cap = typeof overage === 'object' ? Number(overage.cap_usd) : 0
  return (
    <>
      {words}
      <Meter
        label={text.spentThisWindow}
        used={Number(used_usd)}
        held={Number(held_usd)}
        most={Number(limit_usd ?? 0) + cap}
        text={words}
      />
    </>
  )
}

export const isFrozen = ({ frozen, org_frozen }: ShownAccount): boolean => frozen || org_frozen

/** Who says which plan it is. */
export const SOURCES = {
  operator: 'set by an operator',
  token: 'from its sign-in',
  default: 'the default',
  guests: 'for all devices',
} as const

export const overageText = (overage: ShownAccount['overage']): string =>
  typeof overage === 'object' ? text.upTo(exactUsd(overage.cap_usd)) : overage
