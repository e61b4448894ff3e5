import type { InvoiceLabel, InvoiceTool, ShownInvoice, ShownLine } from '../../../../src/wire/invoice/shown-invoice.ts'
import { askResponse } from '../api.ts'
import { day, exactUsd, number } from '../fmt.ts'
import { save } from '../save.ts'
import { Table } from '../table.tsx'
import * as text from '../texts/invoice.ts'

/** Print and save buttons of an invoice. */
export const InvoiceActions = ({ invoice, path }: ActionsProps) => (
  <div class="row no-print">
    <button type="button" onClick={() => print()}>
      {text.print}
    </button>
    <button type="button" class="link" onClick={() => void saveAs(invoice, path, 'csv')}>
      {text.saveCsv}
    </button>
    <button type="button" class="link" onClick={() => void saveAs(invoice, path, 'html')}>
      {text.savePage}
    </button>
  </div>
)

interface ActionsProps {
  readonly invoice: ShownInvoice
  /** Where it is read. */
  readonly path: string
}

async function saveAs({ number: name }: ShownInvoice, path: string, format: 'csv' | 'html'): Promise<void> {
  const response = await askResponse(`${path}&format=${format}`, undefined, new AbortController().signal)
  save(`${name}.${format}`, await response.text(), `text/${format}`)
}

/** Facts, lines and sums of an invoice. */
export function InvoiceBody({ invoice }: { readonly invoice: ShownInvoice }) {
  const { number: name, label, account, seller, plans, state, issued_at, lines, tools, forecast, round } = invoice
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
      {invoice.by_label?.map(each => (
        <Labelled key={each.label} {...each} />
      ))}
      <Sums invoice={invoice} />
      <p class="small muted">{text.rounding[round]}</p>
    </>
  )
}

interface LinesProps {
  readonly lines: readonly ShownLine[]
  readonly tools: readonly InvoiceTool[]
}

const Lines = ({ lines, tools }: LinesProps) => (
  <Table
    label={text.lines}
    figures
    columns={[
      { title: text.model },
      { title: text.charged },
      { title: text.quantity, num: true },
      { title: text.unitPrice, num: true, narrow: true },
      { title: text.amount, num: true },
    ]}
  >
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
  </Table>
)

/** The usage by the values of a label. */
const Labelled = ({ label, values }: InvoiceLabel) => (
  <Table
    label={label}
    figures
    columns={[{ title: label }, { title: text.requests, num: true }, { title: text.amount, num: true }]}
  >
    <tbody>
      {values.map(({ name, requests, amount_usd }) => (
        <tr key={name}>
          <td class="anywhere">{name}</td>
          <td class="num">{number(requests)}</td>
          <td class="num">{exactUsd(amount_usd)}</td>
        </tr>
      ))}
    </tbody>
  </Table>
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
      {total.saved_usd !== undefined && (
        <>
          <dt>{text.savedByCaches}</dt>
          <dd>{exactUsd(total.saved_usd)}</dd>
        </>
      )}
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
          <dt>{text.overage}</dt>
          <dd>{exactUsd(coverage.overage_usd)}</dd>
        </>
      )}
    </dl>
  )
}
