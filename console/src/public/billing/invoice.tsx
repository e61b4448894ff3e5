import type { InvoiceTool, ShownInvoice, ShownLine } from '../../../../src/wire/invoice/shown-invoice.ts'
import { ask, askResponse } from '../../shared/api.ts'
import { day, exactUsd, number } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { save } from '../../shared/save.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import * as text from '../texts/billing.tsx'
import * as frameText from '../texts/frame.tsx'

/** The invoice of one month, to read, print and save. */
export function Invoice({ month }: { readonly month: string }) {
  const invoice = useResource<ShownInvoice>(() => ask(`/billing/invoices?month=${encodeURIComponent(month)}`), 60_000)
  return (
    <>
      <Header title={text.invoiceOf(month)} aside={invoice.data && <Actions invoice={invoice.data} />}>
        <Link to="billing">{frameText.titles.billing}</Link>
      </Header>
      <Loaded of={invoice}>{data => <Shown invoice={data} />}</Loaded>
    </>
  )
}

/** Print and save buttons of an invoice. */
const Actions = ({ invoice }: { readonly invoice: ShownInvoice }) => (
  <div class="row no-print">
    <button type="button" onClick={() => print()}>
      {text.print}
    </button>
    <button type="button" class="link" onClick={() => void saveAs(invoice, 'csv')}>
      {text.saveCsv}
    </button>
    <button type="button" class="link" onClick={() => void saveAs(invoice, 'html')}>
      {text.savePage}
    </button>
  </div>
)

async function saveAs({ month, number: name }: ShownInvoice, format: 'csv' | 'html'): Promise<void> {
  const path = `/billing/invoices?month=${month}&format=${format}`
  const response = await askResponse(path, undefined, new AbortController().signal)
  save(`${name}.${format}`, await response.text(), `text/${format}`)
}

function Shown({ invoice }: { readonly invoice: ShownInvoice }) {
  const { number: name, label, account, seller, plans, state, issued_at, lines, tools, days, forecast, round } = invoice
  return (
    <>
      <dl class="box pad terms">
        <dt>{text.number}</dt>
        <dd>
          <code>{name}</code>
        </dd>
        <dt>{text.state}</dt>
        <dd>{issued_at === null ? text.states[state] : text.issuedOn(day(issued_at))}</dd>
        <dt>{text.account}</dt>
        <dd>
          <bdi>{label}</bdi> <code class="muted">{account}</code>
        </dd>
        {plans.length > 0 && (
          <>
            <dt>{text.plan}</dt>
            <dd>
              <bdi>{plans.join(', ')}</bdi>
            </dd>
          </>
        )}
        {seller && (
          <>
            <dt>{text.seller}</dt>
            <dd class="lines">
              {[seller.name, seller.address, seller.tax_id, seller.contact].filter(Boolean).join('\n')}
            </dd>
          </>
        )}
        {forecast && (
          <>
            <dt>{text.forecast}</dt>
            <dd>
              {exactUsd(forecast.amount_usd)} <span class="small muted">{text.forecastMethod}</span>
            </dd>
          </>
        )}
      </dl>
      {lines.length === 0 ? <p class="muted">{text.nothing}</p> : <Lines lines={lines} tools={tools} />}
      <Sums invoice={invoice} />
      <p class="small muted">{text.rounding[round]}</p>
      {days.length > 0 && (
        <p class="muted no-print">
          {text.byModel(words => (
            <Link to="">{words}</Link>
          ))}
        </p>
      )}
    </>
  )
}

interface LinesProps {
  readonly lines: readonly ShownLine[]
  readonly tools: readonly InvoiceTool[]
}

const Lines = ({ lines, tools }: LinesProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section class="box scroll table figures" aria-label={text.lines} tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">{text.model}</th>
          <th scope="col">{text.charged}</th>
          <th scope="col" class="num">
            {text.quantity}
          </th>
          <th scope="col" class="num narrow">
            {text.unitPrice}
          </th>
          <th scope="col" class="num">
            {text.amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(line => (
          <tr key={`${line.model} ${line.kind} ${line.unit_price_usd}`}>
            <td class="anywhere">
              <code>{line.model}</code>
            </td>
            <td>{text.kinds[line.kind]}</td>
            <td class="num">{line.quantity === null ? '' : number(line.quantity)}</td>
            <td class="num narrow">{unitPrice(line)}</td>
            <td class="num">{exactUsd(line.amount_usd)}</td>
          </tr>
        ))}
        {tools.map(tool => (
          <tr key={`tool ${tool.name}`}>
            <td class="anywhere">
              <code>{tool.name}</code>
            </td>
            <td>{text.toolCalls}</td>
            <td class="num">{number(tool.calls)}</td>
            <td class="num narrow" />
            <td class="num">{exactUsd(tool.amount_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const unitPrice = ({ kind, unit_price_usd: price }: ShownLine): string =>
  price === null ? '' : kind === 'image' ? text.each(exactUsd(price)) : text.perMillion(exactUsd(price))

/** Total, late usage, amount, and what covers it. */
function Sums({ invoice }: { readonly invoice: ShownInvoice }) {
  const { total, late, amount, coverage } = invoice
  return (
    <dl class="box pad terms">
      {late.length > 0 && (
        <>
          <dt>{text.usage}</dt>
          <dd>{exactUsd(total.amount_usd)}</dd>
          {late.map(each => [
            <dt key={each.month}>{text.late(each.month, each.number)}</dt>,
            <dd key={each.number}>{exactUsd(each.amount_usd)}</dd>,
          ])}
        </>
      )}
      <dt>{text.total}</dt>
      <dd>
        <b>{exactUsd(amount.amount_usd)}</b>
      </dd>
      {coverage && (
        <>
          <dt>{text.fromAllowance(exactUsd(coverage.allowance_usd))}</dt>
          <dd>{exactUsd(coverage.from_allowance_usd)}</dd>
          {(Number(coverage.credit_usd) > 0 || Number(coverage.from_credit_usd) !== 0) && (
            <>
              <dt>{text.fromCredit(exactUsd(coverage.credit_usd))}</dt>
              <dd>{exactUsd(coverage.from_credit_usd)}</dd>
            </>
          )}
          <dt>{text.past}</dt>
          <dd>{exactUsd(coverage.overage_usd)}</dd>
        </>
      )}
    </dl>
  )
}
