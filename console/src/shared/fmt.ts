import * as common from './texts/common.ts'

/** Numbers and dates are as the browser of their reader writes them; days are UTC everywhere, and a day has 24 hours. */
const dayFormat = new Intl.DateTimeFormat(undefined, {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const shortDayFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short' })
const timeFormat = new Intl.DateTimeFormat(undefined, {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const secondFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', timeStyle: 'medium', hourCycle: 'h23' })

/** `1 Dec 2026`, UTC. */
export const day = (at: number | string): string => dayFormat.format(new Date(at))

/** `1 Dec`, UTC. */
export const shortDay = (at: number | string): string => shortDayFormat.format(new Date(at))

/** `14:00`, UTC. */
export const time = (at: number | string): string => timeFormat.format(new Date(at))

/** `1 Dec 2026, 14:03 UTC`. */
export const moment = (at: number | string): string => `${day(at)}, ${time(at)} UTC`

/** `1 Dec 2026, 14:03:11 UTC`. */
export const exactMoment = (at: number | string): string => `${day(at)}, ${secondFormat.format(new Date(at))} UTC`

/** `14:03:11` of today, `1 Dec, 14:03` of other days: UTC. */
export function stamp(at: number | string): string {
  const date = new Date(at)
  const isToday = date.toISOString().slice(0, 10) === new Date().toISOString().slice(0, 10)
  return isToday ? secondFormat.format(date) : `${shortDayFormat.format(date)}, ${time(at)}`
}

const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** `12,345`. */
export const number = (value: number): string => numbers.format(value)

/** `400k`, `1.2M`, `3,210`. */
export function count(value: number): string {
  if (value >= 1e6) return `${numbers.format(value / 1e6)}M`
  return value >= 1e4 ? `${numbers.format(value / 1e3)}k` : numbers.format(value)
}

const dollars = (digits: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits })
const cents = dollars()
const twoDigits = dollars({ maximumSignificantDigits: 2 })
const exact = dollars({ maximumFractionDigits: 20 })

/** `$4.12`; `<$0.01` for what is less than half a cent, so that it does not look like nothing. */
export const usd = (value: number): string =>
  value > 0 && value < 0.005 ? `<${cents.format(0.01)}` : cents.format(value)

/** `$0.0012`: for a scale, whose least amounts must differ. */
export const smallUsd = (value: number): string =>
  value > 0 && value < 0.02 ? twoDigits.format(value) : cents.format(value)

/** An exact decimal of US dollars, with two digits of cents at least. */
export const exactUsd = (decimal: string): string => exact.format(decimal as Intl.StringNumericLiteral)

/** Billionths of US dollars as an exact decimal: `0.0001272`. */
export function nanoUsdText(nanoUsd: number): string {
  const digits = String(nanoUsd).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '')
}

/** An exact amount with a sign, and with at least two digits of cents. */
export const exactNanoUsd = (nanoUsd: number): string => exactUsd(nanoUsdText(nanoUsd))

/** `12 min`: rounded up, since it is a wait. */
export function wait(ms: number): string {
  if (ms < 60_000) return common.seconds(Math.ceil(ms / 1000))
  return ms < 3_600_000 ? common.minutes(Math.ceil(ms / 60_000)) : common.hours(Math.ceil(ms / 3_600_000))
}

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${numbers.format(n)} ${n === 1 ? one : many}`
