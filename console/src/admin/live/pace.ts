import { number, plural, usd } from '../../shared/fmt.ts'
import type { Board } from './board.ts'

/** `1,001 accounts · 42 rpm · $1.20/h · 3 under way`, and what came too fast to be shown. */
export function paceText(board: Board): string {
  const { rpm, nanoUsdPerHour } = board.pace(Date.now())
  let underWay = 0
  for (const { standing } of board.rows.values()) underWay += standing.under_way
  return [
    plural(board.rows.size, 'account'),
    `${number(rpm)} rpm`,
    `${usd(nanoUsdPerHour / 1e9)}/h`,
    `${number(underWay)} under way`,
    ...(board.missed > 0 ? [`${plural(board.missed, 'event')} missed, which came faster than this page reads`] : []),
  ].join(' · ')
}
