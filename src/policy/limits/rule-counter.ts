import { spanAt, startOf } from '../calendar.ts'
import type { EpochMs, Millis } from '../time.ts'
import { idleSeconds, type LimitWindow, slidingDays } from './rule.ts'
import { addToSession, currentSession, isAlive, sessionIndex, sessionSecond } from './session-cell.ts'
import { calendarOf } from './zoned-window.ts'

/**
 * The use of one measure in one window: cells, oldest first. Plain JSON, replaced as a whole, never changed in place.
 * A request belongs to the cell of its admission, or of a later round. redis/holds/rules.lua has the same, proven equal by
 * test/adapters/store/redis/redis-scripts.properties.test.ts.
 */
export type RuleCounter = readonly Cell[]

/** A calendar window is one cell, and so is a session; a window that slides has 61, of a sixtieth of its length each. */
export interface Cell {
  /** How many cells of its length there were before it; of months and quarters, since the year 0. */
  readonly index: number
  /** Settled. */
  readonly used: number
  /** Held by running requests. */
  readonly held: number
}

export const NO_CELLS: RuleCounter = []

/** The part of a counter that counts at a moment, as sums. */
export interface RuleUse {
  /** The cell that is current. */
  readonly index: number
  readonly used: number
  readonly held: number
}

/** The part of a counter that counts at a moment. */
export interface RuleReading extends RuleUse {
  /** The cells that count, oldest first. */
  readonly cells: RuleCounter
}

export const useOf = ({ index, used, held }: RuleUse): RuleUse => ({ index, used, held })

/** The reading of a counter in which nothing was counted. */
export const NOTHING_READ: RuleReading = { index: 0, used: 0, held: 0, cells: NO_CELLS }

/** A clock that went back further than this starts a counter anew instead of freezing it. */
const STEP_BACK_SECONDS = 120

/** So many cells before the current one count where a window slides; all of them cover every span of its length. */
const CELLS_BEFORE = 60

/** Reads a counter at a moment, by the cell that is current then. When the clock stepped back, the newest cell stays current. */
export function readRule(counter: RuleCounter, per: LimitWindow | undefined, now: EpochMs): RuleReading {
  return readCell(counter, per, currentCell(counter, per, now))
}

/** Reads a counter whose current cell is `index`. */
export function readCell(counter: RuleCounter, per: LimitWindow | undefined, index: number): RuleReading {
  const idle = idleOf(per)
  if (idle !== undefined) return readSession(counter, idle, index)
  const oldest = firstCell(per, index)
  const cells = isLive(counter, oldest, index)
    ? counter
    : counter.filter(cell => cell.index >= oldest && cell.index <= index)
  let used = 0
  let held = 0
  for (const cell of cells) {
    used += cell.used
    held += cell.held
  }
  return { index, used, held, cells }
}

/** Reads a counter of a session. */
function readSession(counter: RuleCounter, idle: number, index: number): RuleReading {
  const cell = counter.at(-1)
  if (!cell || !isAlive(cell, idle, index)) return { index, used: 0, held: 0, cells: NO_CELLS }
  return { index, used: cell.used, held: cell.held, cells: [cell] }
}

/** Whether all cells lie between these. */
const isLive = (counter: RuleCounter, oldest: number, newest: number): boolean =>
  counter.length === 0 || ((counter[0]?.index ?? 0) >= oldest && (counter[counter.length - 1]?.index ?? 0) <= newest)

export function currentCell(counter: RuleCounter, per: LimitWindow | undefined, now: EpochMs): number {
  const idle = idleOf(per)
  if (idle !== undefined) return currentSession(counter.at(-1), idle, Math.floor(now / 1000))
  const clock = cellAt(per, now)
  const newest = counter[counter.length - 1]?.index
  if (newest === undefined || newest <= clock) return clock
  return cellStart(per, newest) - now > STEP_BACK_SECONDS * 1000 ? clock : newest
}

/**
 * The counter after a change of one cell, while `current` is the current one. Cells that count no more are dropped once
 * nothing is held in them, and so are those of a clock that was far ahead.
 */
export function addToCell(
  counter: RuleCounter,
  per: LimitWindow | undefined,
  { index, used, held }: Cell,
  current: number,
): RuleCounter {
  const idle = idleOf(per)
  if (idle !== undefined) return [addToSession(counter.at(-1), idle, { index, used, held }, current)]
  const found = counter.findIndex(cell => cell.index >= index)
  const place = found < 0 ? counter.length : found
  const before = counter[place]?.index === index ? counter[place] : undefined
  const after = counter.slice()
  after.splice(place, before ? 1 : 0, more(before ?? { index, used: 0, held: 0 }, used, held))
  const oldest = firstCell(per, current)
  return after.every(cell => isKept(cell, oldest, current))
    ? after
    : after.filter(cell => isKept(cell, oldest, current))
}

