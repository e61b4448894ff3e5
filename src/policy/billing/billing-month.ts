import type { EpochMs, Millis } from '../config.ts'

/** A UTC month: `2026-10`, its first moment, and that of the month after it. */
export interface BillingMonth {
  readonly month: string
  readonly since: EpochMs
  readonly until: EpochMs
}

/** After a month, how long its last requests have to be settled before its invoice is issued. */
export const CLOSES_AFTER: Millis = 86_400_000

/** `running` until the month is over, `closing` for a day, then `issued`. */
export type InvoiceState = 'running' | 'closing' | 'issued'

export function stateOf({ until }: BillingMonth, now: EpochMs): InvoiceState {
  if (now < until) return 'running'
  return now < until + CLOSES_AFTER ? 'closing' : 'issued'
}

export function monthAt(at: EpochMs): BillingMonth {
  const date = new Date(at)
  return monthOf(date.getUTCFullYear(), date.getUTCMonth())
}

/** This many months before another one. */
export function monthBefore({ since }: BillingMonth, months = 1): BillingMonth {
  const date = new Date(since)
  return monthOf(date.getUTCFullYear(), date.getUTCMonth() - months)
}

function monthOf(year: number, month: number): BillingMonth {
  const [since, until] = [Date.UTC(year, month), Date.UTC(year, month + 1)]
  return { month: new Date(since).toISOString().slice(0, 7), since, until }
}

/** The number of an invoice: `INV-2026-10-9G7wJY0iLwq9uFOir78m`. One month of one account has one. */
export const invoiceNumber = (account: string, month: string): string =>
  `INV-${month}-${account.slice(account.indexOf('_') + 1)}`
