import { KINDS, unitOf } from '../../policy/billing/charges.ts'
import type { Coverage } from '../../policy/billing/coverage.ts'
import { addCoverage } from '../../policy/billing/coverage.ts'
import type { InvoiceLine } from '../../policy/billing/invoice-lines.ts'
import type { InvoiceState } from '../../policy/billing/month.ts'
import { ROUNDINGS, type Rounding, rounded, roundedParts } from '../../policy/billing/rounding.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import { savedFields } from '../admin/usage-report.ts'
import { usdText } from '../money.ts'
import {
  described,
  fixed,
  flag,
  list,
  moment,
  optional,
  orNull,
  type RecordOf,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'

/** An integer to add up, the same as exact decimal text, and that rounded. */
export const INVOICE_AMOUNT = {
  cost_nano_usd: whole<NanoUsd>('An integer to add up.'),
  usd: text('The amount as exact decimal text.'),
  amount_usd: text('The amount, rounded.'),
}

export type Amount = RecordOf<typeof INVOICE_AMOUNT>

const AMOUNT = record(INVOICE_AMOUNT, 'InvoiceAmount')

const SUMS = {
  requests: whole(),
  input_tokens: whole(),
  output_tokens: whole(),
  cached_tokens: whole('Input tokens that backends read from their caches.'),
  cache_write_tokens: whole('Input tokens that backends wrote into their caches.'),
  ...INVOICE_AMOUNT,
  saved_nano_usd: optional(
    whole<NanoUsd>('How much more the cached tokens would have cost as other input; absent if nothing.'),
  ),
  saved_usd: optional(text('Those savings as exact decimal text.')),
}

export type InvoiceSums = RecordOf<typeof SUMS>

const ITEM = record(
  { name: text('A model, a day such as `2026-10-21`, or a value of a label.'), ...SUMS },
  'InvoiceItem',
)

export interface InvoiceItem extends TypeOf<typeof ITEM> {}

const BY_LABEL = record(
  {
    label: text('Such as `project`.'),
    values: list(ITEM, 'Its values, dearest first; `—` has the usage without one.'),
  },
  'InvoiceLabel',
  'The usage of the month by the values of a label, which add up to its total.',
)

export interface InvoiceLabel extends TypeOf<typeof BY_LABEL> {}

/** Who sends invoices. */
const SELLER = record(
  { name: text(), address: orNull(text()), tax_id: orNull(text()), contact: orNull(text()) },
  'Seller',
)

export interface ShownSeller extends TypeOf<typeof SELLER> {}

const INVOICE_STATES: readonly InvoiceState[] = ['running', 'closing', 'issued']

/** One kind of one model at one unit price. */
const LINE = record(
  {
    model: text(),
    kind: word<InvoiceLine['kind']>([...KINDS, 'other']),
    quantity: orNull(whole('Tokens or images. Null, like the unit price, if only the amount is known.')),
    unit_price_usd: orNull(text('Per million tokens, or per image.')),
    ...INVOICE_AMOUNT,
  },
  'InvoiceLine',
  'One kind of one model at one unit price.',
)

export interface ShownLine extends TypeOf<typeof LINE> {}

const COVERAGE = record(
  {
    allowance_usd: text(),
    credit_usd: text(),
    from_allowance_usd: text(),
    from_credit_usd: text(),
    overage_usd: text(),
  },
  'Coverage',
  'The last three add up to the amount of the invoice.',
)

/** The last three add up to the amount of the invoice. */
export interface ShownCoverage extends TypeOf<typeof COVERAGE> {}

const LATE = record(
  { month: text(), number: text('The invoice that was issued without it.'), ...INVOICE_AMOUNT },
  'LateUsage',
)

const TOOL = record({ name: text(), calls: whole(), ...INVOICE_AMOUNT }, 'InvoiceTool')

export interface InvoiceTool extends TypeOf<typeof TOOL> {}

/** The members that name an invoice's account and month. */
export const INVOICE_HEAD = {
  month: text('`2026-10`'),
  number: text('Derived from the month and account: it never changes.'),
  state: word(INVOICE_STATES),
  issued_at: orNull(moment('Null until it is issued. An issued invoice never changes.')),
}

/** The days that an invoice is for, if those are not all of its month by UTC. */
const INVOICE_PERIOD = {
  zone: optional(text('The time zone of its days, such as `Europe/Berlin`; absent if they are UTC.')),
  from: optional(
    text('The first of its days, such as `2026-10-26`; absent, as `to`, if the month has all of its calendar days.'),
  ),
  to: optional(text('The last of its days.')),
}

export type InvoicePeriod = Partial<RecordOf<typeof INVOICE_PERIOD>>

/**
 * The charges of an account for a month. Lines and tools add up to the total, and so do the days, both exactly (`usd`)
 * and as rounded (`amount_usd`); total and late usage add up to the amount.
 */
export const INVOICE = record(
  {
    object: fixed('invoice'),
    number: INVOICE_HEAD.number,
    state: INVOICE_HEAD.state,
    issued_at: INVOICE_HEAD.issued_at,
    final: flag('True once it is issued, and for a past month without usage.'),
    account: text(),
    label: text('The label of the account.'),
    gateway: text('`server.public_url` of the gateway.'),
    seller: orNull(described(SELLER, '`billing.seller`.')),
    round: word(ROUNDINGS, '`billing.round`.'),
    month: INVOICE_HEAD.month,
    ...INVOICE_PERIOD,
    plans: list(text()),
    lines: list(LINE),
    models: list(ITEM),
    tools: list(TOOL),
    days: list(ITEM),
    by_label: optional(
      list(
        BY_LABEL,
        'The usage by each label of the files; absent without labels, and on drafts of more than 200,000 requests.',
      ),
    ),
    total: record(SUMS, 'InvoiceSums', "Sums of this month's requests."),
    late: list(LATE, 'Usage of earlier months that was settled after their invoices were issued.'),
    amount: described(AMOUNT, 'Total and late usage.'),
    coverage: orNull(described(COVERAGE, 'How the amount is covered. Null if no request recorded an allotment.')),
    forecast: orNull(
      described(AMOUNT, 'Estimated cost of the running month; null for other months, and on its first day.'),
    ),
  },
  'Invoice',
  'The charges of an account for a month. Lines and tools add up to the total, and so do the days, both exactly (`usd`) and as rounded (`amount_usd`); total and late usage add up to the amount.',
)

export interface ShownInvoice extends TypeOf<typeof INVOICE> {}

type Stated = Pick<
  ShownInvoice,
  | 'number'
  | 'state'
  | 'issued_at'
  | 'account'
  | 'label'
  | 'gateway'
  | 'seller'
  | 'round'
  | 'month'
  | keyof typeof INVOICE_PERIOD
>

interface Sums extends CachedTokens {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
  readonly saved?: NanoUsd
}

export interface LateUsage {
  readonly month: string
  readonly number: string
  readonly cost: NanoUsd
  readonly coverage?: Coverage
}

interface Invoice {
  readonly lines: readonly InvoiceLine[]
  readonly models: readonly (Sums & { readonly name: string })[]
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly cost: NanoUsd }[]
  readonly days: readonly (Sums & { readonly name: string })[]
  readonly byLabel?: readonly {
    readonly label: string
    readonly values: readonly (Sums & { readonly name: string })[]
  }[]
  readonly total: Sums
  readonly plans: readonly string[]
  readonly late: readonly LateUsage[]
  readonly allotment?: { readonly allowance: NanoUsd; readonly credit: NanoUsd }
  readonly coverage?: Coverage
  readonly forecast?: NanoUsd
}

