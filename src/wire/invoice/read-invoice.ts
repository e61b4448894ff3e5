import { KINDS } from '../../policy/billing/charges.ts'
import { ROUNDINGS } from '../../policy/billing/rounding.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { count, list, object, oneOf, orNull, text } from '../admin/record-fields.ts'
import type { JsonObject } from '../json-safety.ts'
import type {
  Amount,
  InvoiceItem,
  InvoiceSums,
  InvoiceTool,
  ShownCoverage,
  ShownInvoice,
  ShownLate,
  ShownLine,
  ShownSeller,
} from './shown-invoice.ts'
import type { InvoiceSummary, ShownInvoices } from './shown-invoices.ts'

/** Reads an invoice that a gateway sent. Throws TypeError when it is none. */
export function readInvoice(value: unknown): ShownInvoice {
  const record = object(value, 'invoice')
  return {
    object: 'invoice',
    number: text(record, 'number'),
    state: oneOf(STATES, record, 'state'),
    issued_at: orNull(text, record, 'issued_at'),
    final: record.final === true,
    account: text(record, 'account'),
    label: text(record, 'label'),
    gateway: text(record, 'gateway'),
    seller: record.seller === null ? null : readSeller(object(record.seller, 'seller')),
    round: oneOf(ROUNDINGS, record, 'round'),
    month: text(record, 'month'),
    plans: list(record.plans, 'plans').map(String),
    lines: list(record.lines, 'lines').map(readLine),
    models: list(record.models, 'models').map(readItem),
    tools: list(record.tools, 'tools').map(readTool),
    days: list(record.days, 'days').map(readItem),
    total: readSums(object(record.total, 'total')),
    late: list(record.late, 'late').map(readLate),
    amount: readAmount(object(record.amount, 'amount')),
    coverage: record.coverage === null ? null : readCoverage(object(record.coverage, 'coverage')),
    forecast: record.forecast === null ? null : readAmount(object(record.forecast, 'forecast')),
  }
}

/** Reads the list of invoices that a gateway sent. Throws TypeError when it is none. */
export function readInvoices(value: unknown): ShownInvoices {
  const record = object(value, 'list of invoices')
  return {
    object: 'list',
    account: text(record, 'account'),
    label: text(record, 'label'),
    data: list(record.data, 'list of invoices').map(readSummary),
  }
}

function readSummary(value: unknown): InvoiceSummary {
  const record = object(value, 'invoice')
  return {
    month: text(record, 'month'),
    number: text(record, 'number'),
    state: oneOf(STATES, record, 'state'),
    issued_at: orNull(text, record, 'issued_at'),
    requests: count(record, 'requests'),
    ...readAmount(record),
  }
}

const STATES = ['running', 'closing', 'issued'] as const
const LINE_KINDS = [...KINDS, 'other'] as const

const readSeller = (record: JsonObject): ShownSeller => ({
  name: text(record, 'name'),
  address: orNull(text, record, 'address'),
  tax_id: orNull(text, record, 'tax_id'),
  contact: orNull(text, record, 'contact'),
})

function readLine(value: unknown): ShownLine {
  const record = object(value, 'line')
  return {
    model: text(record, 'model'),
    kind: oneOf(LINE_KINDS, record, 'kind'),
    quantity: orNull(count, record, 'quantity'),
    unit_price_usd: orNull(text, record, 'unit_price_usd'),
    ...readAmount(record),
  }
}

function readLate(value: unknown): ShownLate {
  const record = object(value, 'late usage')
  return { month: text(record, 'month'), number: text(record, 'number'), ...readAmount(record) }
}

const readCoverage = (record: JsonObject): ShownCoverage => ({
  allowance_usd: text(record, 'allowance_usd'),
  credit_usd: text(record, 'credit_usd'),
  from_allowance_usd: text(record, 'from_allowance_usd'),
  from_credit_usd: text(record, 'from_credit_usd'),
  overage_usd: text(record, 'overage_usd'),
})

function readItem(value: unknown): InvoiceItem {
  const record = object(value, 'item')
  return { name: text(record, 'name'), ...readSums(record) }
}

function readTool(value: unknown): InvoiceTool {
  const record = object(value, 'tool')
  return { name: text(record, 'name'), calls: count(record, 'calls'), ...readAmount(record) }
}

const readSums = (record: JsonObject): InvoiceSums => ({
  requests: count(record, 'requests'),
  input_tokens: count(record, 'input_tokens'),
  output_tokens: count(record, 'output_tokens'),
  cached_tokens: count(record, 'cached_tokens'),
  cache_write_tokens: count(record, 'cache_write_tokens'),
  ...readAmount(record),
})

const readAmount = (record: JsonObject): Amount => ({
  cost_nano_usd: nanoUsd(count(record, 'cost_nano_usd')),
  usd: text(record, 'usd'),
  amount_usd: text(record, 'amount_usd'),
})
