import type { EpochMs } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'

/** An issued invoice, which never changes: later settlements and configurations do not affect it. */
export interface IssuedInvoice {
  readonly account: string
  /** `2026-10` */
  readonly month: string
  readonly issuedAt: EpochMs
  /** The usage of its month that it has, exact. */
  readonly used: NanoUsd
  /** The usage of earlier months that it has, because it was settled after their invoices were issued. */
  readonly late: Readonly<Record<string, NanoUsd>>
  readonly invoice: ShownInvoice
}
