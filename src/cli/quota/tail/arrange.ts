import type { Row } from './board.ts'

/** What a table can be sorted by, in the order that `s` goes through. */
export const SORTS = ['recent', 'quota', 'rpm', 'tpm', 'reserved', 'account'] as const
export type Sort = (typeof SORTS)[number]

export interface Arrangement {
  readonly sort: Sort
  /** In the label, id or plan, in any case; empty for all. */
  readonly filter: string
}

/** The rows that pass the filter, the first of the sort first; those that are equal by label. */
export function arrange(rows: Iterable<Row>, { sort, filter }: Arrangement): Row[] {
  const wanted = filter.toLowerCase()
  const passing = wanted === '' ? [...rows] : Array.from(rows).filter(row => textOf(row).includes(wanted))
  const weigh = WEIGHTS[sort]
  // Weighed once each: a comparison is made about 130,000 times for 10,000 rows.
  return passing
    .map(row => ({ row, weight: weigh(row) }))
    .sort((a, b) => b.weight - a.weight || compare(a.row.standing.label, b.row.standing.label))
    .map(({ row }) => row)
}

const textOf = ({ standing: { label, account, plan } }: Row): string => `${label}\n${account}\n${plan}`.toLowerCase()

const WEIGHTS: Readonly<Record<Sort, (row: Row) => number>> = {
  recent: ({ last }) => (last ? Date.parse(last.at) + last.ms : 0),
  quota: ({ standing }) => shareOf(standing),
  rpm: ({ standing }) => standing.requests,
  tpm: ({ standing }) => standing.tokens,
  reserved: ({ standing }) => Number(standing.held_usd),
  account: () => 0,
}

/** How much of the limit is used: 1 is all of it. */
export function shareOf({ used_usd, limit_usd }: Row['standing']): number {
  const limit = Number(limit_usd ?? 0)
  const used = Number(used_usd)
  if (limit > 0) return used / limit
  return used > 0 ? Number.POSITIVE_INFINITY : 0
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
