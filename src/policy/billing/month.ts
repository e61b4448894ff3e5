import { type Calendar, firstDayOf, spanAt, startOf, UTC_CALENDAR } from '../calendar.ts'
import type { EpochMs, Millis } from '../config.ts'
import type { DayNumber } from '../zone.ts'

/** A month of a calendar: `2026-10`, its first moment, and that of the month after it. */
export interface BillingMonth {
  readonly month: string
  readonly since: EpochMs
  readonly until: EpochMs
  /** Its first day, and the day after its last one: whose sums it bills. */
  readonly firstDay: DayNumber
  readonly endDay: DayNumber
  readonly calendar: Calendar
}

/** After a month, how long its last requests have to be settled before its invoice is issued. */
export const CLOSES_AFTER: Millis = 86_400_000

/** `running` until the month is over, `closing` for a day, then `issued`. */
export type InvoiceState = 'running' | 'closing' | 'issued'

export function stateOf({ until }: Pick<BillingMonth, 'until'>, now: EpochMs): InvoiceState {
  if (now < until) return 'running'
  return now < until + CLOSES_AFTER ? 'closing' : 'issued'
}

export const monthAt = (at: EpochMs, calendar: Calendar = UTC_CALENDAR): BillingMonth =>
  monthOf(spanAt('month', calendar, at).index, calendar)

/** The month of a name such as `2026-10`. Undefined where the text is no month. */
export function monthNamed(text: string, calendar: Calendar = UTC_CALENDAR): BillingMonth | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? []
  return year === undefined ? undefined : monthOf(Number(year) * 12 + Number(month) - 1, calendar)
}

/** The forms that `monthMeant` reads, for messages. */
export const MONTH_FORMS = 'a month such as 2026-10, this or last'

const MONTHS_AGO: ReadonlyMap<string, number> = new Map([
  ['this', 0],
  ['last', 1],
])

/** The month of a name, the one that runs (`this`) or the one before it (`last`). Undefined where the text means none. */
export function monthMeant(text: string, now: EpochMs, calendar: Calendar = UTC_CALENDAR): BillingMonth | undefined {
  const ago = MONTHS_AGO.get(text)
  return ago === undefined ? monthNamed(text, calendar) : monthBefore(monthAt(now, calendar), ago)
}

/** This many months before another one. */
export const monthBefore = ({ month, calendar }: BillingMonth, months = 1): BillingMonth =>
  monthOf(indexOf(month) - months, calendar)

const indexOf = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1

function monthOf(index: number, calendar: Calendar): BillingMonth {
  const [since, until] = [startOf('month', calendar, index), startOf('month', calendar, index + 1)]
  const [firstDay, endDay] = [firstDayOf('month', calendar, index), firstDayOf('month', calendar, index + 1)]
  const month = `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`
  return { month, since, until, firstDay, endDay, calendar }
}

/** The number of an invoice: `INV-2026-10-9G7wJY0iLwq9uFOir78m`. One month of one account has one. */
export const invoiceNumber = (account: string, month: string): string =>
  `INV-${month}-${account.slice(account.indexOf('_') + 1)}`
