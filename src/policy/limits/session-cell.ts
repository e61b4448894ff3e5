/**
 * The only cell of a counter that ends once nothing was asked for so long. Its index is twice the second in which it was asked
 * last, and one more once its last turn was granted, so that it fits wherever cells are stored. redis/holds/rules.lua has the
 * same, proven equal by test/adapters/store/redis/redis-scripts.properties.test.ts.
 */
export interface SessionCell {
  readonly index: number
  readonly used: number
  readonly held: number
}

const secondOf = (index: number): number => Math.floor(index / 2)

/** The index of a cell that is asked in a second. */
export const sessionIndex = (second: number, isClosed = false): number => 2 * second + (isClosed ? 1 : 0)

/** The second in which a cell was asked last. */
export const sessionSecond = secondOf

/** Whether the last turn of a session was granted: nothing more is. */
export const isClosed = (index: number): boolean => index % 2 === 1

/** The index of a cell whose last turn is granted. */
export const closedIndex = (index: number): number => sessionIndex(secondOf(index), true)

/** The index of a cell whose last turn may be granted. */
export const openIndex = (index: number): number => sessionIndex(secondOf(index))

/** Whether a cell still counts while `current` is the current one: not `idle` seconds later, unless a request holds some of it. */
export const isAlive = ({ index, held }: SessionCell, idle: number, current: number): boolean =>
  held > 0 || secondOf(current) - secondOf(index) <= idle

/** The current cell in a second: the one there is goes on in it, and keeps whether it is closed. */
export function currentSession(cell: SessionCell | undefined, idle: number, second: number): number {
  const clock = sessionIndex(second)
  if (!cell || !isAlive(cell, idle, clock)) return clock
  return sessionIndex(Math.max(second, secondOf(cell.index)), isClosed(cell.index))
}

/** The cell after a change while `current` is the current one. A cell that ended begins anew. */
export function addToSession(
  cell: SessionCell | undefined,
  idle: number,
  { index, used, held }: SessionCell,
  current: number,
): SessionCell {
  const live = cell && isAlive(cell, idle, current) ? cell : NOTHING
  return {
    index: sessionIndex(Math.max(secondOf(current), secondOf(live.index)), isClosed(live.index) || isClosed(index)),
    used: Math.max(0, live.used + used),
    held: Math.max(0, live.held + held),
  }
}

const NOTHING: SessionCell = { index: 0, used: 0, held: 0 }

/** So many counters of sessions are kept for an account. Clients choose the ids: an account that invents more loses its own. */
export const MOST_SESSION_COUNTERS = 1000
/** So many are left where there are more, so that not each new one looks at all. */
const KEPT_SESSION_COUNTERS = 900

/** The counters of sessions that go where there are too many: those that were asked longest ago, and never one that is held. */
export function crowdedOut(group: ReadonlyMap<string, readonly SessionCell[]>): readonly string[] {
  const idle = [...group].flatMap(([field, [cell]]) =>
    cell && cell.held > 0 ? [] : [{ field, index: cell?.index ?? 0 }],
  )
  const byAge = (one: (typeof idle)[number], other: (typeof idle)[number]) =>
    secondOf(one.index) - secondOf(other.index) || (one.field < other.field ? -1 : 1)
  return idle
    .sort(byAge)
    .slice(0, Math.max(0, group.size - KEPT_SESSION_COUNTERS))
    .map(({ field }) => field)
}
