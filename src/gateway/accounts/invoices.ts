import { type Coverage, coverageOf, coverageSince } from '../../policy/billing/coverage.ts'
import { forecastOf } from '../../policy/billing/forecast.ts'
import {
  type BillingMonth,
  invoiceNumber,
  monthAt,
  monthBefore,
  monthNamed,
  stateOf,
} from '../../policy/billing/month.ts'
import type { Rounding } from '../../policy/billing/rounding.ts'
import { type Calendar, startOf } from '../../policy/calendar.ts'
import type { EpochMs } from '../../policy/config.ts'
import { nanoUsd, subtractNanoUsd } from '../../policy/nano-usd.ts'
import { dayText, isUtc, readDay } from '../../policy/zone.ts'
import {
  type InvoicePeriod,
  type LateUsage,
  type ShownInvoice,
  type ShownSeller,
  shownInvoice,
} from '../../wire/invoice/shown-invoice.ts'
import type { IssuedInvoice } from '../store/issued-invoice.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { type Invoice, invoiceOf } from './invoice.ts'
import { type LabelSums, labelSums, MOST_SPLIT } from './label-sums.ts'
import { OneAtATime } from './one-at-a-time.ts'

type InvoiceLedger = Pick<LedgerStore, 'readTotals' | 'readTools' | 'readInvoices' | 'keepInvoice' | 'readPast'>

/** The accounts of the invoices, and the statements on new ones. */
export interface Billed {
  readonly account: string
  readonly label: string
  readonly gateway: string
  readonly seller: ShownSeller | null
  readonly round: Rounding
  /** Labels by which the usage is split; absent: none. */
  readonly labels?: readonly string[]
  /** Whether invoices that are not issued yet go without that: a list shows their sums alone. */
  readonly isBrief?: boolean
}

/** Late usage from this many earlier months may be on an invoice. */
const LATE_MONTHS = 3
/** Months before this one that a list goes back. */
const LISTED_MONTHS = 12

/** The invoice of a month: as it was issued, or as it stands now. Invoices that are due are issued. */
export async function readInvoiceOf(
  ledger: InvoiceLedger,
  billed: Billed,
  month: BillingMonth,
  now: EpochMs,
): Promise<ShownInvoice> {
  const invoices = await readMonths(ledger, billed, monthsUntil(month, LATE_MONTHS), now)
  const last = invoices.at(-1)
  if (!last) throw new RangeError('a month has no invoice')
  return last
}

/** The invoices of the last months with usage, newest first, from the month in which the account was opened. */
export async function listInvoices(
  ledger: InvoiceLedger,
  billed: Billed & { readonly createdAt: EpochMs },
  now: EpochMs,
  calendar?: Calendar,
): Promise<readonly ShownInvoice[]> {
  const first = monthAt(billed.createdAt, calendar).since
  const months = monthsUntil(monthAt(now, calendar), LISTED_MONTHS).filter(({ since }) => since >= first)
  const invoices = await readMonths(ledger, billed, months, now)
  return invoices.filter(hasUsage).reverse()
}

/** Oldest first. */
const monthsUntil = (month: BillingMonth, before: number): readonly BillingMonth[] =>
  Array.from({ length: before + 1 }, (_, place) => monthBefore(month, before - place))

/**
 * Months are gone through in their order, and each is issued before the next one is made, so that two gateways that do so at
 * once never bill the same late usage on two invoices.
 */
async function readMonths(
  ledger: InvoiceLedger,
  billed: Billed,
  months: readonly BillingMonth[],
  now: EpochMs,
): Promise<readonly ShownInvoice[]> {
  const [first] = months
  if (!first) return []
  const { account } = billed
  const known = [...monthsUntil(first, LATE_MONTHS).slice(0, -1), ...months]
  const read = await ledger.readInvoices(
    account,
    known.map(({ month }) => month),
  )
  const issued = new Map(read.map(each => [each.month, each]))
  const usage = new UsageOfMonths(ledger, account)
  const invoices: ShownInvoice[] = []
  for (const month of months) {
    const kept = issued.get(month.month)
    if (kept) {
      invoices.push(kept.invoice)
      continue
    }
    const period = periodOf(month, issued)
    const make = () => makeInvoice({ usage, ledger }, billed, period, issued, now)
    if (stateOf(month, now) !== 'issued') {
      invoices.push((await make()).invoice)
      continue
    }
    const isSplit = (billed.labels ?? []).length > 0 && (await usage.of(period)).total.requests > 0
    const known = async () => (isSplit ? (await ledger.readInvoices(account, [month.month]))[0] : undefined)
    const { made, answer } = await ISSUING.do(ledger, account, month.month, () => issue(ledger, known, make))
    if (answer) issued.set(month.month, answer)
    // One without usage is not kept, and so was issued at no time.
    invoices.push(answer?.invoice ?? { ...made.invoice, issued_at: null })
  }
  return invoices
}

interface Issue {
  readonly made: IssuedInvoice
  /** The one that is kept; undefined where there is no usage. */
  readonly answer?: IssuedInvoice | undefined
}

/** Calls for an invoice that is being issued wait for that one: its usage is split without a bound. */
const ISSUING = new OneAtATime<Issue>()

async function issue(
  ledger: InvoiceLedger,
  known: () => Promise<IssuedInvoice | undefined>,
  make: () => Promise<IssuedInvoice>,
): Promise<Issue> {
  // It may have been issued while this one waited.
  const kept = await known()
  if (kept) return { made: kept, answer: kept }
  const made = await make()
  return { made, answer: hasUsage(made.invoice) ? await ledger.keepInvoice(made) : undefined }
}

/**
 * A month with the days that it bills: it begins where the last issued invoice ended, which may have been made by another
 * calendar, so that each day is on one invoice.
 */
