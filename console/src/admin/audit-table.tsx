import type { ShownAudit } from '../../../src/wire/admin/audit.ts'
import { Link } from '../shared/frame/link.tsx'
import { Label } from './label.tsx'
import { Table } from './table.tsx'
import { exactTime, timeOf } from './time.ts'

interface AuditTableProps {
  readonly rows: readonly ShownAudit[]
  /** Left away where all rows are of one. */
  readonly hasAccount?: boolean
}

/** Who changed what, the newest first. */
export const AuditTable = ({ rows, hasAccount = true }: AuditTableProps) => (
  <Table
    label="Changes, the newest first"
    columns={[
      { title: 'Time' },
      { title: 'By', narrow: true },
      { title: 'Change' },
      ...(hasAccount ? [{ title: 'Account' }] : []),
      { title: 'Before', narrow: true },
      { title: 'After', narrow: true },
    ]}
  >
    <tbody>
      {rows.map(row => (
        <AuditRow key={JSON.stringify(row)} row={row} hasAccount={hasAccount} />
      ))}
    </tbody>
  </Table>
)

function AuditRow({ row, hasAccount }: { readonly row: ShownAudit; readonly hasAccount: boolean }) {
  const { at, by, by_label, action, account, label, before, after } = row
  return (
    <tr>
      <td class="nowrap">
        <time dateTime={at} title={exactTime(at)}>
          {timeOf(at)}
        </time>
      </td>
      <td class="narrow">
        <Label text={by_label || by} />
      </td>
      <td>
        <span class="nowrap">{action}</span>
        <p class="folded anywhere">
          <bdi>{[before, after].filter(Boolean).join(' → ')}</bdi>
          <br />
          by <bdi>{by_label || by}</bdi>
        </p>
      </td>
      {hasAccount && <td>{account !== '' && <AccountLink account={account} label={label} />}</td>}
      <td class="narrow muted">
        <Label text={before || '–'} />
      </td>
      <td class="narrow">
        <Label text={after || '–'} />
      </td>
    </tr>
  )
}

/** By its label, to its page. Orgs have none. */
export const AccountLink = ({ account, label }: { readonly account: string; readonly label: string }) =>
  account.startsWith('org:') ? (
    <Label text={account} />
  ) : (
    <Link to="accounts" query={{ id: account }}>
      <Label text={label || account} />
    </Link>
  )
