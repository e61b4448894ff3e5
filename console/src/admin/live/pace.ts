import { number, plural, usd } from '../../shared/fmt.ts'
import type { Board } from './board.ts'

/** `1,001 accounts · 42 requests a minute · $1.20 an hour · 3 under way · 0 missed` */
export function paceText(board: Board): string {
  const { rpm, nanoUsdPerHour } = board.pace(Date.now())
  let underWay = 0
  for (const { standing } of board.rows.values()) underWay += standing.under_way
  return [
    plural(board.rows.size, 'account'),
    `${number(rpm)} rpm`,
    `${usd(nanoUsdPerHour / 1e9)}/h`,
    `${number(underWay)} under way`,
    `${number(board.missed)} missed`,
  ].join(' · ')
}
