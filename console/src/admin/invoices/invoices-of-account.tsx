import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded } from '../../shared/states.tsx'
import * as invoiceText from '../../shared/texts/invoice.ts'
import { listMonths } from '../api/invoices.ts'
import { Origin } from '../command.tsx'
import { quoted } from '../shell.ts'
import * as text from '../texts/invoices.tsx'
import { InvoiceTable } from './invoice-table.tsx'

/** The months of an account, each with its invoice. */
export function InvoicesOfAccount({ account }: { readonly account: string }) {
  const months = useResource(() => listMonths(account))
  const { data } = months
  return (
    <>
      <Header title={data ? text.invoicesOf(data.label) : invoiceText.invoices}>
        <span class="row">
          <Link to="accounts" query={{ id: account }}>
            {invoiceText.account}
          </Link>
          <Link to="invoices">{text.allInvoices}</Link>
        </span>
      </Header>
      <Loaded of={months}>
        {found =>
          found.data.length === 0 ? (
            <Empty fact={text.nothing}>
              <p class="muted">{text.noMonths}</p>
            </Empty>
          ) : (
            <InvoiceTable rows={found.data} account={account} />
          )
        }
      </Loaded>
      <Origin command={`svcctl invoice ${quoted(account)}`} />
    </>
  )
}
