import { newestAudit } from '../../gateway/accounts/audited.ts'
import { invalid } from '../../policy/denial.ts'
import { shownAudit } from '../../wire/admin/audit.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { auditedNamed } from './admin-orgs.ts'
import { exportAudit } from './exports.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the audit endpoints. */
type AuditApp = Pick<OperatorApp, 'config' | 'store' | 'settings' | 'clock'>

/** GET /admin/audit: control changes as JSON lines, oldest first; with `order=desc` a page of the newest. */
export function showAudit(app: AuditApp, call: HttpCall): Promise<void> {
  return /[?&]order=/.test(call.request.url ?? '') ? listAudit(app, call) : exportAudit(app, call)
}

/** The newest changes first, so many of those before a moment. */
async function listAudit(app: AuditApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['order', 'limit', 'before', 'account', 'action', 'by'])
  if ('denial' in query) return call.deny(query.denial)
  if (query.order !== 'desc')
    return call.deny(invalid('order', 'must be desc: without it the oldest come first').denial)
  const limit = wholeIn(query.limit ?? '200', MOST_CHANGES)
  if (limit === undefined) return call.deny(invalid('limit', `must be a number from 1 to ${MOST_CHANGES}`).denial)
  const before = query.before === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.before)
  if (Number.isNaN(before)) return call.deny(invalid('before', 'must be a time such as `at` of a change').denial)
  const named = query.account === undefined ? undefined : await auditedNamed(app, query.account)
  if (named && 'denial' in named) return call.deny(named.denial)
  const isMeant = (wanted: string | undefined, is: string) => wanted === undefined || wanted === is
  const { rows, next } = await newestAudit(app.store.accounts, {
    ...(named && { account: named.account }),
    ...{ before, limit, isWanted: row => isMeant(query.action, row.action) && isMeant(query.by, row.by) },
  })
  const data = rows.map(shownAudit)
  call.json(200, { object: 'list', data, next: next === undefined ? null : new Date(next).toISOString() }, UNCACHED)
}

const MOST_CHANGES = 1000
