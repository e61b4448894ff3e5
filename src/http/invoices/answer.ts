import type { Settings } from '../../config/settings.ts'
import { type Billed, listInvoices, readInvoiceOf } from '../../gateway/accounts/invoices.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { Store } from '../../gateway/store/store.ts'
import { type BillingMonth, MONTH_FORMS, monthMeant } from '../../policy/billing/month.ts'
import type { Config } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { invoiceCsv } from '../../wire/invoice/csv.ts'
import { invoiceHtml } from '../../wire/invoice/html.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import { type ShownInvoices, shownInvoices } from '../../wire/invoice/shown-invoices.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'

interface InvoiceSources {
  readonly store: Pick<Store, 'ledger'>
  readonly settings: Pick<Settings, 'server' | 'billing'>
  readonly clock: Pick<Clock, 'now'>
  readonly config: Pick<Config, 'calendar' | 'labels'>
}

type Account = Pick<AccountRecord, 'account' | 'label' | 'createdAt'>

/** The month that is asked for. */
export const monthIn = (
  text: string | undefined,
  { clock, config: { calendar } }: Pick<InvoiceSources, 'clock' | 'config'>,
): BillingMonth | Denied => monthMeant(text ?? '', clock.now(), calendar) ?? invalid('month', `must be ${MONTH_FORMS}`)

/** The invoice of an account for a month; `isBrief` as in Billed. */
export const readInvoiceFor = (
  { store, settings, clock, config }: InvoiceSources,
  account: Account,
  month: BillingMonth,
  isBrief = false,
): Promise<ShownInvoice> =>
  readInvoiceOf(store.ledger, { ...billedOf({ settings, config }, account), isBrief }, month, clock.now())

/** The months of an account that have usage. */
export async function readInvoicesFor(
  { store, settings, clock, config }: InvoiceSources,
  account: Account,
): Promise<ShownInvoices> {
  const billed = { ...billedOf({ settings, config }, account), isBrief: true, createdAt: account.createdAt }
  return shownInvoices(account, await listInvoices(store.ledger, billed, clock.now(), config.calendar))
}

function billedOf(
  { settings: { server, billing }, config }: Pick<InvoiceSources, 'settings' | 'config'>,
  { account, label }: Account,
): Billed {
  const { seller, round } = billing
  return {
    ...{ account, label, round, labels: [...config.labels.keys()] },
    gateway: server.publicUrl,
    seller: seller
      ? {
          name: seller.name,
          address: seller.address ?? null,
          tax_id: seller.taxId ?? null,
          contact: seller.contact ?? null,
        }
      : null,
  }
}

/** Formats of an invoice over HTTP. */
const FORMATS = ['json', 'csv', 'html'] as const
type Format = (typeof FORMATS)[number]

/** The format that is asked for; JSON where none is. */
export function formatIn(text: string | undefined): { readonly format: Format } | Denied {
  const format = text === undefined ? 'json' : FORMATS.find(each => each === text)
  return format ? { format } : invalid('format', `must be one of ${FORMATS.join(', ')}`)
}

/** Sends an invoice as it was asked for. A page loads and runs nothing. */
export function sendInvoice(call: HttpCall, invoice: ShownInvoice, format: Format): void {
  if (format === 'json') call.json(200, invoice, UNCACHED)
  else if (format === 'csv')
    call.send(
      200,
      'text/csv; charset=utf-8',
      Buffer.from(invoiceCsv(invoice)),
      headersOf('attachment', `${invoice.number}.csv`),
    )
  else
    call.send(200, 'text/html; charset=utf-8', Buffer.from(invoiceHtml(invoice)), {
      ...headersOf('inline', `${invoice.number}.html`),
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
}

const headersOf = (disposition: 'attachment' | 'inline', file: string) => ({
  ...UNCACHED,
  'content-disposition': `${disposition}; filename="${file}"`,
  'x-content-type-options': 'nosniff',
})
