import { type Calendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import { isUtc } from '../../policy/zone.ts'
import { dayText } from '../admin/since.ts'
import { savedFields } from '../admin/usage-report.ts'
import { usdText } from '../money.ts'

/** GET /billing/usage: what an account used by day, model, plan and key. */
export interface OwnUsage {
  readonly object: 'list'
  readonly unit: 'usd'
  readonly since: string
  readonly until: string
  readonly days: number
  /** The zone of the days; absent where that is UTC. */
  readonly zone?: string
  readonly data: readonly OwnUsageRow[]
  /** The sums of each label's values, dearest first, where they are asked for; `—` has the usage without one. */
  readonly by_label?: readonly OwnLabel[]
}

interface OwnLabel {
  readonly label: string
  readonly values: readonly (OwnSums & { readonly name: string })[]
}

interface OwnUsageRow extends OwnSums {
  readonly day: string
  readonly model: string
  readonly plan: string
  /** Its id; null for a sign-in, and for what older gateways added up. */
  readonly key: string | null
}

interface OwnSums {
  readonly requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** The cached part of the input. */
  readonly cached_tokens: number
  readonly cache_write_tokens: number
  /** An integer to add up, and the same amount as exact decimal text. */
  readonly cost_nano_usd: NanoUsd
  readonly usd: string
  /** How much more the cached tokens would have cost as other input; absent where it is nothing. */
  readonly saved_nano_usd?: NanoUsd
  readonly saved_usd?: string
}

/** The totals of one day, model, plan and key. */
interface Total extends Sums {
  readonly day: number
  readonly model: string
  readonly plan: string
  readonly key?: string
}

interface Sums extends CachedTokens {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
  readonly saved?: NanoUsd
}

/** `until` is the last of the days, in days since the epoch. */
export function ownUsage(
  { until, days, calendar: { zone } = UTC_CALENDAR }: { until: number; days: number; calendar?: Calendar },
  totals: readonly Total[],
): OwnUsage {
  const rows = totals.filter(({ day }) => day <= until).sort(inOrder)
  const [since, last] = [dayText(until - days + 1), dayText(until)]
  const named = isUtc(zone) ? {} : { zone }
  return { object: 'list', unit: 'usd', since, until: last, days, ...named, data: rows.map(rowOf) }
}

const inOrder = (a: Total, b: Total): number => a.day - b.day || (nameOf(a) < nameOf(b) ? -1 : 1)

/** Names have no spaces. */
const nameOf = ({ model, plan, key = '' }: Total): string => `${model} ${plan} ${key}`

const rowOf = (total: Total): OwnUsageRow => ({
  day: dayText(total.day),
  model: total.model,
  plan: total.plan,
  key: total.key ?? null,
  ...sumsOf(total),
})

/** The sums of a value of a label. */
export const ownSums = ({ name, ...sums }: Sums & { readonly name: string }) => ({ name, ...sumsOf(sums) })

const sumsOf = (total: Sums): OwnSums => ({
  requests: total.requests,
  input_tokens: total.inputTokens,
  output_tokens: total.outputTokens,
  cached_tokens: total.cachedTokens ?? 0,
  cache_write_tokens: total.cacheWriteTokens ?? 0,
  cost_nano_usd: total.cost,
  usd: usdText(total.cost),
  ...savedFields(total.saved),
})
