import * as text from './texts/frame.tsx'
/** `12:45:19` of today, `22 Nov 12:45` of other days: UTC, as the log has it. */
export function timeOf(at: string): string {
  const iso = new Date(at).toISOString()
  if (iso.slice(0, 10) === new Date().toISOString().slice(0, 10)) return iso.slice(11, 19)
  const date = new Date(at).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' })
  return `${date} ${iso.slice(11, 16)}`
}

/** `2026-11-22 12:45:19.123 UTC` */
export const exactTime = (at: string): string =>
  text.inUtc(new Date(at).toISOString().replace('T', ' ').replace('.000Z', 'Z').replace('Z', ''))
