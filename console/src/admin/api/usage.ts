import type { UsageRecord, UsageReport, WasteRecord } from '../../../../src/wire/admin/usage-report.ts'
import { ask } from '../../shared/api.ts'
import { nanoUsdText } from '../../shared/fmt.ts'

/** The groups by which days and hours are split. */
export const SPLITS = ['model', 'plan', 'account', 'key'] as const
export type Split = (typeof SPLITS)[number]

export interface UsageOfRange {
  /** Each day or hour in parts, and the others as one; of failed attempts all pools. */
  readonly bars: UsageReport
  /** The split, and failed attempts, over all of them. */
  readonly groups: Pick<UsageReport, 'data' | 'waste'>
}

/** The days of a period such as `month=this`, by the zone of the gateway. */
export async function readDays(period: string, split: Split): Promise<UsageOfRange> {
  const [bars, groups] = await Promise.all([
    ask<UsageReport>(`/admin/usage?${period}&by=day,${split}&top=${MOST_PARTS}&waste=day`),
    ask<UsageReport>(`/admin/usage?${period}&by=${split}&top=${MOST_ROWS}`),
  ])
  return { bars, groups }
}

/** The last 48 hours, of all accounts or of one: rows are read once, so that the sums are made here. */
export async function readHours(split: Split, account?: string): Promise<UsageOfRange> {
  const query = {
    since: HOURS,
    by: `hour,${split}`,
    top: String(MOST_HOUR_ROWS),
    waste: 'hour',
    ...(account && { account }),
  }
  const bars = await ask<UsageReport>(`/admin/usage?${new URLSearchParams(query)}`)
  const dearestFirst = (a: { readonly cost_nano_usd: number }, b: { readonly cost_nano_usd: number }) =>
    b.cost_nano_usd - a.cost_nano_usd
  const data = summed(bars.data, keyOf, ({ groups, group: _, ...row }) => ({ ...row, group: groups?.at(-1) ?? '' }))
  const waste = summed(
    bars.waste,
    ({ pool }) => pool,
    ({ hour: _, ...row }) => row,
  )
  const others = (row: UsageRecord) => Number(row.others !== undefined)
  return {
    bars,
    groups: {
      data: data.sort((a, b) => others(a) - others(b) || dearestFirst(a, b)),
      waste: waste.sort(dearestFirst),
    },
  }
}

/** As `--since` of svcctl: 47 hours and the running one. */
export const HOURS = '47h'

/** Adds up rows of the same name; `named` leaves out what they differ in. */
function summed<Row extends UsageRecord | WasteRecord>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  named: (row: Row) => Row,
): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const name = nameOf(row)
    const before = sums.get(name)
    sums.set(name, before ? plus(before, row) : named(row))
  }
  return [...sums.values()]
}

function plus<Row extends UsageRecord | WasteRecord>(a: Row, b: Row): Row {
  const added = Object.entries(a).map(([field, value]) => {
    const other = b[field as keyof Row]
    const isCount = typeof value === 'number' && typeof other === 'number' && field !== 'others'
    return [field, isCount ? value + other : value]
  })
  const sum = Object.fromEntries(added) as Row
  return { ...sum, usd: nanoUsdText(sum.cost_nano_usd) }
}

/** A chart has six colours, one of them for others. */
export const MOST_PARTS = 5
const MOST_ROWS = 200
const MOST_HOUR_ROWS = 50
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** All hours, or days of the zone, from the first one until now, also those without a request: as `2026-11-22T14:00Z` or `2026-11-22`. */
export function timesSince(first: string, timeZone: string): readonly string[] {
  const isHour = first.includes('T')
  const last = isHour ? Date.now() : Date.parse(new Date().toLocaleDateString('sv', { timeZone }))
  const times: string[] = []
  for (let at = Date.parse(first); at <= last; at += isHour ? HOUR_MS : DAY_MS) {
    const text = new Date(at).toISOString()
    times.push(isHour ? `${text.slice(0, 16)}Z` : text.slice(0, 10))
  }
  return times
}

/** Tells parts from each other; empty for the others. */
export const keyOf = ({ groups, others }: UsageRecord): string => (others === undefined ? (groups?.at(-1) ?? '') : '')

/** As people call it: accounts by their labels. */
export function nameOf({ group, groups, label, others }: UsageRecord): string {
  const name = groups?.at(-1) ?? group
  if (others !== undefined) return `${others} others`
  return label === undefined || label === name ? name : label
}
