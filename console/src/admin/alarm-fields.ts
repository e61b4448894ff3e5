import { number } from '../shared/fmt.ts'

/** A detail of an alarm. */
export interface FieldProps {
  readonly name: string
  readonly value: string | number | boolean
}

/** A detail as it is read: `bySeconds` of 1900800 is `by` and `22 days`. Its name says its unit; texts stay as they are. */
export function partsOf(name: string, value: FieldProps['value']): readonly [words: string, value: string] {
  const [, stem = name, seconds, ms, percent] = /^(.*?)(?:(Seconds)|(Ms|^ms)|(Percent))?$/.exec(name) ?? []
  const words = stem.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  if (typeof value !== 'number') return [words, String(value)]
  if (seconds ?? ms) return [words, lengthOf(seconds ? value * 1000 : value)]
  return [words, percent ? `${value}%` : number(value)]
}

/** `22 days`: in its largest unit. */
export function lengthOf(ms: number): string {
  const [unit, size] = UNITS.find(each => Math.abs(ms) >= each[1]) ?? UNITS[4]
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(ms / size)
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const
