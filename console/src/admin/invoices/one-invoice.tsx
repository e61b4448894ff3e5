import { Link } from '../../shared/frame/link.tsx'
import { InvoiceActions, InvoiceBody } from '../../shared/invoice/invoice.tsx'
import { useResource } from '../../shared/resource.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import * as invoiceText from '../../shared/texts/invoice.ts'
import { pathOfInvoice, readInvoice } from '../api/invoices.ts'
import { Origin } from '../command.tsx'
import { quoted } from '../shell.ts'
import * as text from '../texts/invoices.tsx'

interface OneInvoiceProps {
  /** Its id. */
  readonly account: string
  readonly month: string
}

/** The invoice of an account for a month, as its customer sees it. */
export function OneInvoice({ account, month }: OneInvoiceProps) {
  const invoice = useResource(() => readInvoice(account, month))
  return (
    <>
      <Header
        title={invoiceText.invoiceOf(month)}
        aside={invoice.data && <InvoiceActions invoice={invoice.data} path={pathOfInvoice(account, month)} />}
      >
        <span class="row">
          <Link to="invoices" query={{ month }}>
            {text.allInvoices}
          </Link>
          <Link to="accounts" query={{ id: account }}>
            {invoiceText.account}
          </Link>
        </span>
      </Header>
      <Loaded of={invoice}>{data => <InvoiceBody invoice={data} />}</Loaded>
      <Origin command={`svcctl invoice ${quoted(account)} --month ${month}`} />
    </>
  )
}
