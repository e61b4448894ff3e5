import { labelsOf } from '../../gateway/accounts/labels.ts'
import { type UsageQuery, usageBy } from '../../gateway/accounts/usage-totals.ts'
import type { LedgerQuery } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type LedgerRecord, ledgerRecord } from '../../wire/admin/ledger-record.ts'
import type { RowsQuery } from '../../wire/admin/rows-query.ts'
import { dayText, hourText } from '../../wire/admin/since.ts'
import { GROUPS, type Group, readGroups, type UsageReport, usageReport } from '../../wire/admin/usage-report.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { type AdminContext, ownerIn } from './admin-op.ts'
import { sendLines } from './exports.ts'
import type { OperatorApp } from './operator-app.ts'
import { daysIn, hoursIn, type Period, periodIn } from './period.ts'

/** Dependencies of the usage endpoints. */
type UsageApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

/** GET /admin/usage: totals of whole UTC days or hours, with what was wasted; of one account or key, or of all. */
export async function showUsage(app: UsageApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['since', 'until', 'month', 'by', 'split', 'top', 'waste', 'account', 'key'])
  const report = 'denial' in query ? query : await readUsage(app, query)
  if ('denial' in report) call.deny(report.denial)
  else call.json(200, report)
}

/** GET /admin/ledger: rows as JSON lines. */
export async function exportLedger(app: UsageApp, call: HttpCall): Promise<void> {
  const texts = readQuery(call, ['since', 'until', 'month', 'account', 'key'])
  const query = 'denial' in texts ? texts : await rowsQuery(app, texts)
  if ('denial' in query) return call.deny(query.denial)
  await sendLines(call, ledgerRecords(app, query))
}

/** What an operator asks of usage, as texts. */
interface UsageTexts extends RowsQuery {
  /** One or more groups with commas between. */
  readonly by?: string
  readonly split?: string
  readonly top?: string
  /** `day` or `hour`: failed attempts of each by themselves. */
  readonly waste?: string
}

type UsageContext = Pick<AdminContext, 'store' | 'settings' | 'clock'>

export async function readUsage(context: UsageContext, texts: UsageTexts): Promise<UsageReport | Denied> {
  const groups = groupsIn(texts)
  if ('denial' in groups) return groups
  const top = texts.top === undefined ? undefined : wholeIn(texts.top, MOST_GROUPS)
  if (texts.top !== undefined && top === undefined) return invalid('top', `must be a number from 1 to ${MOST_GROUPS}`)
  const wasteBy = wasteIn(texts, groups.by)
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

function wasteIn({ waste }: UsageTexts, by: readonly Group[]): Pick<UsageQuery, 'wasteBy'> | Denied {
  if (waste === undefined) return {}
  if (waste === 'day' || (waste === 'hour' && by.includes('hour'))) return { wasteBy: waste }
  return invalid('waste', 'must be day, or hour where usage is by hour, or be left away')
}

const HOUR: Millis = 3_600_000
const MOST_GROUPS = 10_000

interface AskedGroups {
  readonly by: readonly Group[]
  readonly split?: Group
}

function groupsIn({ by, split }: UsageTexts): AskedGroups | Denied {
  const groups = readGroups(by ?? 'day')
  if (!groups) return invalid('by', `must be one of ${GROUPS.join(', ')}, or several with commas between`)
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
