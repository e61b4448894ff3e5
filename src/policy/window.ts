import type { EpochMs } from './config.ts'
import type { Window } from './decision.ts'

/** The one that was asked for last, as most are in the same. */
let latest: Window = { start: 0, end: 0 }

/** The calendar month, UTC, that `at` lies in. */
export function windowOf(at: EpochMs): Window {
  if (at < latest.start || at >= latest.end) latest = monthOf(at)
  return latest
}

function monthOf(at: EpochMs): Window {
  const date = new Date(at)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}
