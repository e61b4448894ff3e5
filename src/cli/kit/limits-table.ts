import { withoutFraction } from '../../server/log/terminal-text.ts'
import { nameOfUse, type ShownLimitUse } from '../../wire/admin/limit-use.ts'
import { oneLine } from '../../wire/printable.ts'
import { type Column, tableText } from './table.ts'
import { usdCell } from './usd.ts'

/** Every limit of an account, as people read it. */
export const limitsTable = (limits: readonly ShownLimitUse[]): string =>
  tableText(
    LIMIT_COLUMNS,
    limits.map(use => [
      oneLine(nameOfUse(use)),
      use.key ?? '',
      ...[use.limit, use.used, use.held, use.remaining].map(amount => amountCell(use, amount)),
      use.resets_at === null ? '-' : withoutFraction(use.resets_at),
    ]),
  )

const amountCell = ({ measure }: ShownLimitUse, amount: string | null): string => {
  if (amount === null) return '-'
  return measure === 'usd' ? usdCell(amount) : amount
}

const LIMIT_COLUMNS: readonly Column[] = [
  { title: 'LIMIT', least: 20 },
  { title: 'KEY', gives: 1 },
  { title: 'MOST' },
  { title: 'USED' },
  { title: 'RESERVED', gives: 3 },
  { title: 'LEFT' },
  { title: 'RESETS', gives: 2 },
]
