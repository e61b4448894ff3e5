import { useState } from 'preact/hooks'
import type { ShownMonthInvoices } from '../../../../src/wire/invoice/shown-invoices.ts'
import type { ApiProblem } from '../../shared/api.ts'
import { query, refine } from '../../shared/frame/router.ts'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { save } from '../../shared/save.ts'
import { Empty, Header, Loaded, Problem } from '../../shared/states.tsx'
import * as invoiceText from '../../shared/texts/invoice.ts'
import { listMonth, readCsv } from '../api/invoices.ts'
import { Origin } from '../command.tsx'
import * as text from '../texts/invoices.tsx'
import { InvoiceTable } from './invoice-table.tsx'
import { InvoicesOfAccount } from './invoices-of-account.tsx'
import { OneInvoice } from './one-invoice.tsx'

/** The invoices of a month, those of an account, or one of them, as the address says. */
export function Invoices() {
  const [id, account] = [query.value.get('id'), query.value.get('account')]
  const month = query.value.get('month') ?? 'this'
  if (id !== null) return <OneInvoice key={`${id} ${month}`} account={id} month={month} />
  if (account !== null) return <InvoicesOfAccount key={account} account={account} />
  return <OfMonth key={month} month={month} />
}

/** A month by its name, or the one that runs: the gateway's clock and zone say which that is. */
function OfMonth({ month: asked }: { readonly month: string }) {
  const [problem, setProblem] = useState<ApiProblem>()
  const first = useResource(() => listMonth(asked))
  const month = first.data?.month ?? asked
  const trying = (run: () => Promise<void>) => () => {
    setProblem(undefined)
    run().catch((error: unknown) => setProblem(problemFrom(error)))
  }
  const saveAs = (format: 'csv' | 'lines') =>
    trying(async () => save(`invoices-${month}${format === 'lines' ? '-lines' : ''}.csv`, await readCsv(month, format)))
  return (
    <>
      <Header
        title={invoiceText.invoices}
        aside={
          <div class="row controls">
            <select
              aria-label={invoiceText.month}
              value={month}
              onChange={event => refine({ month: event.currentTarget.value })}
            >
              {monthsUntil(first.data?.running_month).map(each => (
                <option key={each} value={each}>
                  {invoiceText.monthOf(each)}
                </option>
              ))}
            </select>
            <button type="button" onClick={saveAs('csv')}>
              {text.saveCsv}
            </button>
            <button type="button" onClick={saveAs('lines')}>
              {text.saveLines}
            </button>
          </div>
        }
      >
        {text.whatAllAccountsAreCharged}
      </Header>
      {problem && <Problem problem={problem} />}
      <Loaded of={first}>{page => <Pages first={page} trying={trying} />}</Loaded>
      <Origin command={`svcctl invoices --month ${month}`} />
    </>
  )
}

interface PagesProps {
  readonly first: ShownMonthInvoices
  /** Shows what went wrong with something that was pressed. */
  readonly trying: (run: () => Promise<void>) => () => void
}

function Pages({ first, trying }: PagesProps) {
  const [more, setMore] = useState<readonly ShownMonthInvoices[]>([])
  const pages = [first, ...more]
  const next = pages.at(-1)?.next ?? null
  const goOn = trying(async () => setMore([...more, await listMonth(first.month, next ?? '')]))
  if (first.data.length === 0)
    return (
      <Empty fact={text.nothing}>
        <p class="muted">{text.noUsage}</p>
      </Empty>
    )
  return (
    <>
      <InvoiceTable rows={pages.flatMap(({ data }) => data)} />
      {next !== null && (
        <div class="row">
          <button type="button" onClick={goOn}>
            {text.more}
          </button>
        </div>
      )}
    </>
  )
}

/** The running month and twelve before it, the newest first; none while it is unknown. */
function monthsUntil(running: string | undefined): readonly string[] {
  if (running === undefined) return []
  const [year, month] = running.split('-').map(Number) as [number, number]
  return Array.from({ length: 13 }, (_, ago) => new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 7))
}
