/**
 * The only cell of a session's counter, which ends after an idle period. Its index is twice the second of its last
 * request, plus one once its last turn was granted, so that it fits wherever cells are stored. redis/holds/rules.lua
 * does the same, which test/adapters/store/redis/redis-scripts.properties.test.ts proves.
 */
export interface SessionCell {
  readonly index: number
  readonly used: number
  readonly held: number
}

const secondOf = (index: number): number => Math.floor(index / 2)

/** The index of a cell with a request in this second. */
export const sessionIndex = (second: number, isClosed = false): number => 2 * second + (isClosed ? 1 : 0)

/** The second of a cell's last request. */
export const sessionSecond = secondOf

/** Whether a session's last turn was granted, so that nothing more is. */
export const isClosed = (index: number): boolean => index % 2 === 1

/** The index of a cell whose last turn is granted. */
export const closedIndex = (index: number): number => sessionIndex(secondOf(index), true)

/** The index of a cell whose last turn may be granted. */
export const openIndex = (index: number): number => sessionIndex(secondOf(index))

/**
 * Whether a cell still counts when the current index is `current`: it ends after `idle` seconds, unless a request holds
 * some of it.
 */
export const isAlive = ({ index, held }: SessionCell, idle: number, current: number): boolean =>
  held > 0 || secondOf(current) - secondOf(index) <= idle

/** The current cell in a second: an existing cell moves to it, and stays open or closed. */
export function currentSession(cell: SessionCell | undefined, idle: number, second: number): number {
  const clock = sessionIndex(second)
  if (!cell || !isAlive(cell, idle, clock)) return clock
  return sessionIndex(Math.max(second, secondOf(cell.index)), isClosed(cell.index))
}

/** The cell after a change at the current index. A cell that ended starts over. */
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

/**
 * The maximum of session counters of an account. Clients choose session ids: an account that invents more evicts its
 * own.
 */
export const MOST_SESSION_COUNTERS = 1000
/** The number left after an eviction, so that not every new session scans all of them. */
const KEPT_SESSION_COUNTERS = 900

/** The session counters to evict if there are too many: the least recently used, and never one that is held. */
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
