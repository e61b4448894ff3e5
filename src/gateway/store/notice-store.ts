import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Crossing } from '../../policy/notices.ts'
import type { Notice } from '../../records/notice.ts'

/**
 * Notices on their way to operators and customers: one facet of the Store, see there for clock and outages.
 * The step that settles a request writes down which thresholds it crossed (`Settlement.watches`), each once in its window.
 * One gateway at a time, which has the lease, makes notices of these and delivers them.
 */
export interface NoticeStore {
  /** Lets one process at a time deliver, for so long. False while another one does. */
  lease(holder: string, forMs: Millis): Promise<boolean>
  /** Gives the lease back, so that another process need not wait for its end. */
  release(holder: string): Promise<void>
  /** About so many of the crossings that settlements wrote down. They stay until they are removed. */
  readCrossings(most: number): Promise<readonly Crossing[]>
  /** Removes crossings that became notices. Those that are gone already are passed over. Durable. */
  removeCrossings(crossings: readonly Crossing[]): Promise<void>
  /** Adds notices whose ids are not known yet. Resolves to how many were new, or the ids of those for which there is no room. Durable. */
  add(notices: readonly Notice[]): Promise<Added>
  /** Writes notices again that are there. One that waits `again` comes once more to the reader of those that wait. Durable. */
  write(notices: readonly Notice[], again?: boolean): Promise<void>
  /** How far a watcher of keys, accounts or incidents has come; undefined before its first look. */
  readProgress(watcher: string): Promise<string | undefined>
  /**
   * Replaces the progress of a watcher, and adds the notices of what it saw that are not known yet. False, with nothing
   * changed, where its progress is not `before`, or there is no room for all of them. Durable.
   */
  advance(progress: Progress, notices: readonly Notice[]): Promise<boolean>
  /** Notices with a delivery that waits, in the order in which they began to wait, behind a number; of all without one. */
  readWaiting(most: number, after?: number): Promise<readonly WaitingNotice[]>
  countWaiting(): Promise<number>
  find(id: string): Promise<Notice | undefined>
  /** Newest first; older ones than the one at a place, where there is one. */
  readNewest(most: number, before?: string): Promise<readonly Notice[]>
  /** Removes notices without a delivery that waits: those of before a moment, and the oldest beyond a number. Resolves to how many. */
  trim(before: EpochMs, most: number): Promise<number>
}

export interface Added {
  readonly added: number
  readonly full: readonly string[]
}

export interface Progress {
  readonly watcher: string
  /** Absent before its first look. */
  readonly before?: string | undefined
  readonly after: string
}

export interface WaitingNotice {
  readonly number: number
  readonly notice: Notice
}

/** Deliveries that wait, at most, so that a receiver that never comes back fills no store. */
export const MOST_WAITING = 20_000

/** Crossings that wait until they become notices, at most. */
export const MOST_CROSSINGS = 100_000

/** The place of a notice in the order of time. */
export const placeOfNotice = ({ at, id }: Pick<Notice, 'at' | 'id'>): string => `${String(at).padStart(15, '0')} ${id}`
