import { exactCost, unitOf } from '../../policy/billing/charges.ts'
import type { InvoiceLine } from '../../policy/billing/invoice-lines.ts'
import type { BillingMonth } from '../../policy/billing/month.ts'
import type { RowCharges } from '../../policy/billing/row-charges.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import { usdText } from '../money.ts'

/** One charge of a request, as a row of FOCUS has it. Amounts and quantities are exact decimal texts. */
export interface FocusLine {
  readonly row: LedgerRow & { readonly label?: string }
  readonly month: BillingMonth
  readonly provider: string
  readonly service: 'Inference' | 'Hosted Tools'
  /** The model, or the hosted tool. */
  readonly resource: { readonly type: 'Model' | 'Tool'; readonly name: string }
  readonly sku: Sku
  readonly cost: NanoUsd
  readonly quantities: Quantities
}

/** The unit of sale that was charged for, and its price. */
interface Sku {
  readonly id: string
  readonly priceId: string
  readonly meter: string
  readonly isListed: boolean
}

/** Consumed, priced, and what the list price of the priced quantity comes to. */
interface Quantities {
  readonly consumed: string
  readonly consumedUnit: string
  readonly priced: string
  readonly pricedUnit: string
  readonly unitPrice: string
  readonly listCost: string
}

type Described = Pick<FocusLine, 'service' | 'resource' | 'sku' | 'cost' | 'quantities'>

/** Meters by kind of charge. Those of tokens are read back by `svcctl reconcile`. */
const METERS: Readonly<Record<InvoiceLine['kind'], string>> = {
  input: 'Input Tokens',
  cached: 'Cached Input Tokens',
  cache_write: 'Cache Write Tokens',
  cache_write_1h: 'Cache Write Tokens, 1 Hour',
  output: 'Output Tokens',
  image: 'Images',
  metered: 'Metered Usage',
  other: 'Usage',
}

/** Describes what a model charged of one kind at one unit price. */
export function modelLine(line: InvoiceLine): Described {
  const { model, kind, price, cost } = line
  const isPriced = kind !== 'other' && kind !== 'metered'
  const id = `${model}/${kind}`
  return {
    ...{ service: 'Inference', resource: { type: 'Model', name: model }, cost },
    sku: { id, priceId: isPriced ? `${id}@${price}` : id, meter: METERS[kind], isListed: isPriced },
    quantities: isPriced ? pricedQuantities({ ...line, kind }) : requestsOf(1, cost),
  }
}

/** Describes what calls of a hosted tool charged. */
export function toolLine({ name, calls, cost }: RowCharges['tools'][number]): Described {
  const id = `tool:${name}`
  return {
    ...{ service: 'Hosted Tools', resource: { type: 'Tool', name }, cost },
    sku: { id, priceId: id, meter: 'Tool Calls', isListed: true },
    quantities: requestsOf(calls, cost),
  }
}

type PricedLine = InvoiceLine & { readonly kind: Exclude<InvoiceLine['kind'], 'other' | 'metered'> }

/** Tokens are priced per million, as on invoices, and images each. */
function pricedQuantities({ kind, quantity, price }: PricedLine): Quantities {
  const listCost = decimalText(exactCost({ kind, price }, quantity), NANO_DECIMALS + THOUSANDTHS_DECIMALS)
  if (unitOf(kind) === 1) {
    const units = { consumed: String(quantity), consumedUnit: 'Images', priced: String(quantity), pricedUnit: 'Images' }
    return { ...units, unitPrice: usdText(price), listCost }
  }
  return {
    ...{ consumed: String(quantity), consumedUnit: 'Tokens' },
    ...{ priced: decimalText(BigInt(quantity), MILLION_DECIMALS), pricedUnit: '1000000 Tokens' },
    ...{ unitPrice: usdText(nanoUsd(price * 1000)), listCost },
  }
}

/** A price for each request where that is a whole number of nano-USD, else for all of them. A correction may take some back. */
function requestsOf(count: number, cost: NanoUsd): Quantities {
  const units = { consumedUnit: 'Requests', pricedUnit: 'Requests', listCost: usdText(cost) }
  const sign = cost < 0 ? -1 : 1
  const isEach = count * sign > 0 && cost % count === 0
  const requests = isEach ? count : sign
  return {
    ...{ ...units, consumed: String(requests), priced: String(requests) },
    unitPrice: usdText(nanoUsd(cost / requests)),
  }
}

/** `decimalText(1500n, 3)` is `1.5`: exact, without an exponent. */
function decimalText(value: bigint, decimals: number): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${fraction && `.${fraction}`}`
}

const NANO_DECIMALS = 9
const THOUSANDTHS_DECIMALS = 3
const MILLION_DECIMALS = 6
