import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { durationText, type Unit } from '../model/units.ts'
import type { Secret } from '../settings.ts'
import type { Rule, Said, Sides } from './changes.ts'

/** `40k`, `2M`, `7200`: as operators write it. */
export function count(value: number): string {
  if (value !== 0 && value % 1_000_000 === 0) return `${value / 1_000_000}M`
  return value !== 0 && value % 1000 === 0 ? `${value / 1000}k` : String(value)
}

/** `10MB`, `16KB`, `1500B` */
export function size(bytes: number): string {
  const [unit, factor] = UNITS.find(([, each]) => bytes % each === 0) ?? ['B', 1]
  return bytes === 0 ? '0B' : `${bytes / factor}${unit}`
}

const UNITS = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
] as const

/** `2.40`, `0.001`: exact, with two decimals or as many as it takes. */
export function usd(nano: NanoUsd): string {
  const digits = String(nano).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9).replace(/0{1,7}$/, '')}`
}

/** Nano-USD for 1,000 tokens as USD for 1,000,000. */
export const price = (nano: NanoUsd): string => usd(nanoUsd(nano * 1000))

/** Millionths: `0.25`. */
const share = (millionths: number): string => String(millionths / 1_000_000)

/** `a`, `a and b`, `a, b and c` */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** The value of each unit, as `plan` writes it. */
export const TEXTS: Readonly<Record<Unit['kind'], (value: number) => string>> = {
  count,
  duration: durationText,
  size,
  usd: value => usd(nanoUsd(value)),
  price: value => price(nanoUsd(value)),
  share,
  percent: value => `${value / 1e4}%`,
  factor: value => `${share(value)}x`,
}

export const text = (value: string | number | boolean): string => String(value)

/** Names whose order differs in two lists: pairs that follow each other now, and did not. */
export function swapped(before: readonly string[], after: readonly string[]): readonly (readonly [string, string])[] {
  const common = after.filter(name => before.includes(name))
  return common.flatMap((name, index) => {
    const next = common[index + 1]
    return next !== undefined && before.indexOf(name) > before.indexOf(next) ? [[name, next] as const] : []
  })
}

/** Names of the first list that the second lacks. */
export const without = (names: Iterable<string>, others: Iterable<string>): readonly string[] => {
  const known = new Set(others)
  return [...names].filter(name => !known.has(name))
}

/** A key that is sent. Its value is compared where both are known, and never shown. */
export const keyRule =
  ({ isUnknown }: Pick<Sides, 'isUnknown'>): Rule<Secret | undefined> =>
  (from, to, subject) => {
    const tell = (text: string): readonly Said[] => [{ field: 'key', from: null, to: null, text, effect: 'plumbing' }]
    if (!from && !to) return []
    if (!from) return tell(`${subject} now receives a key`)
    if (!to) return tell(`${subject} no longer receives a key`)
    return isChanged(from, to, isUnknown) ? tell(`the key of ${subject} changed`) : []
  }

/** Whether two secrets are known and differ. */
export const isChanged = (from: Secret, to: Secret, isUnknown: Sides['isUnknown']): boolean =>
  from.reveal() !== to.reveal() && !isUnknown(from.reveal()) && !isUnknown(to.reveal())
