import { labelsOf } from '../../gateway/accounts/labels.ts'
import { type UsageQuery, usageBy } from '../../gateway/accounts/usage-totals.ts'
import type { LedgerQuery } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type LedgerRecord, ledgerRecord } from '../../wire/admin/ledger-record.ts'
import { dayText, hourText } from '../../wire/admin/since.ts'
import { GROUPS, type Group, type UsageReport, usageReport } from '../../wire/admin/usage-report.ts'
import type { QueryOf } from '../../wire/admin-api/call.ts'
import type { RowsQuery } from '../../wire/admin-api/fields.ts'
import type * as calls from '../../wire/admin-api/usage.ts'
import type { HttpCall } from '../listener/call.ts'
import { type AdminContext, ownerIn } from './admin-op.ts'
import type { Asked } from './declared.ts'
import { sendLines } from './exports.ts'
import type { OperatorApp } from './operator-app.ts'
import { daysIn, hoursIn, type Period, periodIn } from './period.ts'

/** Dependencies of the usage endpoints. */
type UsageApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

/** GET /admin/usage: totals of whole UTC days or hours, with what was wasted; of one account or key, or of all. */
export const showUsage = (app: UsageApp, { query }: Asked<typeof calls.showUsage>): Promise<UsageReport | Denied> =>
  readUsage(app, query)

/** GET /admin/ledger: rows as JSON lines. */
export async function exportLedger(
  app: UsageApp,
  asked: Asked<typeof calls.exportLedger>,
  call: HttpCall,
): Promise<void> {
  const query = await rowsQuery(app, asked.query)
  if ('denial' in query) return call.deny(query.denial)
  await sendLines(call, ledgerRecords(app, query))
}

type AskedUsage = QueryOf<typeof calls.showUsage>

type UsageContext = Pick<AdminContext, 'store' | 'settings' | 'clock'>

export async function readUsage(context: UsageContext, asked: AskedUsage): Promise<UsageReport | Denied> {
  const { top, by: _by, split: _split, waste: _waste, ...texts } = asked
  const groups = groupsIn(asked)
  if ('denial' in groups) return groups
  const wasteBy = wasteIn(asked, groups.by)
  if ('denial' in wasteBy) return wasteBy
  const period = periodIn(texts, context.clock.now())
  if ('denial' in period) return period
  const owner = await ownerIn(context, texts)
  if ('denial' in owner) return owner
  const query = { by: groups.by, ...owner, ...wasteBy, ...(top !== undefined && { top }) }
  return groups.by.includes('hour')
    ? usageOfHours(context, period, groups, query)
    : usageOfDays(context, period, groups, query)
}

async function usageOfDays(
  { store }: UsageContext,
  period: Period,
  groups: AskedGroups,
  query: UsageQuery,
): Promise<UsageReport> {
  const days = daysIn(period)
  const since = days.since === undefined ? {} : { since: dayText(days.since) }
  const until = days.until === undefined ? {} : { until: dayText(days.until) }
  return usageReport({ ...groups, ...since, ...until }, await usageBy(store, { ...query, ...days }))
}

/** Hours are made of rows, of which old ones may be out of reach. */
async function usageOfHours(
  { store, settings, clock }: UsageContext,
  period: Period,
  groups: AskedGroups,
  query: UsageQuery,
): Promise<UsageReport | Denied> {
  const asked = hoursIn(period, clock.now())
  if ('denial' in asked) return asked
  const kept = Math.ceil((clock.now() - rowsReachBack(settings)) / HOUR) * HOUR
  const hours = { ...asked, since: Math.min(Math.max(asked.since, kept), asked.until) }
  const usage = await usageBy(store, { ...query, hours })
  const since = Math.min(usage.since ?? hours.since, asked.until)
  const until = period.until === undefined ? {} : { until: hourText(asked.until) }
  const hoursLeftOut = (since - asked.since) / HOUR
  return usageReport({ ...groups, since: hourText(since), ...until, hoursLeftOut }, usage)
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

interface AskedGroups {
  readonly by: readonly Group[]
  readonly split?: Group
}

function groupsIn({ by: groups, split }: Pick<AskedUsage, 'by' | 'split'>): AskedGroups | Denied {
  if (split === undefined) return { by: groups }
  const others = GROUPS.filter(group => !groups.includes(group))
  const second = others.find(group => group === split)
  if (groups.length > 1 || !second)
    return invalid('split', `goes with one group, and must be one of ${others.join(', ')}`)
  return { by: [...groups, second], split: second }
}

export async function rowsQuery(context: UsageContext, texts: RowsQuery): Promise<LedgerQuery | Denied> {
  const period = periodIn(texts, context.clock.now())
  if ('denial' in period) return period
  const owner = await ownerIn(context, texts)
  return 'denial' in owner ? owner : { ...period, ...owner }
}

/** Rows of the ledger with what people know their accounts by. */
export async function* ledgerRecords(
  { store }: Pick<AdminContext, 'store'>,
  query: LedgerQuery,
): AsyncGenerator<LedgerRecord, void, undefined> {
  const labelOf = labelsOf(store.accounts)
  for await (const row of store.ledger.readRows(query)) {
    const label = await labelOf(row.account)
    yield ledgerRecord(label === undefined ? row : { ...row, label })
  }
}
