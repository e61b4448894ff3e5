import type { EpochMs, Millis } from '../../policy/config.ts'
import type { ShownIncident } from '../../wire/admin/incident.ts'

/** The incidents of all gateways that answered. */
export interface SeenIncidents {
  readonly incidents: readonly SeenIncident[]
  /** Whether every gateway answered. */
  readonly isWhole: boolean
}

export type SeenIncident = Pick<
  ShownIncident,
  'incident' | 'state' | 'severity' | 'title' | 'subject' | 'opened_at' | 'ended_at' | 'action' | 'runbook'
>

/** The incidents that were announced and are not over, by kind and subject. Plain JSON. */
export interface KnownIncidents {
  /** The last look. */
  readonly at: EpochMs
  readonly known: Readonly<Record<string, KnownIncident>>
}

interface KnownIncident
  extends Pick<SeenIncident, 'incident' | 'severity' | 'title' | 'subject' | 'action' | 'runbook'> {
  readonly openedAt: EpochMs
  /** Since when no gateway has it open; absent where one has. */
  readonly overSince?: EpochMs
}

export interface IncidentChange extends KnownIncident {
  readonly key: string
  readonly state: 'opened' | 'resolved'
}

/**
 * The changes since the last look over all gateways. An incident of several gateways is one, from the first of them that
 * has it until none had it for a minute. One that began and ended between two looks is announced too, and one that ended
 * before the first look is not. A gateway that does not answer resolves nothing.
 */
export function incidentChanges(
  before: KnownIncidents | undefined,
  { incidents, isWhole }: SeenIncidents,
  now: EpochMs,
): { readonly after: KnownIncidents; readonly changes: readonly IncidentChange[] } {
  const known = new Map(Object.entries(before?.known ?? {}))
  const isFresh = (incident: SeenIncident) =>
    incident.state === 'open' || (before !== undefined && endOf(incident) > before.at)
  const changes: IncidentChange[] = []
  for (const incident of incidents) {
    const key = keyOf(incident)
    if (known.has(key) || !isFresh(incident)) continue
    const begun = begunOf(incident)
    known.set(key, begun)
    changes.push({ ...begun, key, state: 'opened' })
  }
  const open = new Set(incidents.flatMap(incident => (incident.state === 'open' ? [keyOf(incident)] : [])))
  for (const [key, incident] of known) {
    const next = stillKnown(incident, { isOpen: open.has(key), isWhole, now })
    if (next) known.set(key, next)
    else {
      known.delete(key)
      changes.push({ ...incident, key, state: 'resolved' })
    }
  }
  return { after: { at: now, known: Object.fromEntries(known) }, changes }
}

/** The incident as the next look knows it; undefined once it is over. */
function stillKnown(
  { overSince, ...incident }: KnownIncident,
  { isOpen, isWhole, now }: { readonly isOpen: boolean; readonly isWhole: boolean; readonly now: EpochMs },
): KnownIncident | undefined {
  if (isOpen) return incident
  // A gateway that does not answer may have it still.
  if (!isWhole) return overSince === undefined ? incident : { ...incident, overSince }
  if (overSince !== undefined && now - overSince >= STAYS_OVER_MS) return undefined
  return { ...incident, overSince: overSince ?? now }
}

const keyOf = ({ incident, subject }: SeenIncident): string => JSON.stringify([incident, subject])

const endOf = ({ ended_at }: SeenIncident): EpochMs => (ended_at === null ? 0 : Date.parse(ended_at))

const begunOf = ({ incident, severity, title, subject, action, runbook, opened_at }: SeenIncident): KnownIncident => ({
  ...{ incident, severity, title, subject, action, runbook },
  openedAt: Date.parse(opened_at),
})

/** One that comes and goes faster is one incident, and two notices. */
const STAYS_OVER_MS: Millis = 60_000
