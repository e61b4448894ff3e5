import type { InvoiceSummary, ShownInvoices } from '../../../../src/wire/invoice/shown-invoices.ts'
import { ask } from '../../shared/api.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { Loaded } from '../../shared/states.tsx'
import { account } from '../account.ts'
import * as text from '../texts/billing.tsx'

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
        {({ data }) => (data.length === 0 ? <p class="muted">{text.noInvoices}</p> : <MonthTable months={data} />)}
      </Loaded>
    </section>
  )
}

const MonthTable = ({ months }: { readonly months: readonly InvoiceSummary[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section class="box scroll table figures" aria-label={text.invoices} tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">{text.month}</th>
          <th scope="col">{text.state}</th>
          <th scope="col" class="narrow">
            {text.number}
          </th>
          <th scope="col" class="num">
            {text.requests}
          </th>
          <th scope="col" class="num">
            {text.amount}
          </th>
        </tr>
      </thead>
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
    </table>
  </section>
)
