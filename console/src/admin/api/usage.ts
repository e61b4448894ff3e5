import type { UsageRecord, UsageReport } from '../../../../src/wire/admin/usage-report.ts'
import { ask } from '../../shared/api.ts'

/** What days are split by. */
export const SPLITS = ['model', 'plan', 'account', 'key'] as const
export type Split = (typeof SPLITS)[number]

export interface UsageOfDays {
  /** Each day in parts: the dearest of the split, and the others as one; of failed attempts all pools. */
  readonly days: UsageReport
  /** The split over all days. */
  readonly groups: UsageReport
}

/** The UTC days that end today. */
export async function readUsage(days: number, split: Split): Promise<UsageOfDays> {
  const since = dayText(Date.now() - (days - 1) * DAY_MS)
  const [byDay, groups] = await Promise.all([
    ask<UsageReport>(`/admin/usage?since=${since}&by=day,${split}&top=${MOST_PARTS}&waste=day`),
    ask<UsageReport>(`/admin/usage?since=${since}&by=${split}&top=${MOST_ROWS}`),
  ])
  return { days: byDay, groups }
}

/** A chart has six colours, one of them for others. */
export const MOST_PARTS = 5
const MOST_ROWS = 200
const DAY_MS = 86_400_000

/** `2026-11-22`, UTC. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** All days from the first to today, also those without a request. */
export const daysSince = (first: string): readonly string[] => {
  const count = Math.floor((Date.now() - Date.parse(first)) / DAY_MS) + 1
  return Array.from({ length: count }, (_, at) => dayText(Date.parse(first) + at * DAY_MS))
}

/** As people call it: accounts by their labels. */
export function nameOf({ group, groups, label, others }: UsageRecord): string {
  const name = groups?.at(-1) ?? group
  if (others !== undefined) return `${others} others`
  return label === undefined || label === name ? name : label
}
