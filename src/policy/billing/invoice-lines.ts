import { type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../nano-usd.ts'
import { apportion } from './apportion.ts'
import { type ChargeKind, exactCost, KINDS, readCharge } from './charges.ts'

/** One line of an invoice: what a model charged for one kind at one unit price. */
export interface InvoiceLine {
  readonly model: string
  /** `other` is what gateways charged before they recorded prices: an amount without a quantity or a unit price. */
  readonly kind: ChargeKind | 'other'
  readonly quantity: number
  /** For 1,000 tokens, or for each image. */
  readonly price: NanoUsd
  readonly cost: NanoUsd
}

/** Total charges of one model. */
export interface ChargedModel {
  readonly model: string
  readonly requests: number
  /** Without what hosted tools cost. */
  readonly cost: NanoUsd
  /** Quantities by the names of charges. */
  readonly charges: ReadonlyMap<string, number>
}

/**
 * The lines of a model, which add up to its cost. Each request is rounded up to a nano-USD; that rounding is spread over the lines
 * in proportion. Any cost beyond that was charged without a recorded price, and gets a line of its own.
 */
export function linesOf({ model, requests, cost, charges }: ChargedModel): readonly InvoiceLine[] {
  const priced = [...charges].flatMap(([name, quantity]) => {
    const unit = readCharge(name)
    return unit && quantity > 0 ? [{ ...unit, quantity, exact: exactCost(unit, quantity) }] : []
  })
  const exact = priced.reduce((sum, line) => sum + line.exact, 0n)
  const unpriced = unpricedOf(cost, exact, requests)
  const parts = apportion(
    subtractNanoUsd(cost, unpriced),
    priced.map(line => line.exact),
  )
  const lines = priced
    .map(({ exact: _exact, ...line }, at) => ({ model, ...line, cost: nanoUsd(parts[at] ?? 0) }))
    .sort((a, b) => placeOf(a.kind) - placeOf(b.kind) || a.price - b.price)
  if (unpriced === 0) return lines
  return [...lines, { model, kind: 'other', quantity: 0, price: ZERO_USD, cost: unpriced }]
}

/** The part of a cost that no charge explains. */
function unpricedOf(cost: NanoUsd, exact: bigint, requests: number): NanoUsd {
  if (exact === 0n) return cost
  const rest = BigInt(cost) * THOUSANDTHS - exact
  const isRounding = rest <= BigInt(requests) * ROWS_OF_A_REQUEST * THOUSANDTHS
  return isRounding ? ZERO_USD : nanoUsd(Number(rest / THOUSANDTHS))
}

/** One is settled, and one may correct it. Both are rounded. */
const ROWS_OF_A_REQUEST = 2n
const THOUSANDTHS = 1000n

const placeOf = (kind: ChargeKind): number => KINDS.indexOf(kind)
