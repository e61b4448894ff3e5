import type { ShownInvoice } from '../../../../src/wire/invoice/shown-invoice.ts'
import { ask } from '../../shared/api.ts'
import { Link } from '../../shared/frame/link.tsx'
import { InvoiceActions, InvoiceBody } from '../../shared/invoice/invoice.tsx'
import { useResource } from '../../shared/resource.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import * as invoiceText from '../../shared/texts/invoice.ts'
import * as text from '../texts/billing.tsx'
import * as frameText from '../texts/frame.tsx'

/** The invoice of one month, to read, print and save. */
export function Invoice({ month }: { readonly month: string }) {
  const path = `/billing/invoices?month=${encodeURIComponent(month)}`
  const invoice = useResource<ShownInvoice>(() => ask(path), 60_000)
  return (
    <>
      <Header
        title={invoiceText.invoiceOf(month)}
        aside={invoice.data && <InvoiceActions invoice={invoice.data} path={path} />}
      >
        <Link to="billing">{frameText.titles.billing}</Link>
      </Header>
      <Loaded of={invoice}>
        {data => (
          <>
            <InvoiceBody invoice={data} />
            {data.days.length > 0 && (
              <p class="muted no-print">
                {text.byModel(words => (
                  <Link to="">{words}</Link>
                ))}
              </p>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
