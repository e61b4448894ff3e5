import type { EpochMs } from './config.ts'
import type { Window } from './decision.ts'

/** The calendar month, UTC, that `at` lies in. */
export function windowOf(at: EpochMs): Window {
  const date = new Date(at)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}
