import type { EpochMs } from '../policy/config.ts'
import { type NanoUsd, subtractNanoUsd } from '../policy/nano-usd.ts'
import { usdNumber, usdText } from './money.ts'

/** What an account spent, against what its plan allots. */
export interface QuotaStanding {
  readonly plan: string
  readonly used: NanoUsd
  readonly limit: NanoUsd
  readonly resetAt: EpochMs
}

/** The quota record. */
export const quotaRecord = (standing: QuotaStanding, held: NanoUsd, keyPrefix: string | null): object => ({
  object: 'quota',
  planSlug: standing.plan,
  used: usdNumber(standing.used),
  limit: usdNumber(standing.limit),
  remaining: usdNumber(subtractNanoUsd(standing.limit, standing.used)),
  held: usdNumber(held),
  resetAt: new Date(standing.resetAt).toISOString(),
  unit: 'usd',
  keyPrefix,
  source: 'control',
})

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
