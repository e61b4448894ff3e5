import type { ShownStanding } from '../http/event-records.ts'
import { shareOf } from './tail/arrange.ts'
import { quotaCell, rateCell } from './tail/cells.ts'
import { table } from './talk.ts'

/** How accounts stand, as people read it: the most used first. */
export function quotaTable(standings: readonly ShownStanding[]): string {
  const rows = [...standings].sort((a, b) => shareOf(b) - shareOf(a))
  return table([
    ['ACCOUNT', 'ID', 'PLAN', 'QUOTA', 'HELD', 'RPM', 'TPM', 'RESETS'],
    ...rows.map(standing => [
      standing.label,
      standing.account,
      standing.plan,
      quotaCell(standing, 10),
      `$${standing.held_usd}`,
      rateCell(standing.requests, standing.requests_limit),
      rateCell(standing.tokens, standing.tokens_limit),
      standing.reset,
    ]),
  ])
}
