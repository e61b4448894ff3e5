import type { EpochMs, NanoUsd } from '../policy/config.ts'
import { usdNumber, usdText } from './money.ts'

/** What an account spent, against what its plan allots. */
export interface QuotaStanding {
  readonly plan: string
  readonly used: NanoUsd
  readonly limit: NanoUsd
  readonly resetAt: EpochMs
}

/** The quota record. Spec 2.9. */
export const quotaRecord = (standing: QuotaStanding, held: NanoUsd, keyPrefix: string | null): object => ({
  object: 'quota',
  planSlug: standing.plan,
  used: usdNumber(standing.used),
  limit: usdNumber(standing.limit),
  remaining: usdNumber(standing.limit - standing.used),
  held: usdNumber(held),
  resetAt: new Date(standing.resetAt).toISOString(),
  unit: 'usd',
  keyPrefix,
  source: 'control',
})

/** The quota headers of an answer. Spec 4.2. */
export function quotaHeaders(
  brand: string,
  { plan, used, limit, resetAt }: QuotaStanding,
): Readonly<Record<string, string>> {
  if (resetAt !== last.at) last = { at: resetAt, text: new Date(resetAt).toISOString() }
  return {
    [`x-${brand}-quota-plan`]: plan,
    [`x-${brand}-quota-used`]: usdText(used),
    [`x-${brand}-quota-limit`]: usdText(limit),
    [`x-${brand}-quota-reset`]: last.text,
  }
}

/** All quotas are renewed at one moment, which stays the same for a month. */
let last = { at: Number.NaN, text: '' }
