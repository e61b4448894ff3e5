import { REPEAT_KEY } from '../../gateway/accounts/repeatable-key.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { REPEAT_HEADER } from '../../wire/admin/user.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { listProcesses, showMetrics, showReadyInDetail } from '../health.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { accountOps } from './admin-accounts.ts'
import { showAudit } from './admin-audit.ts'
import { sendBackup } from './admin-backup.ts'
import {
  applyConfig,
  diffRevisions,
  listPlans,
  listRevisions,
  reloadConfig,
  showConfig,
  showMatrix,
} from './admin-config.ts'
import { consoleEndpoints } from './admin-console.ts'
import { findAccountsOp } from './admin-find.ts'
import { inviteOps } from './admin-invite.ts'
import { listInvoices, showInvoice } from './admin-invoice.ts'
import { keyOps } from './admin-keys.ts'
import { listAccountsOp } from './admin-list.ts'
import type { AdminContext, AdminOp } from './admin-op.ts'
import { listOrgsOp } from './admin-orgs.ts'
import { poolEndpoints } from './admin-pools.ts'
import { listRequests, showRequest } from './admin-requests.ts'
import { showPoolSeries, showSeries } from './admin-series.ts'
import { sessionEndpoints } from './admin-sessions.ts'
import { listAlarms, showArchive, showWhoAmI } from './admin-state.ts'
import { exportLedger, showUsage } from './admin-usage.ts'
import { listStandings } from './exports.ts'
import { fleetEndpoints } from './fleet/admin-fleet.ts'
import { followEvents } from './fleet/events.ts'
import { listIncidents } from './incidents.ts'
import type { OperatorApp } from './operator-app.ts'
import { type AdminEndpoint, familyOfOperators, type OperatorEndpoint } from './operator-family.ts'

/** What svcctl also does by itself, on the store of a gateway that does not run. */
export const adminOps: readonly AdminOp[] = [
  ...keyOps,
  ...accountOps,
  ...inviteOps,
  findAccountsOp,
  listAccountsOp,
  listOrgsOp,
]

/** What operators may call, on the admin listener alone. */
export const adminEndpoints: readonly AdminEndpoint[] = [
  {
    method: 'GET',
    path: '/healthz',
    who: 'anyone',
    rate: 'probe',
    run: (_app, call) => call.json(200, { status: 'alive' }),
  },
  { method: 'GET', path: '/readyz', who: 'anyone', rate: 'probe', run: showReadyInDetail },
  { method: 'GET', path: '/metrics', who: 'scraper', run: showMetrics },
  ...adminOps.map(endpointOf),
  ...poolEndpoints,
  ...fleetEndpoints,
  ...sessionEndpoints,
  ...consoleEndpoints,
  { method: 'POST', path: '/admin/reload', who: 'operator', needs: 'admin', run: reloadConfig },
  {
    method: 'GET',
    path: '/admin/config',
    who: 'operator',
    needs: 'viewer',
    run: async (app, call) => showConfig(app, call),
  },
  { method: 'GET', path: '/admin/revisions', who: 'operator', needs: 'viewer', run: listRevisions },
  { method: 'GET', path: '/admin/revisions/diff', who: 'operator', needs: 'viewer', run: diffRevisions },
  {
    method: 'GET',
    path: '/admin/matrix',
    who: 'operator',
    needs: 'viewer',
    run: async (app, call) => showMatrix(app, call),
  },
  { method: 'GET', path: '/admin/whoami', who: 'operator', needs: 'viewer', run: showWhoAmI },
  { method: 'GET', path: '/admin/workers', who: 'operator', needs: 'viewer', run: listProcesses },
  { method: 'GET', path: '/admin/alarms', who: 'operator', needs: 'viewer', run: listAlarms },
  { method: 'GET', path: '/admin/incidents', who: 'operator', needs: 'viewer', run: listIncidents },
  { method: 'GET', path: '/admin/requests', who: 'operator', needs: 'viewer', run: listRequests },
  { method: 'GET', path: '/admin/requests/{id}', who: 'operator', needs: 'viewer', run: showRequest },
  { method: 'GET', path: '/admin/plans', who: 'operator', needs: 'viewer', run: listPlans },
  { method: 'POST', path: '/admin/apply', who: 'operator', needs: 'admin', run: applyConfig },
  { method: 'GET', path: '/admin/accounts', who: 'operator', needs: 'viewer', run: listStandings },
  { method: 'GET', path: '/admin/events', who: 'operator', needs: 'viewer', run: followEvents },
  { method: 'GET', path: '/admin/audit', who: 'operator', needs: 'viewer', run: showAudit },
  { method: 'GET', path: '/admin/usage', who: 'operator', needs: 'viewer', run: showUsage },
  { method: 'GET', path: '/admin/series', who: 'operator', needs: 'viewer', run: showSeries },
  { method: 'GET', path: '/admin/series/pools', who: 'operator', needs: 'viewer', run: showPoolSeries },
  { method: 'GET', path: '/admin/invoice', who: 'operator', needs: 'viewer', run: showInvoice },
  { method: 'GET', path: '/admin/invoices', who: 'operator', needs: 'viewer', run: listInvoices },
  { method: 'GET', path: '/admin/backup', who: 'operator', needs: 'admin', run: sendBackup },
  { method: 'GET', path: '/admin/archive', who: 'operator', needs: 'viewer', run: showArchive },
  { method: 'GET', path: '/admin/ledger', who: 'operator', needs: 'viewer', run: exportLedger },
]

export const operatorFamily = familyOfOperators(adminEndpoints)

function endpointOf(op: AdminOp): OperatorEndpoint {
  const { method, path, needs } = op
  return {
    method,
    path,
    who: 'operator',
    needs,
    run: (app, call, by, _id, { role }) => runAdminOp(op, app, call, { by, role }),
  }
}

/** The operator's word that says which mint or rotation is meant, also when it is sent again. */
function repeatKeyOf({ request }: HttpCall): Pick<AdminContext, 'repeatKey'> | Denied {
  const sent = request.headers[REPEAT_HEADER]
  if (sent === undefined) return {}
  if (typeof sent === 'string' && REPEAT_KEY.test(sent)) return { repeatKey: sent }
  return invalid(REPEAT_HEADER, 'must be 20 to 255 characters that nobody can guess, such as a UUID')
}

type Acting = Pick<AdminContext, 'by' | 'role'>

/** Operation context without the operator. */
type OpApp = Omit<AdminContext, 'by' | 'role' | 'repeatKey'> & Pick<OperatorApp, 'refusals'>

async function runAdminOp(op: AdminOp, app: OpApp, call: HttpCall, acting: Acting): Promise<void> {
  let body: JsonObject = {}
  if (op.check) {
    const read = await readSmall(call, op.check)
    if ('denial' in read) return call.deny(read.denial)
    body = read.body
  }
  const repeat = op.repeats ? repeatKeyOf(call) : {}
  if ('denial' in repeat) return call.deny(repeat.denial)
  const answer = await op.run({ ...app, ...acting, ...repeat }, body)
  if (!('denial' in answer)) return call.json(200, answer, UNCACHED)
  // The audit names who was refused something, whether the endpoint or a field of its body needs more.
  if (answer.denial.code === 'FORBIDDEN')
    await app.refusals.note(acting.by, `${op.method} ${op.path}`, `${acting.role}, ${answer.denial.problem}`)
  call.deny(answer.denial)
}
