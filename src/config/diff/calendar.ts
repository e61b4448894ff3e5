import { type Calendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import { type Change, placeIn, type Sides } from './changes.ts'

/** The changes of the calendar, with what they mean for counters that run. */
export function compareCalendar({ before, after }: Sides): readonly Change[] {
  const [was, is] = [before, after].map(({ loaded }) => loaded.config.calendar ?? UTC_CALENDAR) as [Calendar, Calendar]
  const changes: Change[] = []
  const add = (field: string, from: string, to: string, text: string) => {
    if (from !== to)
      changes.push({ subject: field, field, from, to, text, effect: 'other', at: placeIn(after.loaded, field) })
  }
  add('zone', was.zone, is.zone, zoneText(was, is))
  add('fiscal_month_starts', String(was.monthStarts), String(is.monthStarts), startText(was, is))
  return changes
}

const zoneText = (was: Calendar, is: Calendar): string =>
  `zone ${was.zone} → ${is.zone}: limits per day, week, month and quarter start new counters, which begin with the ledger's days; monthly_usd continues; issued invoices stay as they are`

const startText = (was: Calendar, is: Calendar): string =>
  `fiscal_month_starts ${was.monthStarts} → ${is.monthStarts}: monthly_usd and limits per month and quarter start new counters; the next invoice begins where the last issued one ends`
