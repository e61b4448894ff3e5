import type { EpochMs, Millis } from '../policy/config.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'
import { usdText } from './money.ts'

/** What an account spent, against what its plan allots. */
export interface QuotaStanding {
  readonly plan: string
  readonly used: NanoUsd
  readonly limit: NanoUsd
  readonly resetAt: EpochMs
}

/** What the quota headers are called. */
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

/** The same beside them as clients of Anthropic read them: with moments for waits. */
export function addAnthropicRate(
  headers: Record<string, string>,
  { requests, tokens, resetMs }: RateState,
  now: EpochMs,
): void {
  const reset = new Date(Math.ceil((now + resetMs) / 1000) * 1000).toISOString().replace('.000Z', 'Z')
  headers['anthropic-ratelimit-requests-limit'] = String(requests.limit)
  headers['anthropic-ratelimit-requests-remaining'] = String(requests.remaining)
  headers['anthropic-ratelimit-requests-reset'] = reset
  headers['anthropic-ratelimit-tokens-limit'] = String(tokens.limit)
  headers['anthropic-ratelimit-tokens-remaining'] = String(tokens.remaining)
  headers['anthropic-ratelimit-tokens-reset'] = reset
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
