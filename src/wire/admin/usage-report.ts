import type { EpochMs } from '../../policy/config.ts'
import { type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { CachedTokens } from '../../policy/price.ts'
import { usdText } from '../money.ts'
import {
  defaulted,
  fixed,
  list,
  optional,
  orNull,
  type RecordOf,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { dayText, hourText } from './since.ts'

/** The groups by which totals may be added up. */
export const GROUPS = ['day', 'hour', 'plan', 'model', 'account', 'key', 'session'] as const
/** One of them, or the values of a label. */
export type Group = (typeof GROUPS)[number] | LabelGroup
type LabelGroup = `label:${string}`

/** The group of requests without a label, a session, or a row that says it. */
export const NO_VALUE = '—'

/** The label whose values are a group; undefined for other groups. */
export const labelIn = (group: Group): string | undefined =>
  group.startsWith('label:') ? group.slice('label:'.length) : undefined

/** A group as people name it: a label by its name alone. */
export const groupName = (group: Group): string => labelIn(group) ?? group

/** A group by its name: any other name is a label's. Undefined where it is no name. */
export const groupNamed = (name: string): Group | undefined =>
  GROUPS.find(each => each === name) ?? (LABEL_NAME.test(name) ? `label:${name}` : undefined)

export const GROUP_NAME = '^[a-z][a-z0-9_]{0,31}$'
const LABEL_NAME = new RegExp(GROUP_NAME)

/** Reads one or more of them, with commas between. Undefined where one is no name, or named twice. */
export function readGroups(text: string): readonly Group[] | undefined {
  const groups = text.split(',').map(groupNamed)
  const known = groups.filter(each => each !== undefined)
  return known.length === groups.length && new Set(known).size === known.length ? known : undefined
}

/** An amount in two forms: an integer to add up, and exact decimal text to read. */
const AMOUNT = { cost_nano_usd: whole<NanoUsd>(), usd: text() }

type Amount = RecordOf<typeof AMOUNT>

/** Gateways before 0.2 do not send them. */
const CACHED = {
  cached_tokens: defaulted(whole('Input tokens that backends read from their caches.'), 0),
  cache_write_tokens: defaulted(whole('Input tokens that backends wrote into their caches.'), 0),
}

type Cached = RecordOf<typeof CACHED>

/** Absent where nothing was saved. */
const SAVED = {
  saved_nano_usd: optional(whole<NanoUsd>('How much more the cached tokens would have cost as other input.')),
  saved_usd: optional(text('Those savings as exact decimal text.')),
}

const USAGE = record(
  {
    group: text(
      'The day, hour, plan, model, account, key, session or value of a label; `none` for requests without a key, `—` for those without a session or the label. The first of several.',
    ),
    groups: optional(list(text(), 'All groups in the order of `by`, if there are several.')),
    split_by: optional(text('The name of the part, if groups are split.')),
    label: optional(text('The label of the account, if a group is an account or a key.')),
    others: optional(whole('How many entries `others` sums up, if the last group is `others`.')),
    requests: whole(),
    input_tokens: whole(),
    output_tokens: whole(),
    ...AMOUNT,
    ...CACHED,
    ...SAVED,
  },
  'Usage',
)

export interface UsageRecord extends TypeOf<typeof USAGE> {}

const WASTE = record(
  {
    day: optional(text('The day, if split by day.')),
    hour: optional(text('The hour, if split by hour.')),
    pool: text(),
    attempts: whole(),
    input_tokens: whole(),
    output_tokens: whole(),
    ...AMOUNT,
    ...CACHED,
  },
  'Waste',
)

export interface WasteRecord extends TypeOf<typeof WASTE> {}

/** Usage by day, hour, plan, model, account, key, session or a label, or by several of them. */
export const USAGE_REPORT = record({
  object: fixed('list'),
  by: text('`day`, or `account,model`.'),
  since: orNull(
    text('The first day, such as `2026-11-01`, or hour, such as `2026-11-01T14:00Z`; null for the whole history.'),
  ),
  until: optional(text('The day or hour after the last one, if the report ends before the current one.')),
  hours_left_out: optional(
    whole('How many hours before `since` are left out, if their rows are gone or too many for one report.'),
  ),
  data: list(USAGE),
  waste: list(WASTE, 'The operator’s cost of failed attempts by pool, which is not part of `data`.'),
  split: optional(word(GROUPS, 'The grouping that splits others, if any.')),
  zone: optional(text('The time zone of days, such as `Europe/Berlin`; absent if they are UTC. Hours are UTC.')),
})

export interface UsageReport extends TypeOf<typeof USAGE_REPORT> {}

/** `since` and `until` are texts; without `since` it is of all there ever was. `split` says the second group by a field of its own. */
export const usageReport = (
  { by, split, since, until, hoursLeftOut = 0, zone }: ReportTerms,
  { lines, waste }: { readonly lines: readonly Line[]; readonly waste: readonly Wasted[] },
): UsageReport => ({
  object: 'list',
  by: (split ? by.slice(0, 1) : by).map(groupName).join(','),
  since: since ?? null,
  ...(until !== undefined && { until }),
  ...(hoursLeftOut > 0 && { hours_left_out: hoursLeftOut }),
  data: lines.map(line => usageRecord(line, split)),
  waste: waste.map(wasteRecord),
  ...(split && !split.startsWith('label:') && { split: split as (typeof GROUPS)[number] }),
  ...(zone !== undefined && { zone }),
})

interface ReportTerms {
  readonly by: readonly Group[]
  readonly split?: Group
  readonly since?: string
  readonly until?: string
  readonly hoursLeftOut?: number
  readonly zone?: string
}

interface Sums extends CachedTokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

interface Line extends Sums {
  readonly saved?: NanoUsd
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
    ...savedFields(line.saved),
  }
}

function wasteRecord(wasted: Wasted): WasteRecord {
  const { day, hour, pool, attempts, inputTokens: input_tokens, outputTokens: output_tokens, cost } = wasted
  const on = { ...(day !== undefined && { day: dayText(day) }), ...(hour !== undefined && { hour: hourText(hour) }) }
  return { ...on, pool, attempts, input_tokens, output_tokens, ...amount(cost), ...cached(wasted) }
}

/** The savings of caches, as an integer and as text. Empty where they are 0, or below because an older gateway rewrote the sum without. */
export const savedFields = (saved: NanoUsd = ZERO_USD): RecordOf<typeof SAVED> =>
  saved <= 0 ? {} : { saved_nano_usd: saved, saved_usd: usdText(saved) }

const amount = (cost: NanoUsd): Amount => ({ cost_nano_usd: cost, usd: usdText(cost) })

const cached = ({ cachedTokens = 0, cacheWriteTokens = 0 }: CachedTokens): Cached => ({
  cached_tokens: cachedTokens,
  cache_write_tokens: cacheWriteTokens,
})
