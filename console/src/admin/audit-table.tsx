import type { ShownAudit } from '../../../src/wire/admin/audit.ts'
import { Link } from '../shared/frame/link.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { Label } from './label.tsx'
import * as text from './texts/audit.tsx'

interface AuditTableProps {
  readonly rows: readonly ShownAudit[]
  /** Left out where all rows are of one. */
  readonly hasAccount?: boolean
}

/** Who changed what, the newest first. */
export const AuditTable = ({ rows, hasAccount = true }: AuditTableProps) => (
  <Table
    label={text.changesTheNewestFirst}
    columns={[
      { title: text.time },
      { title: text.by, narrow: true },
      { title: text.change },
      ...(hasAccount ? [{ title: text.account }] : []),
      { title: text.before, narrow: true },
      { title: text.after, narrow: true },
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
  const [from, to] = [before, after].map(revisionIn)
  return (
    <tr>
      <td class="nowrap">
        <Time at={at} />
      </td>
      <td class="narrow">
        <Label text={by_label || by} />
      </td>
      <td>
        <span class="nowrap">{action}</span>
        <p class="folded anywhere">{text.changedBy([before, after].filter(Boolean).join(' → '), by_label || by)}</p>
      </td>
      {hasAccount && <td>{account !== '' && <AccountLink account={account} label={label} />}</td>}
      <td class="narrow muted">
        <Label text={before || '–'} />
      </td>
      <td class="narrow">
        {from && to ? (
          <Link to="revisions" query={{ from, to }}>
            {after}
          </Link>
        ) : (
          <Label text={after || '–'} />
        )}
      </td>
    </tr>
  )
}

/** `3` of `3 (b5ad02113ac4)`, the number of a revision. */
const revisionIn = (text: string): string | undefined => /^(\d+) \([0-9a-f]+\)$/.exec(text)?.[1]

/** Links the label to the account's page. Orgs have none. */
export const AccountLink = ({ account, label }: { readonly account: string; readonly label: string }) =>
  account.startsWith('org:') ? (
    <Label text={account} />
  ) : (
    <Link to="accounts" query={{ id: account }}>
      <Label text={label || account} />
    </Link>
  )
