import { newestAudit } from '../../gateway/accounts/audited.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { shownAudit } from '../../wire/admin/audit.ts'
import type { AnswerOf } from '../../wire/admin-api/call.ts'
import type { showAudit as declared } from '../../wire/admin-api/usage.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'
import type { Asked } from './declared.ts'
import { exportAudit } from './exports.ts'
import type { OperatorApp } from './operator-app.ts'
import { auditedNamed } from './orgs.ts'

/** Dependencies of the audit endpoints. */
type AuditApp = Pick<OperatorApp, 'config' | 'store' | 'settings' | 'clock'>

type AskedAudit = Asked<typeof declared>

/** GET /admin/audit: control changes as JSON lines, oldest first; with `order=desc` a page of the newest. */
export async function showAudit(app: AuditApp, { query }: AskedAudit, call: HttpCall): Promise<void> {
  const known =
    query.order === undefined ? ['since', 'account'] : ['order', 'limit', 'before', 'account', 'action', 'by']
  const other = Object.keys(query).find(name => !known.includes(name))
  if (other) return call.deny(invalid(other, `is not accepted here; there are ${known.join(', ')}`).denial)
  if (query.order === undefined) return exportAudit(app, query, call)
  const page = await newestPage(app, query)
  if ('denial' in page) call.deny(page.denial)
  else call.json(200, page, UNCACHED)
}

/** The newest changes first, so many of those before a moment. */
async function newestPage(
  app: AuditApp,
  { limit = 200, account, action, by, ...query }: AskedAudit['query'],
): Promise<AnswerOf<typeof declared> | Denied> {
  const before = query.before === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.before)
  if (Number.isNaN(before)) return invalid('before', 'must be a time such as `at` of a change')
  const named = account === undefined ? undefined : await auditedNamed(app, account)
  if (named && 'denial' in named) return named
  const isMeant = (wanted: string | undefined, is: string) => wanted === undefined || wanted === is
  const { rows, next } = await newestAudit(app.store.accounts, {
    ...(named && { account: named.account }),
    ...{ before, limit, isWanted: row => isMeant(action, row.action) && isMeant(by, row.by) },
  })
  const data = rows.map(shownAudit)
  return { object: 'list', data, next: next === undefined ? null : new Date(next).toISOString() }
}
