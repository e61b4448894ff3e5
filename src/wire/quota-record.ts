import { type LimitUse, leftOf } from '../policy/counters/limit-use.ts'
import type { LimitScope, LimitWindow, Measure } from '../policy/limits/rule.ts'
import { writtenWindow } from '../policy/limits/zoned-window.ts'
import { type NanoUsd, nanoUsd, subtractNanoUsd } from '../policy/nano-usd.ts'
import type { PaidTokens } from '../policy/price.ts'
import { usdNumber } from './money.ts'
import type { QuotaStanding } from './quota-headers.ts'

/** The usage and the limits of a caller's account. */
export interface Quota {
  readonly standing: QuotaStanding
  readonly held: NanoUsd
  /** The tokens of all settled requests of the window. */
  readonly tokens: PaidTokens
  /** Those that the caller may see. */
  readonly limits: readonly LimitUse[]
}

/** The record of GET /billing/quota. Amounts are US dollars. */
export interface QuotaRecord {
  readonly object: 'quota'
  readonly planSlug: string
  readonly used: number
  readonly limit: number
  readonly remaining: number
  readonly held: number
  readonly tokens: {
    readonly input: number
    readonly cached: number
    readonly cacheWrite: number
    readonly output: number
  }
  readonly limits: readonly LimitRecord[]
  readonly resetAt: string
  readonly unit: 'usd'
  readonly keyPrefix: string | null
  readonly source: 'control'
}

/** Counts, or US dollars for `usd`. Unknown values are null. */
export interface LimitRecord {
  readonly measure: Measure
  readonly per: LimitWindow | null
  readonly of: LimitScope
  readonly model: string | null
  /** The value of the label that the count is of; absent for limits of anything else. */
  readonly value?: string
  readonly limit: number
  readonly used: number | null
  readonly held: number | null
  readonly remaining: number | null
  readonly resetAt: string | null
}

export const quotaRecord = ({ standing, held, tokens, limits }: Quota, keyPrefix: string | null): QuotaRecord => ({
  object: 'quota',
  planSlug: standing.plan,
  used: usdNumber(standing.used),
  limit: usdNumber(standing.limit),
  remaining: usdNumber(subtractNanoUsd(standing.limit, standing.used)),
  held: usdNumber(held),
  tokens: {
    input: tokens.inputTokens,
    cached: tokens.cachedTokens ?? 0,
    cacheWrite: tokens.cacheWriteTokens ?? 0,
    output: tokens.outputTokens,
  },
  limits: limits.map(limitRecord),
  resetAt: new Date(standing.resetAt).toISOString(),
  unit: 'usd',
  keyPrefix,
  source: 'control',
})

export function limitRecord({ rule, value, count }: LimitUse): LimitRecord {
  const { measure, of = 'account', model = null, most } = rule
  const per = rule.per === undefined ? null : writtenWindow(rule.per)
  const amount = (number: number) => (measure === 'usd' ? usdNumber(nanoUsd(number)) : number)
  return {
    ...{ measure, per, of, model, ...(value !== undefined && { value }), limit: amount(most) },
    used: count ? amount(count.used) : null,
    held: count ? amount(count.held) : null,
    remaining: count ? amount(leftOf(rule, count)) : null,
    resetAt: count?.resetAt === undefined ? null : new Date(count.resetAt).toISOString(),
  }
}
