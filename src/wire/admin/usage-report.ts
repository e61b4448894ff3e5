import type { EpochMs } from '../../policy/config.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import type { JsonObject } from '../json-safety.ts'
import { usdText } from '../money.ts'
import { count, list, object, text } from './record-fields.ts'
import { dayText, hourText } from './since.ts'

/** What totals may be added up by. */
export const GROUPS = ['day', 'hour', 'plan', 'model', 'account', 'key'] as const
export type Group = (typeof GROUPS)[number]

/** Reads one or more of them, with commas between. Undefined where one is unknown or named twice. */
export function readGroups(text: string): readonly Group[] | undefined {
  const groups = text.split(',').map(name => GROUPS.find(each => each === name))
  const known = groups.filter(each => each !== undefined)
  return known.length === groups.length && new Set(known).size === known.length ? known : undefined
}

/** What was used, by day, hour, plan, model, account or key, or by several of them. */
export interface UsageReport {
  readonly object: 'list'
  /** `day`, or `account,model`. */
  readonly by: string
  /** The first UTC day, such as `2026-11-01`, or hour, such as `2026-11-01T14:00Z`; null for all there ever was. */
  readonly since: string | null
  /** The UTC day or hour after the last one; only where the report ends before this one. */
  readonly until?: string
  /** How many hours before `since` are left out, since their rows are too many for one report, or gone; only where some are. */
  readonly hours_left_out?: number
  readonly data: readonly UsageRecord[]
  /** What failed attempts cost the operator since, by pool; no part of `data`. */
  readonly waste: readonly WasteRecord[]
  /** What groups are split by; only where they are. */
  readonly split?: Group
}

export interface UsageRecord extends Amount, Cached {
  /** The day, hour, plan, model, account or key; `none` for what came without a key. Of several the first. */
  readonly group: string
  /** All of them, in the order of `by`; only where there are several. */
  readonly groups?: readonly string[]
  /** The same of what groups are split by; only where they are. */
  readonly split_by?: string
  /** How operators call the account; only where a group is one, or a key of one. */
  readonly label?: string
  /** Only where the last group is `others`, those beside the dearest: how many they are. */
  readonly others?: number
  readonly requests: number
  readonly input_tokens: number
  readonly output_tokens: number
}

export interface WasteRecord extends Amount, Cached {
  /** The UTC day; only where each is by itself. */
  readonly day?: string
  /** The same of an hour. */
  readonly hour?: string
  readonly pool: string
  readonly attempts: number
  readonly input_tokens: number
  readonly output_tokens: number
}

/** Of the input, what backends read from their caches, and what they wrote into them. */
interface Cached {
  readonly cached_tokens: number
  readonly cache_write_tokens: number
}

/** The same amount twice: an integer to add up, and exact decimal text to read. */
interface Amount {
  readonly cost_nano_usd: NanoUsd
  readonly usd: string
}

/** `since` and `until` are texts; without `since` it is of all there ever was. `split` says the second group by a field of its own. */
export const usageReport = (
  { by, split, since, until, hoursLeftOut = 0 }: ReportTerms,
  { lines, waste }: { readonly lines: readonly Line[]; readonly waste: readonly Wasted[] },
): UsageReport => ({
  object: 'list',
  by: (split ? by.slice(0, 1) : by).join(','),
  since: since ?? null,
  ...(until !== undefined && { until }),
  ...(hoursLeftOut > 0 && { hours_left_out: hoursLeftOut }),
  data: lines.map(line => usageRecord(line, split)),
  waste: waste.map(wasteRecord),
  ...(split && { split }),
})

interface ReportTerms {
  readonly by: readonly Group[]
  readonly split?: Group
  readonly since?: string
  readonly until?: string
  readonly hoursLeftOut?: number
}

interface Sums extends CachedTokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

interface Line extends Sums {
  readonly groups: readonly string[]
  readonly label?: string
  readonly others?: number
  readonly requests: number
}

interface Wasted extends Sums {
  /** Days since the epoch. */
  readonly day?: number
  readonly hour?: EpochMs
  readonly pool: string
  readonly attempts: number
}

function usageRecord(line: Line, split: Group | undefined): UsageRecord {
  const { groups, label, others, requests, inputTokens: input_tokens, outputTokens: output_tokens, cost } = line
  const [group = '', second = ''] = groups
  const more = split ? { split_by: second } : { groups }
  const named = { group, ...(groups.length > 1 && more), ...(label !== undefined && { label }) }
  return {
    ...named,
    ...(others !== undefined && { others }),
    requests,
    input_tokens,
    output_tokens,
    ...amount(cost),
    ...cached(line),
  }
}

function wasteRecord(wasted: Wasted): WasteRecord {
  const { day, hour, pool, attempts, inputTokens: input_tokens, outputTokens: output_tokens, cost } = wasted
  const on = { ...(day !== undefined && { day: dayText(day) }), ...(hour !== undefined && { hour: hourText(hour) }) }
  return { ...on, pool, attempts, input_tokens, output_tokens, ...amount(cost), ...cached(wasted) }
}

const amount = (cost: NanoUsd): Amount => ({ cost_nano_usd: cost, usd: usdText(cost) })

const cached = ({ cachedTokens = 0, cacheWriteTokens = 0 }: CachedTokens): Cached => ({
  cached_tokens: cachedTokens,
  cache_write_tokens: cacheWriteTokens,
})

/** Reads a report that a gateway sent. Throws TypeError when it is none. */
export function readUsageReport(value: unknown): UsageReport {
  const report = object(value, 'object')
  const { by, since, until, data, waste } = report
  if (typeof by !== 'string' || !readGroups(by) || !Array.isArray(data) || !Array.isArray(waste))
    throw new TypeError('the gateway sent no report of usage')
  return {
    object: 'list',
    by,
    since: typeof since === 'string' ? since : null,
    ...(typeof until === 'string' && { until }),
    ...(report.hours_left_out !== undefined && { hours_left_out: count(report, 'hours_left_out') }),
    data: data.map(readUsageRecord),
    waste: waste.map(readWasteRecord),
  }
}

function readUsageRecord(value: unknown): UsageRecord {
  const record = object(value, 'object')
  return {
    group: text(record, 'group'),
    ...(record.groups !== undefined && { groups: list(record.groups, 'groups').map(String) }),
    ...(typeof record.label === 'string' && { label: record.label }),
    requests: count(record, 'requests'),
    input_tokens: count(record, 'input_tokens'),
    output_tokens: count(record, 'output_tokens'),
    cost_nano_usd: nanoUsd(count(record, 'cost_nano_usd')),
    usd: text(record, 'usd'),
    ...readCached(record),
  }
}

function readWasteRecord(value: unknown): WasteRecord {
  const record = object(value, 'object')
  return {
    pool: text(record, 'pool'),
    attempts: count(record, 'attempts'),
    input_tokens: count(record, 'input_tokens'),
    output_tokens: count(record, 'output_tokens'),
    cost_nano_usd: nanoUsd(count(record, 'cost_nano_usd')),
    usd: text(record, 'usd'),
    ...readCached(record),
  }
}

/** An older gateway does not send them. */
const readCached = (record: JsonObject): Cached => ({
  cached_tokens: record.cached_tokens === undefined ? 0 : count(record, 'cached_tokens'),
  cache_write_tokens: record.cache_write_tokens === undefined ? 0 : count(record, 'cache_write_tokens'),
})
