import { labelledAudit } from '../../gateway/accounts/audited.ts'
import { isDenial } from '../../wire/openai/body.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { shownAudit } from './admin-records.ts'
import { readRowsQuery, sendRows } from './rows.ts'

/** GET /admin/audit: control changes as JSON lines, oldest first. */
export async function exportAudit(app: App, call: HttpCall): Promise<void> {
  const query = await readRowsQuery(app, call)
  if (isDenial(query)) return call.deny(query)
  await sendRows(call, labelledAudit(app.store.accounts, { since: 0, ...query }), shownAudit)
}
