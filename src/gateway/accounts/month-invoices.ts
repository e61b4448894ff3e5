import type { BillingMonth } from '../../policy/billing/month.ts'
import type { Config } from '../../policy/config.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import { batchesOf } from '../batches.ts'
import type { AccountRecord, AccountStore, ScanPlace } from '../store/account-store.ts'
import { hasUsage } from './invoices.ts'
import { listAccounts } from './list-accounts.ts'

/** Reads the invoice of an account for the month that is asked for. */
type ReadInvoice = (account: AccountRecord) => Promise<ShownInvoice>

interface MonthQuery {
  readonly month: BillingMonth
  /** The most invoices. */
  readonly limit: number
  /** Only accounts after it, in the order of labels. */
  readonly after?: ScanPlace
}

export interface InvoicesPage {
  readonly invoices: readonly ShownInvoice[]
  /** The place after which the next page begins; absent where there is none. */
  readonly next?: ScanPlace
}

/** A page of the invoices of a month, by the labels of accounts. It looks at 256 accounts at most, and may have fewer invoices. */
export async function pageOfInvoices(
  accounts: Pick<AccountStore, 'scan' | 'scanOrders'>,
  config: Config,
  { month, limit, after }: MonthQuery,
  read: ReadInvoice,
): Promise<InvoicesPage> {
  const { records, next } = await listAccounts(accounts, config, {
    order: 'label',
    limit: MOST_LOOKED,
    ...(after && { after }),
  })
  const invoices: ShownInvoice[] = []
  for (let at = 0; at < records.length && invoices.length < limit; at += AT_ONCE) {
    const looked = records.slice(at, at + AT_ONCE)
    invoices.push(...(await invoicesFor(looked, month, read)))
    if (invoices.length < limit) continue
    const shown = invoices.slice(0, limit)
    const last =
      invoices.length > limit ? records.find(({ account }) => account === shown.at(-1)?.account) : looked.at(-1)
    const isEnd = invoices.length === limit && at + AT_ONCE >= records.length
    const place = isEnd ? next : last && { rank: last.label, account: last.account }
    return { invoices: shown, ...(place && { next: place }) }
  }
  return { invoices, ...(next && { next }) }
}

/** All invoices of a month, in no order, as fast as they are taken. */
export async function* allInvoices(
  accounts: Pick<AccountStore, 'readAll'>,
  month: BillingMonth,
  read: ReadInvoice,
): AsyncGenerator<ShownInvoice, void, undefined> {
  for await (const some of batchesOf(accounts.readAll(), AT_ONCE)) yield* await invoicesFor(some, month, read)
}

/** Devices have no invoices, nor have accounts that were opened later or used nothing. */
async function invoicesFor(
  accounts: readonly AccountRecord[],
  { until }: BillingMonth,
  read: ReadInvoice,
): Promise<readonly ShownInvoice[]> {
  const billed = accounts.filter(({ kind, createdAt }) => kind !== 'guest' && createdAt < until)
  return (await Promise.all(billed.map(read))).filter(hasUsage)
}

const MOST_LOOKED = 256
/** Accounts whose invoices are read side by side. */
const AT_ONCE = 16
