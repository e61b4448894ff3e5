import type { Millis } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { isRefusal, type Refusal } from './scalar.ts'

/** The `x-unit` of a field in the schema; min and max in the unit that is kept. */
export interface Unit {
  readonly kind: 'count' | 'duration' | 'size' | 'usd' | 'price' | 'share' | 'percent' | 'factor'
  readonly min: number
  readonly max: number
}

interface Form {
  /** The noun for the value in a message. */
  readonly noun: string
  /** The power of ten, or factor, of each suffix. */
  readonly suffixes: Readonly<Record<string, { readonly shift: number; readonly times?: bigint }>>
  readonly hint: string
}

const DOLLARS = { noun: 'an amount of US dollars', hint: 'write plain dollars, such as 0.50' }

const FORMS: Readonly<Record<Unit['kind'], Form>> = {
  count: {
    noun: 'a number',
    suffixes: { '': { shift: 0 }, k: { shift: 3 }, M: { shift: 6 } },
    hint: 'write 40000, 40k or 2M',
  },
  duration: {
    noun: 'a duration',
    suffixes: {
      ms: { shift: 0 },
      s: { shift: 3 },
      m: { shift: 3, times: 60n },
      h: { shift: 3, times: 3600n },
      d: { shift: 3, times: 86_400n },
    },
    hint: 'write 500ms, 30s, 5m, 1h or 90d',
  },
  size: {
    noun: 'a size',
    suffixes: { '': { shift: 0 }, B: { shift: 0 }, KB: { shift: 3 }, MB: { shift: 6 }, GB: { shift: 9 } },
    hint: 'write 512KB, 10MB or a number of bytes',
  },
  // Nano-USD.
  usd: { ...DOLLARS, suffixes: { '': { shift: 9 } } },
  // Nano-USD for 1,000 tokens, written in USD for 1,000,000.
  price: { ...DOLLARS, suffixes: { '': { shift: 6 } } },
  // Millionths.
  share: { noun: 'a share', suffixes: { '': { shift: 6 } }, hint: 'write a number from 0 to 1, such as 0.1' },
  // Millionths.
  percent: { noun: 'a percentage', suffixes: { '%': { shift: 4 } }, hint: 'write 5%' },
  // Millionths.
  factor: { noun: 'a factor', suffixes: { x: { shift: 6 } }, hint: 'write 1.5x' },
}

/** Reads what an operator wrote into an exact integer: milliseconds, bytes, nano-USD. */
export function readUnit({ kind, min, max }: Unit, written: string | number): number | Refusal {
  const { noun, suffixes, hint } = FORMS[kind]
  const text = String(written)
  const { digits = '', suffix = '' } = /^(?<digits>[\d.eE+-]*\d)(?<suffix>[A-Za-z]*|%)$/.exec(text)?.groups ?? {}
  const form = suffixes[suffix]
  if (!form || !DECIMAL.test(digits))
    return { rule: 'not-a-number', says: `is not ${noun}`, hint: better(text, kind) ?? hint }
  const value = scaled(digits, form.shift, form.times)
  if (value === undefined) return tooFine(kind, form.shift)
  if (value < min || value > max) return outOfRange(kind, min, max)
  return value
}

/** Reads a value that the schema has accepted. */
export function unitOf(unit: 'usd' | 'price', written: string | number): NanoUsd
export function unitOf(unit: Unit['kind'], written: string | number): number
export function unitOf(unit: Unit['kind'], written: string | number): number {
  const value = readUnit({ kind: unit, min: 0, max: Number.MAX_SAFE_INTEGER }, written)
  if (isRefusal(value)) throw new Error(`${unit} ${value.says}; the schema should have refused it`)
  return value
}

const DECIMAL = /^-?\d{1,30}(?:\.\d{0,30})?(?:e[+-]?\d{1,3})?$/i

/** A decimal × 10^shift × times as an exact integer; undefined when that is not a whole number. */
function scaled(decimal: string, shift: number, times = 1n): number | undefined {
  const [mantissa = '', exponent = '0'] = decimal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = shift + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction) * times
  if (power >= 0) return Number(digits * 10n ** BigInt(power))
  const divisor = 10n ** BigInt(-power)
  return digits % divisor === 0n ? Number(digits / divisor) : undefined
}

function tooFine(kind: Unit['kind'], shift: number): Refusal {
  if (kind !== 'count' && kind !== 'duration' && kind !== 'size') {
    return { rule: 'too-precise', says: `has more than ${shift} decimals`, hint: `round it to ${shift} decimals` }
  }
  return { rule: 'not-a-number', says: 'is not a whole number', hint: FORMS[kind].hint }
}

function outOfRange(kind: Unit['kind'], min: number, max: number): Refusal {
  const unit = {
    count: '',
    duration: '',
    size: ' bytes',
    usd: ' USD',
    price: ' USD',
    share: '',
    percent: '',
    factor: '',
  }[kind]
  return {
    rule: 'out-of-range',
    says: 'is out of range',
    hint: `from ${shownAs(kind, min)} to ${shownAs(kind, max)}${unit}`,
  }
}

/** The noun for a value of the unit, how it is written, and its range: `1 to 1000000000`. */
export const sayUnit = ({ kind, min, max }: Unit): Readonly<Record<'noun' | 'hint' | 'range', string>> => ({
  noun: FORMS[kind].noun,
  hint: FORMS[kind].hint,
  range: `${shownAs(kind, min)} to ${shownAs(kind, max)}`,
})

function shownAs(kind: Unit['kind'], value: number): string {
  if (kind === 'duration') return durationText(value)
  if (kind === 'factor') return `${value / 1e6}x`
  if (kind === 'percent') return `${value / 1e4}%`
  return String(kind === 'usd' ? value / 1e9 : kind === 'price' || kind === 'share' ? value / 1e6 : value)
}

/** In the largest unit that expresses it exactly: `90d`. */
export function durationText(millis: Millis): string {
  if (millis === 0) return '0s'
  const { suffixes } = FORMS.duration
  const [suffix, size] = Object.entries(suffixes)
    .map(([name, { shift, times = 1n }]) => [name, 10 ** shift * Number(times)] as const)
    .findLast(([, each]) => millis % each === 0) ?? ['ms', 1]
  return `${millis / size}${suffix}`
}

/** A hint for the usual slips. */
function better(text: string, kind: Unit['kind']): string | undefined {
  if (/^\d{1,3}(?:,\d{3})+$/.test(text) || /^\d+(?:_\d+)+$/.test(text)) {
    const digits = text.replace(/[_,]/g, '')
    const short = kind === 'count' && digits.endsWith('000') ? ` or ${digits.slice(0, -3)}k` : ''
    return `write ${digits}${short}; YAML 1.2 has no digit separators`
  }
  if (/^\d+(?:\.\d+)?$/.test(text) && kind === 'duration') return `write ${text}s or ${text}ms`
  const { digits, suffix } = /^(?<digits>\d+(?:\.\d+)?) ?(?<suffix>[A-Za-z]+)$/.exec(text)?.groups ?? {}
  const known = Object.keys(FORMS[kind].suffixes).find(each => each && each.toLowerCase() === suffix?.toLowerCase())
  if (known) return `write ${digits}${known}`
  if (text.startsWith('$')) return `write ${text.slice(1).trim()}`
  return undefined
}
