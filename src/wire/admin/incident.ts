import {
  defaulted,
  described,
  flag,
  forms,
  list,
  listing,
  map,
  moment,
  number,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { UNREACHED, type Unreached } from './fleet.ts'

const SEVERITIES = ['page', 'ticket'] as const

/** `page`: clients are refused, or money and data are at risk, until somebody acts. `ticket`: it can wait for the morning. */
export type Severity = (typeof SEVERITIES)[number]

const DETAILS = map(forms(text(), number(), flag()))

/** A problem of a gateway, from its first alarm until it ends. */
const INCIDENT = record(
  {
    incident: text('The name of its kind, such as `store-down`, and of its section in docs/incidents.md.'),
    gateway: text(),
    state: word(['open', 'over']),
    severity: word(
      SEVERITIES,
      '`page`: clients are refused, or money and data are at risk, until somebody acts. `ticket`: it can wait for the morning.',
    ),
    title: text(),
    subject: described(DETAILS, 'The affected pool, replica or similar.'),
    opened_at: moment('Start of the newest occurrence.'),
    ended_at: orNull(moment('Null while it is open.')),
    open_ms: whole('How long it has been open in total.'),
    times: whole('How often it started. An incident that returns within ten minutes counts as the same one.'),
    alarms: whole('How many alarms reported it.'),
    last_at: moment('The newest alarm.'),
    message: text(),
    fields: DETAILS,
    failed_requests: orNull(
      whole('Requests that failed while it was open; null if it concerns a pool or has no known end.'),
    ),
    failed_attempts: orNull(
      whole('Attempts at its pool that failed while it was open; null if it does not concern a pool.'),
    ),
    effect: text(),
    action: text(),
    runbook: text('The documentation of this kind.'),
  },
  'Incident',
  'A problem of a gateway, from its first alarm until it ends.',
)

export interface ShownIncident extends TypeOf<typeof INCIDENT> {}

/** Open ones first, in each part the newest first. */
export const INCIDENTS = listing(INCIDENT, {
  open: whole('How many are open, even if `data` has fewer.'),
  gateways: list(text(), 'The gateways that answered.'),
  unreached: defaulted(list(UNREACHED), []),
})

export interface ShownIncidents extends TypeOf<typeof INCIDENTS> {}

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

const isOpen = ({ state }: ShownIncident): boolean => state === 'open'
const changedAt = ({ ended_at, opened_at }: ShownIncident): string => ended_at ?? opened_at
