import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import type { JsonObject } from '../json-safety.ts'
import { usdText } from '../money.ts'
import { count, list, object, text } from './record-fields.ts'

/** What an account is charged for a month. Models and tools together cost the total, and so do the days. */
export interface ShownInvoice {
  readonly object: 'invoice'
  readonly account: string
  /** How operators call the account. */
  readonly label: string
  /** `server.public_url` of the gateway. */
  readonly gateway: string
  /** `2026-10` */
  readonly month: string
  /** Whether the month is over. */
  readonly final: boolean
  readonly plans: readonly string[]
  readonly models: readonly InvoiceItem[]
  readonly tools: readonly InvoiceTool[]
  readonly days: readonly InvoiceItem[]
  readonly total: InvoiceSums
}

export interface InvoiceSums {
  readonly requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** Of the input, what backends read from their caches, and what they wrote into them. */
  readonly cached_tokens: number
  readonly cache_write_tokens: number
  /** The same amount twice: an integer to add up, and exact decimal text to read. */
  readonly cost_nano_usd: NanoUsd
  readonly usd: string
}

export interface InvoiceItem extends InvoiceSums {
  /** A model, or a UTC day such as `2026-10-21`. */
  readonly name: string
}

export interface InvoiceTool extends Pick<InvoiceSums, 'cost_nano_usd' | 'usd'> {
  readonly name: string
  readonly calls: number
}

type Whose = Pick<ShownInvoice, 'account' | 'label' | 'gateway' | 'month' | 'final'>

interface Sums extends CachedTokens {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

interface Invoice {
  readonly models: readonly (Sums & { readonly name: string })[]
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly cost: NanoUsd }[]
  readonly days: readonly (Sums & { readonly name: string })[]
  readonly total: Sums
  readonly plans: readonly string[]
}

export const shownInvoice = (whose: Whose, { plans, models, tools, days, total }: Invoice): ShownInvoice => ({
  object: 'invoice',
  ...whose,
  plans,
  models: models.map(item => ({ name: item.name, ...shownSums(item) })),
  tools: tools.map(({ name, calls, cost }) => ({ name, calls, ...amount(cost) })),
  days: days.map(item => ({ name: item.name, ...shownSums(item) })),
  total: shownSums(total),
})

const shownSums = (sums: Sums): InvoiceSums => ({
  requests: sums.requests,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cached_tokens: sums.cachedTokens ?? 0,
  cache_write_tokens: sums.cacheWriteTokens ?? 0,
  ...amount(sums.cost),
})

const amount = (cost: NanoUsd) => ({ cost_nano_usd: cost, usd: usdText(cost) })

/** Reads an invoice that a gateway sent. Throws TypeError when it is none. */
export function readInvoice(value: unknown): ShownInvoice {
  const record = object(value, 'invoice')
  return {
    object: 'invoice',
    account: text(record, 'account'),
    label: text(record, 'label'),
    gateway: text(record, 'gateway'),
    month: text(record, 'month'),
    final: record.final === true,
    plans: list(record.plans, 'plans').map(String),
    models: list(record.models, 'models').map(readItem),
    tools: list(record.tools, 'tools').map(readTool),
    days: list(record.days, 'days').map(readItem),
    total: readSums(object(record.total, 'total')),
  }
}

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

const readAmount = (record: JsonObject) => ({
  cost_nano_usd: nanoUsd(count(record, 'cost_nano_usd')),
  usd: text(record, 'usd'),
})