export function shownInvoice(stated: Stated, invoice: Invoice): ShownInvoice {
  const { round, state } = stated
  const { plans, lines, models, tools, days, byLabel, total, late, forecast } = invoice
  const charged = roundedParts(costsOf([...lines, ...tools]), round)
  const perDay = roundedParts(costsOf(days), round)
  const sums = [total, ...late]
  return {
    object: 'invoice',
    ...stated,
    final: state === 'issued',
    plans,
    lines: lines.map((line, at) => ({ ...shownLine(line), ...amountOf(line.cost, charged[at]) })),
    models: models.map(item => shownItem(item, amountOfModel(lines, charged, item.name))),
    tools: tools.map(({ name, calls, cost }, at) => ({ name, calls, ...amountOf(cost, charged[lines.length + at]) })),
    days: days.map((day, at) => shownItem(day, perDay[at])),
    ...(byLabel && { by_label: byLabel.map(({ label, values }) => ({ label, values: shownParts(values, round) })) }),
    total: { ...countsOf(total), ...amountOf(total.cost, rounded(total.cost, round)) },
    late: late.map(({ month, number, cost }) => ({ month, number, ...amountOf(cost, rounded(cost, round)) })),
    amount: amountOf(sumOf(costsOf(sums)), sumOf(costsOf(sums).map(cost => rounded(cost, round)))),
    coverage: coverageText(invoice, round),
    forecast: forecast === undefined ? null : amountOf(forecast, rounded(forecast, round)),
  }
}

