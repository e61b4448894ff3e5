import type { EpochMs, Millis } from '../policy/config.ts'
import type { Mutable } from '../policy/decision.ts'

/** The headers of a refusal that tell when to come again, by their names in lower case. */
export type RetryHeaders = Readonly<Record<string, string>>

/** Picks the headers that `readRetryAfter` reads; undefined where there is none. */
export function retryHeadersOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): RetryHeaders | undefined {
  let picked: Mutable<RetryHeaders> | undefined
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string' || !(name.startsWith('retry-after') || RATE_LIMIT.test(name))) continue
    picked ??= {}
    picked[name] = value
  }
  return picked
}

/**
 * How long a backend that refused a request wants to be left alone; undefined where it gives no time. `Retry-After` counts
 * before the limits that providers report with each answer: of those, the ones that are spent say when they are full again.
 */
export function readRetryAfter(headers: RetryHeaders, now: EpochMs): Millis | undefined {
  const { 'retry-after-ms': millis, 'retry-after': after } = headers
  if (millis !== undefined && NUMBER.test(millis)) return Math.ceil(Number(millis))
  const asked = after === undefined ? undefined : waitIn(after, now)
  if (asked !== undefined) return asked
  const spent = Object.keys(headers).filter(name => RESETS.test(name) && isSpent(headers, name))
  const waits = spent.flatMap(name => waitIn(headers[name] ?? '', now) ?? [])
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/** OpenAI, Groq and Azure, OpenRouter, the IETF's draft, and Anthropic, which has the unit before `reset`. */
const RATE_LIMIT = /^(?:x-|anthropic-)?ratelimit-/
const RESETS = /^(?:x-|anthropic-)?ratelimit-(?:reset(?:-[a-z]+)?|[a-z-]+-reset)$/

const isSpent = (headers: RetryHeaders, reset: string): boolean => {
  const remaining = headers[reset.replace('reset', 'remaining')]
  return remaining !== undefined && remaining.trim() !== '' && Number(remaining) === 0
}

const NUMBER = /^\d+(?:\.\d+)?$/
/** `6m0s`, `88ms`, `1h2m3.5s` */
const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/
/** A larger number is a time since the epoch, in seconds or in milliseconds. */
const LONGEST_SECONDS = 1e8
const LONGEST_EPOCH_SECONDS = 1e11

/** Seconds, a duration, or a time. */
function waitIn(text: string, now: EpochMs): Millis | undefined {
  const millis = millisIn(text.trim(), now)
  return millis !== undefined && Number.isFinite(millis) ? Math.max(0, Math.ceil(millis)) : undefined
}

function millisIn(text: string, now: EpochMs): Millis | undefined {
  if (NUMBER.test(text)) {
    const number = Number(text)
    if (number < LONGEST_SECONDS) return number * 1000
    return (number < LONGEST_EPOCH_SECONDS ? number * 1000 : number) - now
  }
  const duration = text === '' ? null : DURATION.exec(text)
  if (!duration) return Date.parse(text) - now
  const [hours = 0, minutes = 0, seconds = 0, millis = 0] = duration.slice(1).map(part => Number(part ?? 0))
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis
}
