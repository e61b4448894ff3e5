import { MONTH_FORMS, monthMeant } from '../../policy/billing/month.ts'
import { type Calendar, dayOfCalendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { daysBefore, readSince, SINCE_FORMS } from '../../wire/admin/since.ts'
import type { PeriodQuery } from '../../wire/admin-api/fields.ts'

/** From a moment on, and before another one. */
export interface Period {
  readonly since?: EpochMs
  readonly until?: EpochMs
}

/** A month names both ends, so that neither goes with it. */
export function periodIn({ since, until, month }: PeriodQuery, now: EpochMs, calendar?: Calendar): Period | Denied {
  if (month !== undefined) {
    if (since !== undefined || until !== undefined) return invalid('month', 'cannot be combined with since or until')
    return monthIn(month, now, calendar)
  }
  const from = since === undefined ? undefined : readSince(since, now, calendar)
  if (since !== undefined && from === undefined) return invalid('since', `must be ${SINCE_FORMS}`)
  const to = until === undefined ? undefined : readSince(until, now, calendar)
  if (until !== undefined && to === undefined) return invalid('until', `must be ${SINCE_FORMS}`)
  if (from !== undefined && to !== undefined && to <= from) return invalid('until', 'must be after since')
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { until: to }) }
}

function monthIn(text: string, now: EpochMs, calendar?: Calendar): Period | Denied {
  const meant = monthMeant(text, now, calendar)
  return meant ? { since: meant.since, until: meant.until } : invalid('month', `must be ${MONTH_FORMS}`)
}

/** The days that a period touches: the first one, and the one after the last. */
export const daysIn = ({ since, until }: Period, calendar: Calendar = UTC_CALENDAR) => ({
  ...(since !== undefined && { since: dayOfCalendar(calendar, since) }),
  ...(until !== undefined && { until: dayOfCalendar(calendar, until - 1) + 1 }),
})

/** The UTC hours that a period touches; the last 48, with the running one, where it says no beginning. */
export function hoursIn({ since, until }: Period, now: EpochMs, calendar?: Calendar): Required<Period> | Denied {
  // Two days have 49 hours where clocks are set back.
  const earliest = Math.min(now - MOST_HOURS * HOUR, daysBefore(MOST_HOURS / 24, now, calendar))
  if (since !== undefined && since < earliest)
    return invalid('since', `may go back at most ${MOST_HOURS} hours when grouped by hour`)
  const end = Math.ceil(Math.min(until ?? Number.POSITIVE_INFINITY, now + 1) / HOUR) * HOUR
  const first = Math.floor((since ?? now - (MOST_HOURS - 1) * HOUR) / HOUR)
  return { since: first * HOUR, until: end }
}

const HOUR: Millis = 3_600_000
const MOST_HOURS = 48
