const LOCALE = 'en-GB'

/** `1 Dec 2026`, UTC. */
export const day = (at: number | string): string =>
  new Date(at).toLocaleDateString(LOCALE, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

/** `1 Dec 2026, 14:03 UTC`. */
export const moment = (at: number | string): string =>
  `${day(at)}, ${new Date(at).toLocaleTimeString(LOCALE, { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' })} UTC`

/** `12:03:11`, of this machine: when something was asked. */
export const clock = (at: number): string => new Date(at).toLocaleTimeString(LOCALE)

/** `400k`, `1.2M`, `3,210`. */
export function count(value: number): string {
  if (value >= 1e6) return `${short(value / 1e6)}M`
  return value >= 1e4 ? `${short(value / 1e3)}k` : value.toLocaleString(LOCALE)
}

const short = (value: number): string => value.toLocaleString(LOCALE, { maximumFractionDigits: 1 })

/** `$4.12`; `<$0.01` for what is less than half a cent, so that it does not look like nothing. */
export function usd(value: number): string {
  if (value > 0 && value < 0.005) return '<$0.01'
  return value.toLocaleString(LOCALE, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' })
}

/** `$0.0012`: for a scale, whose least amounts must differ. */
export function smallUsd(value: number): string {
  if (value > 0 && value < 0.0001) return '<$0.0001'
  if (value > 0 && value < 0.02) return `$${value.toLocaleString(LOCALE, { maximumSignificantDigits: 2 })}`
  return value.toLocaleString(LOCALE, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' })
}

/** An exact decimal of US dollars, with two digits of cents at least. */
export function exactUsd(text: string): string {
  const [whole = '0', cents = ''] = text.split('.')
  return `$${Number(whole).toLocaleString(LOCALE)}.${cents.padEnd(2, '0')}`
}

/** `12 min`, `in 40 s`: rounded up, since it is a wait. */
export function wait(ms: number): string {
  if (ms < 60_000) return `${Math.ceil(ms / 1000)} s`
  return ms < 3_600_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`
}

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString(LOCALE)} ${n === 1 ? one : many}`