const more = (cell: Cell, used: number, held: number): Cell => ({
  index: cell.index,
  used: Math.max(0, cell.used + used),
  held: Math.max(0, cell.held + held),
})

const isKept = ({ index, held }: Cell, oldest: number, current: number): boolean =>
  index <= current && (index >= oldest || held > 0)

/** Until enough of the oldest cells have left the window for `over` units to be free. */
export function waitForCells(
  { cells, index }: RuleReading,
  per: LimitWindow | undefined,
  over: number,
  now: EpochMs,
): Millis {
  if (idleOf(per) !== undefined) return Math.max(1, cellEnd(per, cells[0]?.index ?? index) - now)
  let missing = over
  for (const cell of cells) {
    missing -= cell.used + cell.held
    if (missing <= 0) return Math.max(1, cellEnd(per, cell.index) - now)
  }
  return Math.max(1, cellEnd(per, index) - now)
}

/** Whether a window slides, cell by cell. */
export const slides = (per: LimitWindow | undefined): boolean => per !== undefined && lengthOf(per).slides

/** The seconds without a request that end a window of a session; undefined for all others. */
const idleOf = (per: LimitWindow | undefined): number | undefined =>
  per === undefined ? undefined : lengthOf(per).idle

/** The first cell of the window in which `index` is current. */
export const firstCell = (per: LimitWindow | undefined, index: number): number =>
  slides(per) ? index - CELLS_BEFORE : index

/** The seconds of a cell, and where the first one begins. */
interface Length {
  readonly seconds: number
  readonly from: number
  readonly slides: boolean
  /** The seconds without a request that end it, of a session. */
  readonly idle?: number
}

/** 1970-01-05, the first Monday. */
const FIRST_MONDAY_SECONDS = 4 * 86_400

const clock = (seconds: number, from = 0): Length => ({ seconds, from, slides: false })

const NO_LENGTH = clock(0)

/** Lengths by window. Those of days and sessions are added when first used; there are few. Units of calendars vary, and have none. */
const LENGTHS = new Map<LimitWindow, Length>([
  ['second', clock(1)],
  ['minute', { seconds: 1, from: 0, slides: true }],
  ['hour', clock(3600)],
  ['day', clock(86_400)],
  ['week', clock(604_800, FIRST_MONDAY_SECONDS)],
])

function lengthOf(per: LimitWindow): Length {
  const known = LENGTHS.get(per)
  if (known) return known
  if (calendarOf(per)) return NO_LENGTH
  const idle = idleSeconds(per)
  const length =
    idle === undefined
      ? { seconds: ((slidingDays(per) ?? 1) * 86_400) / CELLS_BEFORE, from: 0, slides: true }
      : { ...clock(1), idle }
  LENGTHS.set(per, length)
  return length
}

/** The cell of a moment. Counters of running requests have no window and one cell. */
export function cellAt(per: LimitWindow | undefined, at: EpochMs): number {
  if (per === undefined) return 0
  const window = calendarOf(per)
  if (window) return spanAt(window.unit, window.calendar, at).index
  const { seconds, from, idle } = lengthOf(per)
  const second = Math.floor(at / 1000)
  return idle === undefined ? Math.floor((second - from) / seconds) : sessionIndex(second)
}

/** When a cell begins. */
export function cellStart(per: LimitWindow | undefined, index: number): EpochMs {
  if (per === undefined) return 0
  const window = calendarOf(per)
  if (window) return startOf(window.unit, window.calendar, index)
  const { seconds, from, idle } = lengthOf(per)
  return (idle === undefined ? index * seconds + from : sessionSecond(index)) * 1000
}

/** Whether nothing counts at a moment of a counter whose newest cell this is. */
export const isOver = (newest: number | undefined, per: LimitWindow | undefined, at: EpochMs): boolean =>
  newest === undefined || cellEnd(per, newest) <= at

/** When a cell no longer counts. */
export function cellEnd(per: LimitWindow | undefined, index: number): EpochMs {
  const idle = idleOf(per)
  if (idle !== undefined) return (sessionSecond(index) + idle + 1) * 1000
  return cellStart(per, index + 1 + (slides(per) ? CELLS_BEFORE : 0))
}

/** When a window that holds a moment began: what the ledger knows since then counts in a window that is new. */
export const windowStart = (per: LimitWindow, at: EpochMs): EpochMs => cellStart(per, firstCell(per, cellAt(per, at)))
