import { usageBy } from '../../gateway/answer/usage.ts'
import { dayAt } from '../../policy/standing.ts'
import { GROUPS, ledgerRecord, usageReport } from '../../wire/admin/report.ts'
import { invalid, isDenial } from '../../wire/openai/body.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readQuery } from '../listener/query.ts'
import { readRowsQuery, sendRows, sinceOf } from './rows.ts'

/** GET /admin/usage: totals of whole UTC days, from the one of `since` on, with what was wasted. */
export async function showUsage(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['since', 'by'])
  if (isDenial(query)) return call.deny(query)
  const by = GROUPS.find(group => group === (query.by ?? 'day'))
  if (!by) return call.deny(invalid('by', `must be one of ${GROUPS.join(', ')}`))
  const from = sinceOf(query.since, app)
  if (isDenial(from)) return call.deny(from)
  const since = from.since === undefined ? undefined : dayAt(from.since)
  const usage = await usageBy(app.store, { by, ...(since !== undefined && { since }) })
  call.json(200, usageReport(by, since, usage))
}

/** GET /admin/ledger: rows as JSON lines. */
export async function exportLedger(app: App, call: HttpCall): Promise<void> {
  const query = await readRowsQuery(app, call)
  if (isDenial(query)) return call.deny(query)
  await sendRows(call, app.store.ledger.readRows(query), ledgerRecord)
}
