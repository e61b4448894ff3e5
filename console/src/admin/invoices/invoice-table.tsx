import type { InvoiceSummary, MonthInvoice } from '../../../../src/wire/invoice/shown-invoices.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { Table } from '../../shared/table.tsx'
import * as text from '../../shared/texts/invoice.ts'
import { Label } from '../label.tsx'

interface InvoiceTableProps {
  readonly rows: readonly (InvoiceSummary & Partial<Pick<MonthInvoice, 'account' | 'label'>>)[]
  /** The account of all rows, where there is only one: then their months tell them apart. */
  readonly account?: string
}

/** Invoices, each of which opens. */
export const InvoiceTable = ({ rows, account: of }: InvoiceTableProps) => (
  <Table
    label={text.invoices}
    figures
    columns={[
      { title: of === undefined ? text.account : text.month },
      { title: text.state },
      { title: text.number, narrow: true },
      { title: text.requests, num: true, narrow: true },
      { title: text.amount, num: true },
    ]}
  >
    <tbody>
      {rows.map(({ account = of ?? '', label, month, state, number: name, requests, amount_usd }) => (
        <tr key={name}>
          <td>
            <Link to="invoices" query={{ id: account, month }} isRow>
              <Label text={label ?? text.monthOf(month)} />
            </Link>
          </td>
          <td>{text.states[state]}</td>
          <td class="narrow">
            <code>{name}</code>
          </td>
          <td class="num narrow">{number(requests)}</td>
          <td class="num">{exactUsd(amount_usd)}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)
