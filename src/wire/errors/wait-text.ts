import type { Millis } from '../../policy/config.ts'

const SECOND: Millis = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A wait for people, rounded up so that it is never too short: `42 s`, `12 min`, `5 h`. */
export function waitText(ms: Millis): string {
  if (ms <= 2 * MINUTE) return `${Math.ceil(ms / SECOND)} s`
  if (ms <= 2 * HOUR) return `${Math.ceil(ms / MINUTE)} min`
  return `${Math.ceil(ms / HOUR)} h`
}
