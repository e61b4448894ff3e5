import type { Price } from '../config.ts'
import { type NanoUsd, nanoUsd } from '../nano-usd.ts'
import { type PaidTokens, partsOf } from '../price.ts'

/**
 * The charges of a request: quantities by kind and unit price. `input@500` counts tokens at 500 nano-USD for 1,000 of them,
 * `image@40000000` counts images. No hosted tool has such a name.
 */
export type Charges = Readonly<Record<string, number>>

/** The kinds of charges. Tokens have a price for 1,000, images one for each; `metered` counts nano-USD of time, traffic or calls. */
export type ChargeKind = (typeof TOKEN_KINDS)[number] | 'image' | 'metered'

const TOKEN_KINDS = ['input', 'cached', 'cache_write', 'cache_write_1h', 'output'] as const

/** A kind of charge at one unit price. */
interface UnitPrice {
  readonly kind: ChargeKind
  readonly price: NanoUsd
}

/** Charged items besides tokens: images, or a pass-through route's measure. */
export interface ChargedItems {
  readonly kind: 'image' | 'metered'
  readonly count: number
}

/** The charges of tokens and items at a price, without those of which there are none. */
export function chargesOf(price: Price, tokens: PaidTokens, items?: ChargedItems): Record<string, number> {
  const { input, output, item = 0, cachedInput = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price
  const { fresh, cached, written, kept } = partsOf(tokens)
  const charges: Record<string, number> = {}
  const add = (kind: ChargeKind, unit: number, count: number) => {
    if (count === 0 || (items && unit === 0)) return
    const name = nameOf(kind, unit)
    charges[name] = (charges[name] ?? 0) + count
  }
  add('input', input, fresh)
  // A model without prices of a cache charges its tokens as other input.
  add(price.cachedInput === undefined ? 'input' : 'cached', cachedInput, cached)
  add(price.cacheWrite === undefined ? 'input' : 'cache_write', cacheWrite, written - kept)
  add(price.cacheWrite1h === undefined ? 'cache_write' : 'cache_write_1h', cacheWrite1h, kept)
  add('output', output, tokens.outputTokens)
  if (items) add(items.kind, item, items.count)
  return charges
}

/**
 * Every request needs the same few names. A text that is made anew has to be hashed and looked up to be the name of a member,
 * which costs more than all else that a settlement does about charges.
 */
const NAMES = new Map<string, Map<number, string>>()
const MOST_AMOUNTS = 1000

function nameOf(kind: string, amount: number): string {
  const known = NAMES.get(kind)?.get(amount)
  if (known !== undefined) return known
  const names = NAMES.get(kind) ?? new Map<number, string>()
  if (names.size >= MOST_AMOUNTS) names.clear()
  const name = `${kind}@${amount}`
  NAMES.set(kind, names.set(amount, name))
  return name
}

/** The quantities of `a` less those of `b`; below 0 of what only `b` has. */
export function chargesWithout(a: Charges, b: Charges): Charges {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries(Array.from(names, name => [name, (a[name] ?? 0) - (b[name] ?? 0)]))
}

/** Whether a name that is counted beside hosted tools is a charge or an allotment. */
export const isCharge = (name: string): boolean => name.includes('@')

/** The kind and unit price that a charge is named by. Undefined for the name of a hosted tool. */
export function readCharge(name: string): UnitPrice | undefined {
  const [, kind = '', price = ''] = /^([a-z0-9_]+)@(\d+)$/.exec(name) ?? []
  const known = KINDS.find(each => each === kind)
  return known && { kind: known, price: nanoUsd(Number(price)) }
}

export const KINDS: readonly ChargeKind[] = [...TOKEN_KINDS, 'image', 'metered']

const isTokens = (kind: ChargeKind): boolean => TOKEN_KINDS.some(each => each === kind)

/** How many there are for one unit price. */
export const unitOf = (kind: ChargeKind): 1 | 1000 => (isTokens(kind) ? 1000 : 1)

/** The exact cost of a quantity, in thousandths of a nano-USD. */
export const exactCost = ({ kind, price }: UnitPrice, quantity: number): bigint =>
  (BigInt(quantity) * BigInt(price) * 1000n) / BigInt(unitOf(kind))

/**
 * Adds an account's funds for the month when a request was admitted, in the same form: the allowance of its plan, and the
 * credit beside it. The plan may change later, and an invoice may not.
 */
export function addAllotment(charges: Record<string, number>, allowance: NanoUsd, credit: NanoUsd): Charges {
  charges[nameOf('allowance', allowance)] = 1
  if (credit > 0) charges[nameOf('credit', credit)] = 1
  return charges
}

/** An allowance or a credit that a request was admitted under. */
interface Allotted {
  readonly of: 'allowance' | 'credit'
  readonly amount: NanoUsd
}

export function readAllotted(name: string): Allotted | undefined {
  const [, of, amount = ''] = /^(allowance|credit)@(\d+)$/.exec(name) ?? []
  return of === 'allowance' || of === 'credit' ? { of, amount: nanoUsd(Number(amount)) } : undefined
}
