import { askAll } from '../../gateway/fleet/peers.ts'
import { INCIDENT_KINDS, type IncidentKind } from '../../gateway/incident-kinds.ts'
import type { Incident } from '../../gateway/incidents.ts'
import type { Millis } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import {
  INCIDENTS,
  type IncidentsOfGateway,
  joinedIncidents,
  type ShownIncident,
  type ShownIncidents,
} from '../../wire/admin/incident.ts'
import { pathOf } from '../../wire/admin-api/call.ts'
import { listIncidents as call } from '../../wire/admin-api/fleet.ts'
import { readAs } from '../../wire/schema/read.ts'
import type { Asked } from './declared.ts'
import { askedGateways } from './fleet/asked-gateways.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the incident endpoints. */
type IncidentsApp = Pick<OperatorApp, 'incidents' | 'fleet' | 'peers' | 'clock'>

/**
 * GET /admin/incidents: what troubles this gateway, or with `gateway` those of the fleet. Open ones first, in each part the
 * newest first; with `state=open` those alone.
 */
export async function listIncidents(
  app: IncidentsApp,
  { query: { gateway, limit, state } }: Pick<Asked<typeof call>, 'query'>,
): Promise<ShownIncidents | Denied> {
  const asked = await askedGateways(app, gateway)
  if ('denial' in asked) return asked
  const path = pathOf(call, { query: { state, limit } })
  const [own, { answers, unreached }] = await Promise.all([
    asked.here ? incidentsHere(app, limit, state === 'open') : undefined,
    askAll(asked.others(), app.peers.ask, { method: 'GET', path, patience: PATIENCE }),
  ])
  const { name } = app.fleet.self
  const known = [
    ...(own ? [{ gateway: name, ...own }] : []),
    ...answers.map(([member, body]) => ({ gateway: member.name, ...readAs(INCIDENTS, body) })),
  ]
  return joinedIncidents(known, unreached, limit)
}

async function incidentsHere(
  { incidents, fleet }: IncidentsApp,
  limit: number,
  onlyOpen: boolean,
): Promise<IncidentsOfGateway> {
  const newest = await incidents.newest(limit)
  const asked = onlyOpen ? newest.filter(({ endedAt }) => endedAt === undefined) : newest
  return { data: asked.map(incident => shownIncident(incident, fleet.self.name)), open: incidents.openCount }
}

function shownIncident(incident: Incident, gateway: string): ShownIncident {
  const { kind, subject, openedAt, endedAt, lastAt, message, fields, alarms, times, openMs, affected } = incident
  const { title, severity, effect, action }: IncidentKind = INCIDENT_KINDS[kind]
  return {
    incident: kind,
    gateway,
    state: endedAt === undefined ? 'open' : 'over',
    severity,
    title,
    subject,
    opened_at: new Date(openedAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    open_ms: openMs,
    times,
    alarms,
    last_at: new Date(lastAt).toISOString(),
    message,
    fields,
    failed_requests: affected && 'requests' in affected ? affected.requests : null,
    failed_attempts: affected && 'attempts' in affected ? affected.attempts : null,
    effect,
    action,
    runbook: `docs/incidents.md#${kind}`,
  }
}

/** So long another gateway may take to answer. */
const PATIENCE: Millis = 5000
