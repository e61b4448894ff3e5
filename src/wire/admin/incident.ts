import type { JsonObject } from '../json-safety.ts'
import { readUnreached, type Unreached } from './fleet.ts'
import { count, list, object, oneOf, orNull, text } from './record-fields.ts'

/** `page`: clients are refused, or money and data are at risk, until somebody acts. `ticket`: it can wait for the morning. */
export type Severity = 'page' | 'ticket'

type Details = Readonly<Record<string, string | number | boolean>>

/** Trouble of a gateway, from the first alarm of it until it is over. */
export interface ShownIncident {
  /** `store-down`: the name of its kind, and of its section in docs/incidents.md. */
  readonly incident: string
  readonly gateway: string
  readonly state: 'open' | 'over'
  readonly severity: Severity
  readonly title: string
  /** The pool, the replica or the like that it is about. */
  readonly subject: Details
  /** Start of the newest occurrence. */
  readonly opened_at: string
  /** Null while it is open. */
  readonly ended_at: string | null
  /** How long it was open, all times together. */
  readonly open_ms: number
  /** How often it began: one that comes back within ten minutes is the same. */
  readonly times: number
  /** How many alarms told of it. */
  readonly alarms: number
  /** The newest of them. */
  readonly last_at: string
  readonly message: string
  readonly fields: Details
  /** Requests that failed while it was open; null where it is about a pool, or has no known end. */
  readonly failed_requests: number | null
  /** Attempts at its pool that failed while it was open; null where it is about no pool. */
  readonly failed_attempts: number | null
  readonly effect: string
  readonly action: string
  /** Where the documentation says more. */
  readonly runbook: string
}

/** Open ones first, in each part the newest first. */
export interface ShownIncidents {
  readonly object: 'list'
  readonly data: readonly ShownIncident[]
  /** How many are open, also where `data` has fewer. */
  readonly open: number
  /** Those that answered. */
  readonly gateways: readonly string[]
  readonly unreached: readonly Unreached[]
}

/** The incidents that one gateway knows. */
export type IncidentsOfGateway = Pick<ShownIncidents, 'data' | 'open'>

/** Joins the incidents of several gateways, open ones first. */
export function joinedIncidents(
  known: readonly (IncidentsOfGateway & { readonly gateway: string })[],
  unreached: readonly Unreached[],
  limit: number,
): ShownIncidents {
  const all = known.flatMap(({ data }) => data).sort((a, b) => (changedAt(a) < changedAt(b) ? 1 : -1))
  const [open, over] = [all.filter(isOpen), all.filter(incident => !isOpen(incident))]
  return {
    object: 'list',
    data: [...open, ...over].slice(0, limit),
    open: known.reduce((sum, each) => sum + each.open, 0),
    gateways: known.map(({ gateway }) => gateway),
    unreached,
  }
}

/** Reads what a gateway sent. Throws TypeError where it is of another form. */
export const readIncidents = (record: JsonObject): ShownIncidents => ({
  object: 'list',
  data: list(record.data, 'incidents').map(readIncident),
  open: count(record, 'open'),
  gateways: list(record.gateways, 'gateways').map(String),
  unreached: readUnreached(record),
})

function readIncident(value: unknown): ShownIncident {
  const record = object(value, 'incident')
  return {
    incident: text(record, 'incident'),
    gateway: text(record, 'gateway'),
    state: oneOf(['open', 'over'], record, 'state'),
    severity: oneOf(['page', 'ticket'], record, 'severity'),
    title: text(record, 'title'),
    subject: details(record.subject),
    opened_at: text(record, 'opened_at'),
    ended_at: orNull(text, record, 'ended_at'),
    open_ms: count(record, 'open_ms'),
    times: count(record, 'times'),
    alarms: count(record, 'alarms'),
    last_at: text(record, 'last_at'),
    message: text(record, 'message'),
    fields: details(record.fields),
    failed_requests: orNull<number>(count, record, 'failed_requests'),
    failed_attempts: orNull<number>(count, record, 'failed_attempts'),
    effect: text(record, 'effect'),
    action: text(record, 'action'),
    runbook: text(record, 'runbook'),
  }
}

const details = (value: unknown): Details =>
  Object.fromEntries(
    Object.entries(object(value, 'details')).map(([name, detail]) => [
      name,
      typeof detail === 'number' || typeof detail === 'boolean' ? detail : String(detail),
    ]),
  )

const isOpen = ({ state }: ShownIncident): boolean => state === 'open'
const changedAt = ({ ended_at, opened_at }: ShownIncident): string => ended_at ?? opened_at
