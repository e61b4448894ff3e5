import { isObject } from '../json.ts'
import { kinds, symbolsOf, type Unit, unitOf } from './units.ts'

/** An amount in the unit that was asked for, and the whole as a sentence. */
export interface Converted {
  readonly amount: number
  readonly unit: string
  readonly text: string
}

/** Why there is none, with what is known. */
export interface Refused {
  readonly error: string
}

/** Converts `{amount, from, to}`; anything else in its place is refused. */
export function convert(body: unknown): Converted | Refused {
  const { amount, from, to } = isObject(body) ? body : {}
  if (typeof amount !== 'number' || typeof from !== 'string' || typeof to !== 'string') {
    return { error: 'the body must be {"amount": number, "from": "unit", "to": "unit"}' }
  }
  const source = unitOf(from)
  const target = unitOf(to)
  if (!source) return unknown(from)
  if (!target) return unknown(to)
  if (source.kind !== target.kind) return incompatible(source, target)
  const absolute = rounded(((amount - source.nothing) * source.factor) / target.factor)
  const value = rounded(absolute + target.nothing)
  if (!Number.isFinite(value)) return { error: `${amount} ${source.symbol} is more than can be calculated` }
  const text = `${amount} ${source.symbol} = ${value} ${target.symbol}`
  return { amount: value, unit: target.symbol, text }
}

/** Without what binary fractions add to it. */
const rounded = (value: number): number => Number(value.toPrecision(12))

function unknown(name: string): Refused {
  const known = kinds.map(kind => `${kind} (${symbolsOf(kind)})`).join('; ')
  return { error: `the unit ${JSON.stringify(name.slice(0, 60))} is not known; known are ${known}` }
}

const incompatible = (from: Unit, to: Unit): Refused => ({
  error: `${from.symbol} is a unit of ${from.kind} and ${to.symbol} one of ${to.kind}: ${from.symbol} converts to ${symbolsOf(from.kind)}`,
})
