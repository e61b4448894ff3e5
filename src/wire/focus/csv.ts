import { type BillingMonth, CLOSES_AFTER, invoiceNumber, monthAt } from '../../policy/billing/month.ts'
import { chargesOfRow } from '../../policy/billing/row-charges.ts'
import { type Calendar, startOf, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayText } from '../../policy/zone.ts'
import { dayOfRow, type LedgerRow } from '../../records/ledger-row.ts'
import { type Cell, csvRow } from '../csv.ts'
import { usdText } from '../money.ts'
import { type FocusLine, modelLine, toolLine } from './line.ts'

/** Who provides, publishes and invoices, and the calendar of billing periods. */
export interface FocusTerms {
  /** The seller of the invoices, or the address of the gateway. */
  readonly provider: string
  /** Absent: months of UTC. */
  readonly calendar?: Calendar | undefined
}

type LabelledRow = LedgerRow & { readonly label?: string }

/**
 * Rows of the ledger as CSV with the columns of FOCUS 1.2: one row for each kind and price of tokens, and for each hosted tool. Their
 * BilledCost adds up to the cost of each row of the ledger. An empty cell is null. Failed attempts, which no client pays, are left
 * out. Rows of one request follow each other, as the ledger gives them.
 */
export async function* focusCsv(
  rows: AsyncIterable<LabelledRow>,
  terms: FocusTerms,
): AsyncGenerator<string, void, undefined> {
  yield csvRow(COLUMNS.map(([name]) => name))
  const monthOf = billingMonths(terms.calendar)
  let before: LabelledRow | undefined
  for await (const row of rows) {
    if (row.kind === 'waste') continue
    for (const line of linesOf(row, before, monthOf(row), terms)) yield csvRow(COLUMNS.map(([, read]) => read(line)))
    before = row
  }
}

/** A correction without the row that it corrects has its difference in one line. */
function linesOf(
  row: LabelledRow,
  last: LabelledRow | undefined,
  month: BillingMonth,
  { provider }: FocusTerms,
): readonly FocusLine[] {
  const before = last?.requestId === row.requestId ? last : undefined
  const isAlone = row.kind === 'late' && !before
  const { model, cost } = row
  const { lines, tools } = isAlone
    ? chargesOfRow({ model, cost })
    : chargesOfRow(row, row.kind === 'late' ? before : undefined)
  return [...lines.map(modelLine), ...tools.map(toolLine)].map(line => ({ row, month, provider, ...line }))
}

/** The billing month of rows, which come in the order of their admission: those of one day are in one month. */
function billingMonths(calendar: Calendar = UTC_CALENDAR): (row: LedgerRow) => BillingMonth {
  let known: { readonly day: number; readonly month: BillingMonth } | undefined
  return row => {
    const day = dayOfRow(row)
    if (known?.day !== day) known = { day, month: monthAt(startOf('day', calendar, day), calendar) }
    return known.month
  }
}

type Column = readonly [name: string, read: (line: FocusLine) => Cell]

const cost = ({ cost: paid }: FocusLine) => usdText(paid)
const unitPrice = ({ quantities }: FocusLine) => quantities.unitPrice
const provider = ({ provider: name }: FocusLine) => name

/** The columns of FOCUS in the order of its specification, and those of our own after them. */
const COLUMNS: readonly Column[] = [
  ['BilledCost', cost],
  ['BillingAccountId', ({ row }) => row.account],
  ['BillingAccountName', ({ row }) => row.label ?? null],
  ['BillingAccountType', ({ row }) => (isDevice(row) ? 'Device' : 'Account')],
  ['BillingCurrency', () => 'USD'],
  ['BillingPeriodEnd', ({ month }) => secondText(month.until)],
  ['BillingPeriodStart', ({ month }) => secondText(month.since)],
  ['ChargeCategory', () => 'Usage'],
  ['ChargeClass', line => (isCorrection(line) ? 'Correction' : null)],
  ['ChargeDescription', ({ resource, sku }) => `${resource.name}: ${sku.meter}`],
  ['ChargeFrequency', () => 'Usage-Based'],
  ['ChargePeriodEnd', ({ row }) => secondText(row.admittedAt + SECOND)],
  ['ChargePeriodStart', ({ row }) => secondText(row.admittedAt)],
  ['ConsumedQuantity', ({ quantities }) => quantities.consumed],
  ['ConsumedUnit', ({ quantities }) => quantities.consumedUnit],
  ['ContractedCost', ({ quantities }) => quantities.listCost],
  ['ContractedUnitPrice', unitPrice],
  ['EffectiveCost', cost],
  ['InvoiceId', invoiceId],
  ['InvoiceIssuerName', provider],
  ['ListCost', ({ quantities }) => quantities.listCost],
  ['ListUnitPrice', unitPrice],
  ['PricingCategory', ({ sku }) => (sku.isListed ? 'Standard' : 'Other')],
  ['PricingQuantity', ({ quantities }) => quantities.priced],
  ['PricingUnit', ({ quantities }) => quantities.pricedUnit],
  ['ProviderName', provider],
  ['PublisherName', provider],
  ['ResourceId', ({ resource }) => `${resource.type.toLowerCase()}/${resource.name}`],
  ['ResourceName', ({ resource }) => resource.name],
  ['ResourceType', ({ resource }) => resource.type],
  ['ServiceCategory', () => 'AI and Machine Learning'],
  ['ServiceName', ({ service }) => service],
  ['ServiceSubcategory', () => 'Generative AI'],
  ['SkuId', ({ sku }) => sku.id],
  ['SkuMeter', ({ sku }) => sku.meter],
  ['SkuPriceDetails', () => null],
  ['SkuPriceId', ({ sku }) => sku.priceId],
  ['SubAccountId', ({ row }) => row.key ?? null],
  ['SubAccountName', () => null],
  ['SubAccountType', ({ row }) => (row.key === undefined ? null : 'Key')],
  ['Tags', ({ row }) => (row.labels ? JSON.stringify(row.labels) : null)],
  ['x_BillingDay', ({ row }) => dayText(dayOfRow(row))],
  ['x_Model', ({ resource }) => (resource.type === 'Model' ? resource.name : null)],
  ['x_Plan', ({ row }) => row.plan],
  ['x_Pool', ({ row }) => row.pool],
  ['x_RequestId', ({ row }) => row.requestId],
  ['x_RowKind', ({ row }) => row.kind],
  ['x_Session', ({ row }) => row.session ?? null],
]

const SECOND = 1000

/** `2026-11-21T10:00:00Z` */
const secondText = (at: EpochMs): string => `${new Date(Math.floor(at / SECOND) * SECOND).toISOString().slice(0, 19)}Z`

const isDevice = ({ account }: LedgerRow): boolean => account.startsWith('dev_')

/** Whether its month was closed before the charge was known. */
const isCorrection = ({ row, month }: FocusLine): boolean => row.settledAt >= month.until + CLOSES_AFTER

/** Devices have no invoices, and late usage is on one of a later month. */
function invoiceId(line: FocusLine): string | null {
  const { row, month } = line
  return isDevice(row) || isCorrection(line) ? null : invoiceNumber(row.account, month.month)
}
