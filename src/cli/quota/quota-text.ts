import { withoutFraction } from '../../server/log/time-of-day.ts'
import type { ShownStanding } from '../../wire/admin/event.ts'
import { type Column, tableText, terminalWidth, widthOf } from '../table.ts'
import { shareOf } from './tail/arrange.ts'
import { quotaCell, rateCell, usdCell } from './tail/cells.ts'

/** What accounts have used, as people read it: the most used first. */
export function quotaTable(standings: readonly ShownStanding[]): string {
  const rows = [...standings].sort((a, b) => shareOf(b) - shareOf(a))
  const withBar = tableOf(rows, BAR)
  // The bar says again what the numbers say, so it goes before any of them.
  return withBar.split('\n').every(line => widthOf(line) <= terminalWidth()) ? withBar : tableOf(rows, 0)
}

const BAR = 10

const tableOf = (standings: readonly ShownStanding[], bar: number): string =>
  tableText(
    COLUMNS,
    standings.map(standing => [
      standing.label,
      standing.account,
      standing.plan,
      quotaCell(standing, bar),
      usdCell(standing.held_usd),
      rateCell(standing.requests, standing.requests_limit),
      rateCell(standing.tokens, standing.tokens_limit),
      withoutFraction(standing.reset),
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'ACCOUNT', least: 20 },
  // Left out rather than have labels cut: they are what people know an account by.
  { title: 'ID', gives: 1 },
  { title: 'PLAN', least: 6, gives: 3 },
  { title: 'QUOTA' },
  { title: 'RESERVED', gives: 4 },
  { title: 'RPM' },
  { title: 'TPM' },
  { title: 'RESETS', gives: 2 },
]
