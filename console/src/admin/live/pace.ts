import { number, usd } from '../../shared/fmt.ts'
import * as text from '../texts/live.tsx'
import type { Board } from './board.ts'

/** `1,001 accounts · 42 rpm · $1.20/h · 3 under way`, and what came too fast to be shown. */
export function paceText(board: Board): string {
  const { rpm, nanoUsdPerHour } = board.pace(Date.now())
  let underWay = 0
  for (const { standing } of board.rows.values()) underWay += standing.under_way
  return [
    text.accountCount(board.rows.size),
    text.requestsAMinute(number(rpm)),
    `${usd(nanoUsdPerHour / 1e9)}/h`,
    text.underWay(number(underWay)),
    ...[...board.unfollowed].map(([gateway, problem]) => text.notFollowed(gateway, problem)),
    ...(board.missed > 0 ? [text.missedWhichCameFaster(text.events(board.missed))] : []),
  ].join(' · ')
}
