import { REPEAT_KEY } from '../../gateway/accounts/repeatable-key.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { REPEAT_HEADER } from '../../wire/admin/user.ts'
import * as accounts from '../../wire/admin-api/accounts.ts'
import type { AdminCall } from '../../wire/admin-api/call.ts'
import * as config from '../../wire/admin-api/config.ts'
import * as fleet from '../../wire/admin-api/fleet.ts'
import * as notices from '../../wire/admin-api/notices.ts'
import * as requests from '../../wire/admin-api/requests.ts'
import { search as searchCall } from '../../wire/admin-api/search.ts'
import * as usage from '../../wire/admin-api/usage.ts'
import { listProcesses, showMetrics, showReadyInDetail } from '../health.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'
import { accountOps } from './accounts.ts'
import { showAudit } from './audit.ts'
import { sendBackup } from './backup.ts'
import { applyConfig, diffRevisions, listPlans, listRevisions, reloadConfig, showConfig, showMatrix } from './config.ts'
import { consoleEndpoints } from './console.ts'
import { contactOps } from './contacts.ts'
import { type Asked, answering, running } from './declared.ts'
import { showAdminDocument } from './document.ts'
import { explainOp } from './explain.ts'
import { listStandings } from './exports.ts'
import { findAccountsOp } from './find-accounts.ts'
import { fleetEndpoints } from './fleet/admin-fleet.ts'
import { followEvents } from './fleet/events.ts'
import { listIncidents } from './incidents.ts'
import { inviteOps } from './invite.ts'
import { listInvoices, showInvoice } from './invoice.ts'
import { keyOps } from './keys.ts'
import { listAccountsOp } from './list-accounts.ts'
import { listNotices, retryNotices, testNoticeTarget } from './notices.ts'
import type { AdminContext, AdminOp } from './op.ts'
import type { OperatorApp } from './operator-app.ts'
import { type AdminEndpoint, familyOfOperators } from './operator-family.ts'
import { listOrgsOp } from './orgs.ts'
import { poolEndpoints } from './pools.ts'
import { listRequests, showRequest } from './requests.ts'
import { search } from './search.ts'
import { showPoolSeries, showSeries } from './series.ts'
import { sessionEndpoints } from './sessions.ts'
import { listAlarms, showArchive, showWhoAmI } from './state.ts'
import { exportLedger, showUsage } from './usage.ts'

/** Calls that svcctl also makes by itself, on the store of a gateway that does not run. */
export const adminOps: readonly AdminOp[] = [
  ...keyOps,
  ...accountOps,
  ...inviteOps,
  ...contactOps,
  findAccountsOp,
  listAccountsOp,
  listOrgsOp,
  explainOp,
]

/** The endpoints for operators, on the admin listener alone. */
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
  ...adminOps.map(op => running(op.declared, (app, asked, call) => runAdminOp(op, app, asked, call))),
  ...poolEndpoints,
  ...fleetEndpoints,
  ...sessionEndpoints,
  ...consoleEndpoints,
  answering(config.reloadConfig, reloadConfig),
  answering(config.showConfig, showConfig),
  answering(config.listRevisions, listRevisions),
  answering(config.diffRevisions, diffRevisions),
  answering(config.showMatrix, showMatrix),
  answering(config.showWhoAmI, showWhoAmI),
  answering(fleet.listProcesses, listProcesses),
  answering(fleet.listAlarms, listAlarms),
  answering(fleet.listIncidents, listIncidents),
  answering(notices.listNotices, listNotices),
  answering(notices.testTarget, testNoticeTarget),
  answering(notices.retryNotices, retryNotices),
  answering(requests.listRequests, listRequests),
  answering(requests.showRequest, showRequest),
  answering(searchCall, search),
  answering(config.listPlans, listPlans),
  answering(config.applyConfig, applyConfig),
  running(accounts.listStandings, listStandings),
  running(requests.followEvents, followEvents),
  running(usage.showAudit, showAudit),
  answering(usage.showUsage, showUsage),
  answering(usage.showSeries, showSeries),
  answering(usage.showPoolSeries, showPoolSeries),
  running(usage.showInvoice, showInvoice),
  running(usage.listInvoices, listInvoices),
  running(usage.sendBackup, sendBackup),
  answering(usage.showArchive, showArchive),
  running(usage.exportLedger, exportLedger),
  running(config.showDocument, showAdminDocument),
]

export const operatorFamily = familyOfOperators(adminEndpoints)

/** The operator's word that says which mint or rotation is meant, also when it is sent again. */
function repeatKeyOf({ request }: HttpCall): Pick<AdminContext, 'repeatKey'> | Denied {
  const sent = request.headers[REPEAT_HEADER]
  if (sent === undefined) return {}
  if (typeof sent === 'string' && REPEAT_KEY.test(sent)) return { repeatKey: sent }
  return invalid(REPEAT_HEADER, 'must be 20 to 255 characters that are hard to guess, such as a UUID')
}

/** The request to an operation, and its operator. */
type Acting = Pick<Asked<AdminCall>, 'by' | 'operator'> & { readonly body: unknown }

/** Operation context without the operator. */
type OpApp = Omit<AdminContext, 'by' | 'role' | 'repeatKey'> & Pick<OperatorApp, 'refusals'>

async function runAdminOp(
  { declared: { method, path, repeats }, run }: AdminOp,
  app: OpApp,
  { body, by, operator: { role } }: Acting,
  call: HttpCall,
): Promise<void> {
  const repeat = repeats ? repeatKeyOf(call) : {}
  if ('denial' in repeat) return call.deny(repeat.denial)
  const answer = await run({ ...app, by, role, ...repeat }, body)
  if (!('denial' in answer)) return call.json(200, answer, UNCACHED)
  const { denial } = answer as Denied
  // The audit names who was refused something, whether the endpoint or a field of its body needs more.
  if (denial.code === 'FORBIDDEN') await app.refusals.note(by, `${method} ${path}`, `${role}, ${denial.problem}`)
  call.deny(denial)
}
