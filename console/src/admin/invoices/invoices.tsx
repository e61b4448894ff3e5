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
  const month = query.value.get('month') ?? monthsUntilNow()[0] ?? ''
  if (id !== null) return <OneInvoice key={`${id} ${month}`} account={id} month={month} />
  if (account !== null) return <InvoicesOfAccount key={account} account={account} />
  return <OfMonth key={month} month={month} />
}

function OfMonth({ month }: { readonly month: string }) {
  const [problem, setProblem] = useState<ApiProblem>()
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
              {monthsUntilNow().map(each => (
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
      <Pages month={month} trying={trying} />
      <Origin command={`svcctl invoices --month ${month}`} />
    </>
  )
}

interface PagesProps {
  readonly month: string
  /** Shows what went wrong with something that was pressed. */
  readonly trying: (run: () => Promise<void>) => () => void
}

function Pages({ month, trying }: PagesProps) {
  const [more, setMore] = useState<readonly ShownMonthInvoices[]>([])
  const first = useResource(() => listMonth(month))
  return (
    <Loaded of={first}>
      {page => {
        const pages = [page, ...more]
        const next = pages.at(-1)?.next ?? null
        const goOn = trying(async () => setMore([...more, await listMonth(month, next ?? '')]))
        if (page.data.length === 0)
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
      }}
    </Loaded>
  )
}

/** The running month and twelve before it, the newest first. */
function monthsUntilNow(): readonly string[] {
  const now = new Date()
  return Array.from({ length: 13 }, (_, ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
  )
}