const costsOf = (parts: readonly { readonly cost: NanoUsd }[]): readonly NanoUsd[] => parts.map(({ cost }) => cost)
const sumOf = (costs: readonly NanoUsd[]): NanoUsd => costs.reduce(addNanoUsd, ZERO_USD)

/** Sum of a model's lines as displayed. */
const amountOfModel = (lines: readonly InvoiceLine[], amounts: readonly NanoUsd[], model: string): NanoUsd =>
  sumOf(lines.flatMap((line, at) => (line.model === model ? [amounts[at] ?? ZERO_USD] : [])))

const shownLine = ({ model, kind, quantity, price }: InvoiceLine) =>
  kind === 'other' || kind === 'metered'
    ? { model, kind, quantity: null, unit_price_usd: null }
    : { model, kind, quantity, unit_price_usd: usdText(nanoUsd(unitOf(kind) === 1 ? price : price * 1000)) }

const shownItem = (item: Sums & { readonly name: string }, amount: NanoUsd | undefined): InvoiceItem => ({
  name: item.name,
  ...countsOf(item),
  ...amountOf(item.cost, amount),
})

/** Parts of the total, whose rounded amounts add up to the rounded total. */
function shownParts(parts: readonly (Sums & { readonly name: string })[], round: Rounding): readonly InvoiceItem[] {
  const amounts = roundedParts(costsOf(parts), round)
  return parts.map((part, at) => shownItem(part, amounts[at]))
}

/** Each month is rounded by itself, as its amount is, so that both agree. */
function coverageText({ allotment, coverage, late }: Invoice, round: Rounding): ShownCoverage | null {
  if (!allotment && late.every(each => !each.coverage)) return null
  const months = [coverage, ...late.map(each => each.coverage ?? asOverage(each.cost))]
  const { fromAllowance, fromCredit, overage } = months.reduce<Coverage>(
    (sum, each) => (each ? addCoverage(sum, roundedCoverage(each, round)) : sum),
    asOverage(ZERO_USD),
  )
  return {
    allowance_usd: usdText(allotment?.allowance ?? ZERO_USD),
    credit_usd: usdText(allotment?.credit ?? ZERO_USD),
    from_allowance_usd: usdText(fromAllowance),
    from_credit_usd: usdText(fromCredit),
    overage_usd: usdText(overage),
  }
}

const asOverage = (overage: NanoUsd): Coverage => ({ fromAllowance: ZERO_USD, fromCredit: ZERO_USD, overage })

function roundedCoverage(coverage: Coverage, round: Rounding): Coverage {
  const parts = roundedParts([coverage.fromAllowance, coverage.fromCredit, coverage.overage], round)
  const [fromAllowance = ZERO_USD, fromCredit = ZERO_USD, overage = ZERO_USD] = parts
  return { fromAllowance, fromCredit, overage }
}

const countsOf = (sums: Sums): Omit<InvoiceSums, keyof Amount> => ({
  requests: sums.requests,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cached_tokens: sums.cachedTokens ?? 0,
  cache_write_tokens: sums.cacheWriteTokens ?? 0,
  ...savedFields(sums.saved),
})

const amountOf = (cost: NanoUsd, amount: NanoUsd = cost): Amount => ({
  cost_nano_usd: cost,
  usd: usdText(cost),
  amount_usd: usdText(amount),
})
