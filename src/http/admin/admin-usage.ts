import { labelsOf } from '../../gateway/accounts/labels.ts'
import { usageBy } from '../../gateway/accounts/usage-totals.ts'
import type { LedgerQuery } from '../../gateway/store/ledger-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type LedgerRecord, ledgerRecord } from '../../wire/admin/ledger-record.ts'
import type { RowsQuery } from '../../wire/admin/rows-query.ts'
import { GROUPS, type Group, readGroups, type UsageReport, usageReport } from '../../wire/admin/usage-report.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { type AdminContext, ownerIn } from './admin-op.ts'
import { sendLines } from './exports.ts'
import type { OperatorApp } from './operator-app.ts'
import { daysIn, periodIn } from './period.ts'

/** Dependencies of the usage endpoints. */
type UsageApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

/** GET /admin/usage: totals of whole UTC days, with what was wasted; of one account or key, or of all. */
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
  /** `day`: failed attempts of each day by themselves. */
  readonly waste?: string
}

type UsageContext = Pick<AdminContext, 'store' | 'settings' | 'clock'>

export async function readUsage(context: UsageContext, texts: UsageTexts): Promise<UsageReport | Denied> {
  const groups = groupsIn(texts)
  if ('denial' in groups) return groups
  const top = texts.top === undefined ? undefined : wholeIn(texts.top, MOST_GROUPS)
  if (texts.top !== undefined && top === undefined) return invalid('top', `must be a number from 1 to ${MOST_GROUPS}`)
  if (texts.waste !== undefined && texts.waste !== 'day') return invalid('waste', 'must be day, or be left away')
  const period = periodIn(texts, context.clock.now())
  if ('denial' in period) return period
  const owner = await ownerIn(context, texts)
  if ('denial' in owner) return owner
  const terms = { ...groups, ...daysIn(period) }
  const { split: _split, ...query } = terms
  const more = { ...(top !== undefined && { top }), ...(texts.waste !== undefined && { wasteByDay: true }) }
  return usageReport(terms, await usageBy(context.store, { ...query, ...owner, ...more }))
}

const MOST_GROUPS = 10_000

function groupsIn({ by, split }: UsageTexts): { readonly by: readonly Group[]; readonly split?: Group } | Denied {
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
