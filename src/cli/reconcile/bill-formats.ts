import type { TokenKind } from '../../policy/billing/bill/bill.ts'
import type { ProviderName } from '../../policy/providers/profile.ts'

/** A line of an export, before its model is found among the pools. */
export interface ExportLine {
  readonly day: string
  /** As the bill calls it; empty for charges without one. */
  readonly model: string
  readonly kind?: TokenKind
  readonly tokens?: number
  /** Nano-USD. */
  readonly amount: bigint
  /** The project, workspace or account that the provider charges. */
  readonly project: string
}

/** The cells of a line by the names of their columns; an empty text for a column that the file lacks. */
export type CellOf = (column: string) => string

/** Says why a line cannot be read. */
export class BadLine extends Error {
  override readonly name = 'BadLine'
}

/** An export of a provider as CSV. */
export interface CsvFormat {
  readonly name: string
  /** Columns that the header must have, in `snake_case`. Others may be there. */
  readonly columns: readonly string[]
  /** Undefined for lines that are no usage of models: of other services, or empty. */
  readonly read: (cell: CellOf) => ExportLine | undefined
  /** The providers whose pools the export bills, unless the operator names pools; absent: all pools with a cost. */
  readonly of?: readonly ProviderName[]
}

export const CSV_FORMATS: readonly CsvFormat[] = [
  {
    name: 'OpenAI costs',
    columns: ['start_time', 'amount_value', 'amount_currency', 'line_item'],
    of: ['openai'],
    read: cell => {
      if (cell('amount_value') === '') return undefined
      refuseOtherCurrency(cell('amount_currency'))
      const unit = cell('quantity_unit') || 'tokens'
      return openAiLine({
        period: periodOf(cell('start_time'), cell('end_time')),
        lineItem: cell('line_item'),
        amount: amountOf(cell('amount_value'), USD),
        tokens: tokensOf(cell('quantity'), unit),
        project: cell('project_id'),
      })
    },
  },
  {
    name: 'Anthropic costs',
    columns: ['usage_date_utc', 'model', 'token_type', 'cost_usd'],
    of: ['anthropic'],
    read: cell =>
      usage({
        period: periodOf(cell('usage_date_utc'), ''),
        model: cell('model'),
        meter: /token/.test(cell('cost_type') || 'token') ? cell('token_type') : '',
        amount: amountOf(cell('cost_usd'), USD),
        project: cell('workspace'),
      }),
  },
  {
    name: 'AWS cost and usage report',
    columns: ['line_item_usage_start_date', 'line_item_usage_type', 'line_item_unblended_cost'],
    of: ['bedrock'],
    read: readCur,
  },
  {
    name: 'FOCUS',
    columns: ['charge_period_start', 'billed_cost', 'billing_currency', 'charge_category'],
    read: readFocus,
  },
]

/** A model and its tokens in a usage type: `USE1-Claude4.6Sonnet-cache-read-input-token-count`. */
const USAGE_TYPE = /^(?:[A-Z]{2,4}\d-)?(?<model>.+?)-(?:mantle-)?(?<meter>(?:input|output|cache)-.*token.*)$/

function readCur(cell: CellOf): ExportLine | undefined {
  const { model = '', meter = '' } = USAGE_TYPE.exec(cell('line_item_usage_type'))?.groups ?? {}
  if (meter === '' && !/bedrock/i.test(cell('line_item_product_code'))) return undefined
  refuseOtherCurrency(cell('line_item_currency_code') || 'USD')
  const isUsage = /^(?:|Usage|DiscountedUsage)$/.test(cell('line_item_line_item_type'))
  return usage({
    period: periodOf(cell('line_item_usage_start_date'), cell('line_item_usage_end_date')),
    model,
    meter: isUsage ? meter : '',
    amount: amountOf(cell('line_item_unblended_cost'), USD),
    tokens: tokensOf(cell('line_item_usage_amount'), cell('pricing_unit')),
    project: cell('line_item_usage_account_id'),
  })
}

function readFocus(cell: CellOf): ExportLine | undefined {
  const meter = [cell('sku_meter'), cell('charge_description'), cell('sku_id')].find(text => kindOf(text)) ?? ''
  const unit = cell('consumed_unit') || cell('pricing_unit')
  const isOfModels = /token/i.test(unit) || /\bAI\b|machine learning/i.test(cell('service_category'))
  if (!isOfModels) return undefined
  refuseOtherCurrency(cell('billing_currency'))
  return usage({
    period: periodOf(cell('charge_period_start'), cell('charge_period_end')),
    model: cell('x_model') || cell('resource_name') || cell('resource_id') || cell('sku_id'),
    meter: /^usage$/i.test(cell('charge_category')) ? meter : '',
    amount: amountOf(cell('billed_cost'), USD),
    tokens: tokensOf(cell('consumed_quantity') || cell('pricing_quantity'), unit),
    project: cell('sub_account_id'),
  })
}

