import { constants, getPriority, setPriority } from 'node:os'

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL

/** Lets the demo's start come first, which keeps every core busy. A process further behind stays there: root alone may go forward. */
export function stepBack(): void {
  if (getPriority() < BEHIND) setPriority(BEHIND)
}
