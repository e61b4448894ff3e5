import { labelsOf } from '../../gateway/accounts/labels.ts'
import { type UsageQuery, usageBy } from '../../gateway/accounts/usage-totals.ts'
import type { LedgerQuery } from '../../gateway/store/ledger-store.ts'
import { type Calendar, dayOfCalendar, startOf, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { isUtc } from '../../policy/zone.ts'
import { type LedgerRecord, ledgerRecord } from '../../wire/admin/ledger-record.ts'
import { dayText, hourText } from '../../wire/admin/since.ts'
import {
  GROUPS,
  type Group,
  groupNamed,
  labelIn,
  NO_VALUE,
  type UsageReport,
  usageReport,
} from '../../wire/admin/usage-report.ts'
import type { QueryOf } from '../../wire/admin-api/call.ts'
import type { RowsQuery } from '../../wire/admin-api/fields.ts'
import type * as calls from '../../wire/admin-api/usage.ts'
import { focusCsv } from '../../wire/focus/csv.ts'
import { inChunks } from '../../wire/lines.ts'
import type { HttpCall } from '../listener/call.ts'
import type { Asked } from './declared.ts'
import { sendLines } from './exports.ts'
import { type AdminContext, ownerIn } from './op.ts'
import type { OperatorApp } from './operator-app.ts'
import { daysIn, hoursIn, type Period, periodIn } from './period.ts'
import { sendStream } from './stream-answer.ts'

/** Dependencies of the usage endpoints. */
type UsageApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

/** GET /admin/usage: totals of whole UTC days or hours, with what was wasted; of one account or key, or of all. */
export const showUsage = (app: UsageApp, { query }: Asked<typeof calls.showUsage>): Promise<UsageReport | Denied> =>
  readUsage(app, query)

/** GET /admin/ledger: rows as JSON lines, or as CSV with the columns of FOCUS. */
export async function exportLedger(
  app: UsageApp,
  asked: Asked<typeof calls.exportLedger>,
  call: HttpCall,
): Promise<void> {
  const { format, ...texts } = asked.query
  const query = await rowsQuery(app, texts)
  if ('denial' in query) return call.deny(query.denial)
  if (format === 'focus') await sendStream(call, 'text/csv; charset=utf-8', inChunks(focusLedger(app, query)))
  else await sendLines(call, ledgerRecords(app, query))
}

type AskedUsage = QueryOf<typeof calls.showUsage>

type UsageContext = Pick<AdminContext, 'store' | 'settings' | 'clock' | 'config'>

export async function readUsage(context: UsageContext, asked: AskedUsage): Promise<UsageReport | Denied> {
  const { top, by: _by, split: _split, waste: _waste, ...texts } = asked
  const groups = groupsIn(asked)
  if ('denial' in groups) return groups
  const unknown = unknownLabel(context, groups.by)
  const wasteBy = wasteIn(asked, groups.by)
  if ('denial' in wasteBy) return wasteBy
  const period = periodIn(texts, context.clock.now(), context.config.calendar)
  if ('denial' in period) return period
  const owner = await ownerIn(context, texts)
  if ('denial' in owner) return owner
  const query = { by: groups.by, ...owner, ...wasteBy, ...(top !== undefined && { top }) }
  const report = await (isOfRows(groups.by)
    ? usageOfHours(context, period, groups, query)
    : usageOfDays(context, period, groups, query))
  // A label that the files declare no more may still be in rows.
  if (!unknown || 'denial' in report) return report
  const place = groups.by.indexOf(`label:${unknown}`)
  const isInRows = report.data.some(({ group, groups: all = [group] }) => (all[place] ?? NO_VALUE) !== NO_VALUE)
  return isInRows ? report : noSuchGroup(context, unknown)
}

/** Sums of days are kept; these are made of rows. */
const isOfRows = (by: readonly Group[]): boolean =>
  by.some(group => group === 'hour' || group === 'session' || labelIn(group) !== undefined)

const unknownLabel = ({ config }: Pick<UsageContext, 'config'>, by: readonly Group[]): string | undefined =>
  by.map(labelIn).find(label => label !== undefined && !config.labels.has(label))

const noSuchGroup = ({ config }: Pick<UsageContext, 'config'>, name: string): Denied =>
  invalid('by', `\`${name}\` is not a group; there are ${[...GROUPS, ...config.labels.keys()].join(', ')}`)

async function usageOfDays(
  { store, config: { calendar } }: UsageContext,
  period: Period,
  groups: AskedGroups,
  query: UsageQuery,
): Promise<UsageReport> {
  const days = daysIn(period, calendar)
  const since = days.since === undefined ? {} : { since: dayText(days.since) }
  const until = days.until === undefined ? {} : { until: dayText(days.until) }
  return usageReport(
    { ...groups, ...since, ...until, ...zoneOf(calendar) },
    await usageBy(store, { ...query, ...days }),
  )
}

/** Hours are made of rows, of which old ones may be out of reach. */
async function usageOfHours(
  { store, settings, clock, config: { calendar } }: UsageContext,
  period: Period,
  groups: AskedGroups,
  query: UsageQuery,
): Promise<UsageReport | Denied> {
  const isByHour = groups.by.includes('hour')
  const asked = isByHour ? hoursIn(period, clock.now(), calendar) : wholeDays(period, clock.now(), calendar)
  if ('denial' in asked) return asked
  const kept = Math.ceil((clock.now() - rowsReachBack(settings)) / HOUR) * HOUR
  const hours = { ...asked, since: Math.min(Math.max(asked.since, kept), asked.until) }
  const usage = await usageBy(store, { ...query, hours })
  const since = Math.min(usage.since ?? hours.since, asked.until)
  const until = period.until === undefined ? {} : { until: hourText(asked.until) }
  // The whole history begins wherever rows begin.
  const isWhole = !isByHour && period.since === undefined
  const hoursLeftOut = isWhole ? 0 : (since - asked.since) / HOUR
  if (isByHour || since > Math.max(asked.since, 0))
    return usageReport({ ...groups, since: hourText(since), ...until, hoursLeftOut, ...zoneOf(calendar) }, usage)
  const days = daysIn(period, calendar)
  const from = days.since === undefined ? {} : { since: dayText(days.since) }
  const to = days.until === undefined ? {} : { until: dayText(days.until) }
  return usageReport({ ...groups, ...from, ...to, ...zoneOf(calendar) }, usage)
}

/** How long after its admission the row of a request can be read: an endpoint takes rows and gives none back. */
const rowsReachBack = ({ ledger: { keep, archive } }: UsageContext['settings']): Millis =>
  archive === undefined ? keep : archive.kind === 'https' ? archive.keep : Number.POSITIVE_INFINITY

function wasteIn({ waste }: Pick<AskedUsage, 'waste'>, by: readonly Group[]): Pick<UsageQuery, 'wasteBy'> | Denied {
  if (waste === undefined) return {}
  if (waste === 'day' || (waste === 'hour' && by.includes('hour'))) return { wasteBy: waste }
  return invalid('waste', 'must be day, or hour if usage is by hour, or absent')
}

const HOUR: Millis = 3_600_000

/** The days that a period touches, as moments. */
function wholeDays(period: Period, now: EpochMs, calendar: Calendar = UTC_CALENDAR): Required<Period> {
  const { since = 0, until = dayOfCalendar(calendar, now) + 1 } = daysIn(period, calendar)
  return { since: since === 0 ? 0 : startOf('day', calendar, since), until: startOf('day', calendar, until) }
}

/** The zone of a report's days; absent where that is UTC. */
const zoneOf = (calendar: Calendar = UTC_CALENDAR) => (isUtc(calendar.zone) ? {} : { zone: calendar.zone })

interface AskedGroups {
  readonly by: readonly Group[]
  readonly split?: Group
}

function groupsIn({ by, split }: Pick<AskedUsage, 'by' | 'split'>): AskedGroups | Denied {
  const groups = by.flatMap(name => groupNamed(name) ?? [])
  if (groups.length < by.length || new Set(groups).size < groups.length)
    return invalid('by', `must name each group once: ${GROUPS.join(', ')}, or a label`)
  if (split === undefined) return { by: groups }
  const others = GROUPS.filter(group => !groups.includes(group))
  const second = others.find(group => group === split)
  if (groups.length > 1 || !second)
    return invalid('split', `needs exactly one group, and must be one of ${others.join(', ')}`)
  return { by: [...groups, second], split: second }
}

export async function rowsQuery(context: UsageContext, texts: RowsQuery): Promise<LedgerQuery | Denied> {
  const period = periodIn(texts, context.clock.now(), context.config.calendar)
  if ('denial' in period) return period
  const owner = await ownerIn(context, texts)
  return 'denial' in owner ? owner : { ...period, ...owner }
}

/** Rows of the ledger with what people know their accounts by. */
export async function* ledgerRecords(
  { store }: Pick<AdminContext, 'store'>,
  query: LedgerQuery,
): AsyncGenerator<LedgerRecord, void, undefined> {
  for await (const row of labelledRows(store, query)) yield ledgerRecord(row)
}

/** Rows of the ledger as CSV with the columns of FOCUS. */
export function focusLedger(
  { store, settings, config: { calendar } }: UsageContext,
  query: LedgerQuery,
): AsyncGenerator<string, void, undefined> {
  const provider = settings.billing.seller?.name ?? settings.server.publicUrl
  return focusCsv(labelledRows(store, query), { provider, calendar })
}

async function* labelledRows({ ledger, accounts }: AdminContext['store'], query: LedgerQuery) {
  const labelOf = labelsOf(accounts)
  for await (const row of ledger.readRows(query)) {
    const label = await labelOf(row.account)
    yield label === undefined ? row : { ...row, label }
  }
}
