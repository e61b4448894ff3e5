import type { EpochMs } from '../../policy/config.ts'

/** What `readSince` reads, for messages. */
export const SINCE_FORMS = 'a duration such as 30d or 12h, or a date such as 2026-11-01'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The moment that a text means: so long before now, or the beginning of a UTC day. Undefined when it means none. */
export function readSince(text: string, now: EpochMs): EpochMs | undefined {
  const { amount, unit = '' } = /^(?<amount>\d{1,6})(?<unit>[smhd])$/.exec(text)?.groups ?? {}
  if (amount !== undefined) return Math.max(0, now - Number(amount) * (UNITS[unit] ?? 0))
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const at = Date.parse(text)
  // Date.parse takes 31 February for 3 March in some engines.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? undefined : at
}

/** A UTC day, given in days since the epoch: `2026-11-21`. */
export const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)
