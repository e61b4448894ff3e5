import type { InvoiceSummary, ShownInvoices } from '../../../../src/wire/invoice/shown-invoices.ts'
import { ask } from '../../shared/api.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { Loaded } from '../../shared/states.tsx'
import { Table } from '../../shared/table.tsx'
import * as text from '../../shared/texts/invoice.ts'
import { account } from '../account.ts'
import * as billingText from '../texts/billing.tsx'

/** The months of the account, each with its invoice. */
export function Months() {
  const invoices = useResource<ShownInvoices>(() => ask('/billing/invoices'), 60_000)
  // The account above says what is wrong with both.
  const isSaid = account.value.problem !== undefined
  if (isSaid && !invoices.data) return null
  const shown = isSaid ? { ...invoices, problem: undefined } : invoices
  return (
    <section>
      <h2>{text.invoices}</h2>
      <Loaded of={shown}>
        {({ data }) =>
          data.length === 0 ? <p class="muted">{billingText.noInvoices}</p> : <MonthTable months={data} />
        }
      </Loaded>
    </section>
  )
}

const MonthTable = ({ months }: { readonly months: readonly InvoiceSummary[] }) => (
  <Table
    label={text.invoices}
    figures
    columns={[
      { title: text.month },
      { title: text.state },
      { title: text.number, narrow: true },
      { title: text.requests, num: true },
      { title: text.amount, num: true },
    ]}
  >
    <tbody>
      {months.map(({ month, number: name, state, requests, amount_usd }) => (
        <tr key={month} class="opens">
          <td>
            <Link to="billing" query={{ id: month }} isRow>
              {text.monthOf(month)}
            </Link>
          </td>
          <td>{text.states[state]}</td>
          <td class="narrow">
            <code>{name}</code>
          </td>
          <td class="num">{number(requests)}</td>
          <td class="num">{exactUsd(amount_usd)}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)
