import type { Millis } from '../policy/config.ts'

/** What is left of the minute of an account. */
export interface RateState {
  readonly requests: MinuteState
  readonly tokens: MinuteState
  /** Until nothing counts in the minute any more, where nothing else is asked. */
  readonly resetMs: Millis
}

export interface MinuteState {
  readonly limit: number
  readonly remaining: number
}

/** Adds the headers that clients of OpenAI read, in OpenAI's form. */
export function addRate(headers: Record<string, string>, { requests, tokens, resetMs }: RateState): void {
  const reset = resetText(resetMs)
  headers['x-ratelimit-limit-requests'] = String(requests.limit)
  headers['x-ratelimit-remaining-requests'] = String(requests.remaining)
  headers['x-ratelimit-reset-requests'] = reset
  headers['x-ratelimit-limit-tokens'] = String(tokens.limit)
  headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining)
  headers['x-ratelimit-reset-tokens'] = reset
}

/** `6s` or `1m0s`, rounded up so that it is never too short. */
export function resetText(ms: Millis): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

/** The headers by their names, for the pages that may read them. */
export const rateHeaderNames: readonly string[] = ['limit', 'remaining', 'reset'].flatMap(what =>
  ['requests', 'tokens'].map(of => `x-ratelimit-${what}-${of}`),
)