function periodOf(month: BillingMonth, issued: ReadonlyMap<string, IssuedInvoice>): BillingMonth {
  const before = issued.get(monthBefore(month).month)
  if (!before) return month
  const firstDay = issuedDays(before).endDay
  return firstDay === month.firstDay ? month : { ...month, firstDay, since: startOf('day', month.calendar, firstDay) }
}

/** The days of an invoice that was issued: of its calendar month, unless it names others. */
function issuedDays({
  month,
  invoice: { from, to },
}: IssuedInvoice): Pick<BillingMonth, 'month' | 'firstDay' | 'endDay'> {
  const usual = monthNamed(month)
  if (!usual) throw new Error(`an invoice was issued for ${month}, which is not a month`)
  const [first, last] = [from, to].map(text => (text === undefined ? undefined : readDay(text)))
  return { month, firstDay: first ?? usual.firstDay, endDay: last === undefined ? usual.endDay : last + 1 }
}

/** Names the days of an invoice where those are not all of its month by UTC. */
function shownPeriod({ month, firstDay, endDay, calendar }: BillingMonth): InvoicePeriod {
  const usual = monthNamed(month)
  const isUsual = usual?.firstDay === firstDay && usual.endDay === endDay
  return {
    ...(!isUtc(calendar.zone) && { zone: calendar.zone }),
    ...(!isUsual && { from: dayText(firstDay), to: dayText(endDay - 1) }),
  }
}

/** Whether there is something to charge for. */
export const hasUsage = ({ total, late }: ShownInvoice): boolean => total.requests > 0 || late.length > 0

async function makeInvoice(
  { usage, ledger }: { readonly usage: UsageOfMonths; readonly ledger: InvoiceLedger },
  billed: Billed,
  month: BillingMonth,
  issued: ReadonlyMap<string, IssuedInvoice>,
  now: EpochMs,
): Promise<IssuedInvoice> {
  const { account, label, gateway, seller, round } = billed
  const state = stateOf(month, now)
  const split = await splitByLabel({ usage, ledger }, billed, { month, isFinal: state === 'issued' })
  const { usage: invoice, split: byLabel } = split
  const late = await lateUsage(usage, month, issued)
  const costs = new Map(invoice.days.map(({ name, cost }) => [readDay(name) ?? 0, cost]))
  const forecast = forecastOf(costs, month, now)
  const shown = shownInvoice(
    {
      number: invoiceNumber(account, month.month),
      ...{ account, label, gateway, seller, round, state, month: month.month },
      ...shownPeriod(month),
      issued_at: state === 'issued' ? new Date(now).toISOString() : null,
    },
    {
      ...invoice,
      late,
      ...(byLabel && { byLabel }),
      ...(invoice.allotment && { coverage: coverageOf(invoice.total.cost, invoice.allotment) }),
      ...(forecast !== undefined && { forecast }),
    },
  )
  return {
    account,
    month: month.month,
    issuedAt: now,
    used: invoice.total.cost,
    late: Object.fromEntries(late.map(({ month: of, cost }) => [of, cost])),
    invoice: shown,
  }
}

/** The usage of a month, split where labels are declared and there is something to split. */
async function splitByLabel(
  { usage, ledger }: { readonly usage: UsageOfMonths; readonly ledger: InvoiceLedger },
  { account, labels = [], isBrief }: Billed,
  { month, isFinal }: { readonly month: BillingMonth; readonly isFinal: boolean },
): Promise<{ readonly usage: Invoice; readonly split?: readonly LabelSums[] | undefined }> {
  const known = await usage.of(month)
  if (labels.length === 0 || known.total.requests === 0 || (isBrief && !isFinal)) return { usage: known }
  const most = isFinal ? Number.POSITIVE_INFINITY : MOST_SPLIT
  return labelSums(ledger, { account, of: 'invoice', month, labels, read: () => usage.again(month), most })
}

/** Usage of earlier months that settled after their invoices were issued and is on no invoice yet. */
async function lateUsage(
  usage: UsageOfMonths,
  month: BillingMonth,
  issued: ReadonlyMap<string, IssuedInvoice>,
): Promise<readonly LateUsage[]> {
  const late: LateUsage[] = []
  for (const earlier of monthsUntil(month, LATE_MONTHS).slice(0, -1)) {
    const own = issued.get(earlier.month)
    if (!own) continue
    const { total, allotment } = await usage.of(issuedDays(own))
    const before = [...issued.values()].reduce((sum, each) => sum + (each.late[earlier.month] ?? 0), own.used as number)
    const cost = subtractNanoUsd(total.cost, nanoUsd(before))
    if (cost === 0) continue
    const coverage: Coverage | undefined = allotment && coverageSince(nanoUsd(before), total.cost, allotment)
    late.push({ month: earlier.month, number: own.invoice.number, cost, ...(coverage && { coverage }) })
  }
  return late
}

/** Usage of an account by month; each month is read once. */
class UsageOfMonths {
  readonly #ledger: InvoiceLedger
  readonly #account: string
  readonly #read = new Map<string, Promise<Invoice>>()

  constructor(ledger: InvoiceLedger, account: string) {
    this.#ledger = ledger
    this.#account = account
  }

  of({ month, firstDay, endDay }: Pick<BillingMonth, 'month' | 'firstDay' | 'endDay'>): Promise<Invoice> {
    const known = this.#read.get(month)
    if (known) return known
    const read = this.again({ firstDay, endDay })
    this.#read.set(month, read)
    return read
  }

  /** As it is by now. */
  again({ firstDay, endDay }: Pick<BillingMonth, 'firstDay' | 'endDay'>): Promise<Invoice> {
    return invoiceOf(this.#ledger, { account: this.#account, since: firstDay, until: endDay })
  }
}
