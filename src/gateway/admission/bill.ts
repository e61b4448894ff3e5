import { dayOfCalendar } from '../../policy/calendar.ts'
import type { Pool } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import { calendarOf } from '../../policy/limits/zoned-window.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import { dayText, isUtc } from '../../policy/zone.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { AdmittedCall } from './admit.ts'

/** The bill of a request at a pool, with no work on it yet. */
export function emptyBill(admitted: AdmittedCall, pool: Pool): Mutable<Bill> {
  const { request, decision } = admitted
  const bill = plainBill(admitted, pool)
  if (decision.labels) bill.labels = decision.labels
  if (request.session !== undefined) bill.session = request.session
  const day = billingDay(admitted)
  if (day !== undefined) bill.day = day
  return bill
}

/** The day of a request's month that it is billed on; undefined where days are those of UTC. */
function billingDay({ decision, hold }: AdmittedCall): string | undefined {
  const { per } = decision.claims.spend.window
  const calendar = per && calendarOf(per)?.calendar
  return calendar && !isUtc(calendar.zone) ? dayText(dayOfCalendar(calendar, hold.at)) : undefined
}

const plainBill = ({ caller, request, decision, hold, revision }: AdmittedCall, pool: Pool): Mutable<Bill> => ({
  requestId: hold.requestId,
  account: caller.account,
  plan: decision.plan.name,
  asked: request.model ?? '',
  model: decision.model.name,
  pool: pool.name,
  inputTokens: 0,
  outputTokens: 0,
  cost: ZERO_USD,
  estimated: true,
  admittedAt: hold.at,
  revision,
})
