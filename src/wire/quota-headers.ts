import type { EpochMs, Millis } from '../policy/config.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'
import { usdText } from './money.ts'

/** An account's spend, against the allowance of its plan. */
export interface QuotaStanding {
  readonly plan: string
  readonly used: NanoUsd
  readonly limit: NanoUsd
  readonly resetAt: EpochMs
}

/** The names of the quota headers. */
export class QuotaHeaderNames {
  readonly plan: string
  readonly used: string
  readonly limit: string
  readonly reset: string

  constructor(brand: string) {
    this.plan = `x-${brand}-quota-plan`
    this.used = `x-${brand}-quota-used`
    this.limit = `x-${brand}-quota-limit`
    this.reset = `x-${brand}-quota-reset`
  }
}

/** Adds the quota headers of an answer. */
export function addQuota(headers: Record<string, string>, names: QuotaHeaderNames, standing: QuotaStanding): void {
  const { plan, used, limit, resetAt } = standing
  if (resetAt !== last.at) last = { at: resetAt, text: new Date(resetAt).toISOString() }
  headers[names.plan] = plan
  headers[names.used] = usdText(used)
  headers[names.limit] = usdText(limit)
  headers[names.reset] = last.text
}

/** All quotas are renewed at one moment, which stays the same for a month. */
let last = { at: Number.NaN, text: '' }

/** The rest of limits; absent where there is none. Among several that count the same it is the one with the least left. */
export interface RateState {
  readonly requests?: RateLimit
  readonly tokens?: RateLimit
  readonly inputTokens?: RateLimit
  readonly outputTokens?: RateLimit
}

export interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** Until nothing counts in it any more, where nothing else is asked. */
  readonly resetMs: Millis
}

/** Adds the headers that clients of OpenAI read, in OpenAI's form. */
export function addRate(headers: Record<string, string>, { requests, tokens }: RateState): void {
  if (requests) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit)
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining)
    headers['x-ratelimit-reset-requests'] = resetText(requests.resetMs)
  }
  if (tokens) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit)
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining)
    headers['x-ratelimit-reset-tokens'] = resetText(tokens.resetMs)
  }
}

/** Adds the headers that Anthropic's clients read: with moments for waits, and with limits of prompts and answers. */
export function addAnthropicRate(headers: Record<string, string>, state: RateState, now: EpochMs): void {
  const { requests, tokens, inputTokens, outputTokens } = state
  if (requests) addAnthropic(headers, 'requests', requests, now)
  if (tokens) addAnthropic(headers, 'tokens', tokens, now)
  if (inputTokens) addAnthropic(headers, 'input-tokens', inputTokens, now)
  if (outputTokens) addAnthropic(headers, 'output-tokens', outputTokens, now)
}

function addAnthropic(
  headers: Record<string, string>,
  name: string,
  { limit, remaining, resetMs }: RateLimit,
  now: EpochMs,
): void {
  headers[`anthropic-ratelimit-${name}-limit`] = String(limit)
  headers[`anthropic-ratelimit-${name}-remaining`] = String(remaining)
  const reset = new Date(Math.ceil((now + resetMs) / 1000) * 1000)
  headers[`anthropic-ratelimit-${name}-reset`] = reset.toISOString().replace('.000Z', 'Z')
}

/** `6s`, `1m0s` or `23h59m8s`, rounded up so that it is never too short. */
export function resetText(ms: Millis): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  const ofMinutes = `${minutes % 60}m${seconds % 60}s`
  return minutes < 60 ? ofMinutes : `${Math.floor(minutes / 60)}h${ofMinutes}`
}

/** The headers by their names, for the pages that may read them. */
export const rateHeaderNames: readonly string[] = ['limit', 'remaining', 'reset'].flatMap(what =>
  ['requests', 'tokens'].map(of => `x-ratelimit-${what}-${of}`),
)