/** A line item of OpenAI: `gpt-4o-2024-08-06, cached input`. */
export function openAiLine(line: {
  readonly period: Period
  readonly lineItem: string
  readonly amount: bigint
  readonly tokens?: number | undefined
  readonly project: string
}): ExportLine {
  const { period, lineItem, amount, tokens, project } = line
  if (lineItem === '')
    throw new BadLine(
      'the export is not split by line item; export it again, grouped by line item (`group_by=line_item`)',
    )
  const comma = lineItem.lastIndexOf(',')
  const [model, meter] = comma < 0 ? ['', ''] : [lineItem.slice(0, comma).trim(), lineItem.slice(comma + 1)]
  return usage({ period, model, meter, amount, tokens, project })
}

/** A charge for tokens where its meter names a kind of them; credits and all others are charges without tokens. */
export function usage(line: {
  readonly period: Period
  readonly model: string
  readonly meter: string
  readonly amount: bigint
  readonly tokens?: number | undefined
  readonly project: string
}): ExportLine {
  const { period, model, meter, amount, tokens, project } = line
  const day = dayOf(period)
  const kind = kindOf(meter)
  if (kind === undefined || model === '' || amount < 0n) return { day, model: '', amount, project }
  if (period.end - period.start > 26 * HOUR) throw new BadLine('the line covers several days; export the bill by day')
  return { day, model, kind, ...(tokens !== undefined && { tokens }), amount, project }
}

/** The kind of tokens that a name of a meter means, as different as providers write them; undefined for anything else. */
export function kindOf(meter: string): TokenKind | undefined {
  const words = meter.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ')
  if (/\boutput\b|\bcompletion/.test(words)) return 'output'
  if (/\bno cache\b|\buncached\b/.test(words)) return 'input'
  if (/\bcache/.test(words)) {
    if (!/write|creation/.test(words)) return 'cached'
    return /\b1h\b|\bhour/.test(words) ? 'cache_write_1h' : 'cache_write'
  }
  return /\binput\b|\bprompt\b/.test(words) ? 'input' : undefined
}

/** Decimals of a nano-USD in a dollar, and in a cent. */
export const USD = 9
export const CENTS = 7

/** A decimal amount as nano-USD, to the nearest one. Throws BadLine. */
export function amountOf(text: string, decimals: number): bigint {
  const [, sign = '', whole, fraction = '', exponent = '0'] =
    /^(-?)(\d{1,15})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?$/i.exec(text.trim()) ?? []
  if (whole === undefined) throw new BadLine(`\`${text.slice(0, 40)}\` is not an amount`)
  const shift = decimals + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : halfUp(digits, 10n ** BigInt(-shift))
  return sign === '-' ? -value : value
}

const halfUp = (digits: bigint, divisor: bigint): bigint => (digits + divisor / 2n) / divisor

/** A number of units such as `1K tokens`; undefined where there is none, or the unit is no number of tokens. */
function tokensOf(quantity: string, unit: string): number | undefined {
  const { count = '1', size = '' } = /^(?<count>[\d,]+)?\s*(?<size>[km]?)\s*tokens?$/i.exec(unit.trim())?.groups ?? {}
  if (quantity === '' || !/tokens?$/i.test(unit.trim())) return undefined
  const each = Number(count.replaceAll(',', '')) * { '': 1, k: 1e3, m: 1e6 }[size.toLowerCase() as '' | 'k' | 'm']
  // As exact as amounts: a quantity of millions has up to six decimals.
  const tokens = Number(halfUp(amountOf(quantity, USD) * BigInt(each), 1_000_000_000n))
  if (!Number.isSafeInteger(tokens)) throw new BadLine(`\`${quantity.slice(0, 40)}\` is not a number of tokens`)
  return tokens
}

export function refuseOtherCurrency(currency: string): void {
  if (currency.toUpperCase() !== 'USD')
    throw new BadLine(`the bill is in \`${currency.slice(0, 20)}\`; prices of the configuration are US dollars`)
}

/** A moment in seconds since the epoch, or as ISO 8601, UTC where it has no zone. Throws BadLine. */
function moment(text: string): number {
  const trimmed = text.trim()
  const isSeconds = /^\d{9,11}$/.test(trimmed)
  const isIso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(trimmed)
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(trimmed.slice(10)) || trimmed.length === 10 ? trimmed : `${trimmed}Z`
  const at = isSeconds ? Number(trimmed) * 1000 : isIso ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(at)) throw new BadLine(`\`${text.slice(0, 40)}\` is not a date`)
  return at
}

const HOUR = 3_600_000

/** The time that a line covers, in milliseconds since the epoch; a moment where the export has no ends. */
export interface Period {
  readonly start: number
  readonly end: number
}

export function periodOf(start: string, end: string): Period {
  const from = moment(start)
  return { start: from, end: end === '' ? from : moment(end) }
}

/** The day of the bill: for a line of a day that of its noon, since days of other zones do not begin at midnight UTC. */
const dayOf = ({ start, end }: Period): string =>
  new Date(end - start >= 20 * HOUR ? start + 12 * HOUR : start).toISOString().slice(0, 10)
