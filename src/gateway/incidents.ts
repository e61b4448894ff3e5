import type { EpochMs, Millis } from '../policy/time.ts'
import { meaningOf } from './alarm-messages.ts'
import { INCIDENT_KINDS, type IncidentKind, type IncidentName } from './incident-kinds.ts'
import type { Clock } from './ports.ts'

/** A problem that operators should know about, from its first alarm until it is resolved. */
export interface Incident {
  readonly kind: IncidentName
  /** The details that distinguish it from other incidents of its kind. */
  readonly subject: Details
  readonly openedAt: EpochMs
  /** Absent while it is open. */
  readonly endedAt?: EpochMs
  /** Time, message and details of its newest alarm. */
  readonly lastAt: EpochMs
  readonly message: string
  readonly fields: Details
  /** The number of alarms that it covers. */
  readonly alarms: number
  /** How often it opened. An incident that returns within ten minutes is reopened. */
  readonly times: number
  /** The total time that it was open. */
  readonly openMs: Millis
  /** Absent for kinds without an end, which have no period to count failures in. */
  readonly affected?: Affected
}

/** Failures while an incident was open: attempts at its pool, or requests of all clients if it has no pool. */
export type Affected = { readonly attempts: number } | { readonly requests: number }

/** Failures since the gateway started: requests with a 5xx, and attempts by pool. */
export interface Failures {
  readonly requests: number
  readonly attempts: ReadonlyMap<string, number>
}

type Details = Readonly<Record<string, string | number | boolean>>

interface HeardAlarm {
  readonly at: EpochMs
  readonly message: string
  readonly fields: Details
}

/** An incident while it is counted. */
interface Trouble {
  readonly key: string
  readonly kind: IncidentName
  readonly subject: Details
  openedAt: EpochMs
  endedAt: EpochMs | undefined
  lastAt: EpochMs
  message: string
  fields: Details
  alarms: number
  times: number
  /** The total of the finished occurrences. */
  openMs: Millis
  /** Whether an alarm announces its end. */
  lasts: boolean
  /** The processes that reported the problem and have not reported its end. */
  readonly processes: Set<string>
  /** The failure counts at its start; absent until they are read. */
  before: Failures | undefined
  /** Failures during the finished occurrences. */
  failed: number
}

/** The incidents of a gateway. Alarms about the same problem are one incident, and a problem that flaps is one too. */
export class Incidents {
  readonly #clock: Clock
  #failures: () => Promise<Failures> = async () => NO_FAILURES
  /** Ordered by their latest start or end, the newest last. */
  readonly #troubles = new Map<string, Trouble>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Reads failure counts from `failures` from now on. */
  count(failures: () => Promise<Failures>): void {
    this.#failures = failures
  }

  /** `process` names the one that raised the alarm. */
  hear({ at, message, fields }: HeardAlarm, process = ''): void {
    const meaning = meaningOf(message)
    // An operator's own action opens no incident.
    if (meaning === 'note' || 'by' in fields) return
    if ('resolves' in meaning) {
      this.#resolve(this.#troubles.get(keyOf(meaning.resolves, fields)), at, process)
      return
    }
    const lasts = 'opens' in meaning
    const trouble = this.#begin(lasts ? meaning.opens : meaning.happens, fields, at)
    Object.assign(trouble, { lastAt: at, message, fields, alarms: trouble.alarms + 1, lasts: lasts || trouble.lasts })
    if (lasts) trouble.processes.add(process)
  }

  /** The files were loaded: incidents about unreadable files end. */
  served(): void {
    this.#resolve(this.#troubles.get(keyOf('files-not-served', {})), this.#clock.now(), '')
  }

  /** A process ended, so its problems ended with it. */
  processEnded(process: string): void {
    for (const trouble of [...this.#troubles.values()])
      if (trouble.processes.has(process)) this.#resolve(trouble, this.#clock.now(), process)
  }

  get openCount(): number {
    this.#endQuiet(this.#clock.now())
    return this.#all().filter(isOpen).length
  }

  /** Open incidents first, then resolved ones; each group newest first. */
  async newest(limit: number): Promise<readonly Incident[]> {
    const failures = await this.#failures()
    const now = this.#clock.now()
    this.#endQuiet(now)
    const all = this.#all()
    const sorted = [...all.filter(isOpen), ...all.filter(trouble => !isOpen(trouble))]
    return sorted.slice(0, limit).map(trouble => incidentOf(trouble, now, failures))
  }

  /** The newest first. */
  #all(): Trouble[] {
    return [...this.#troubles.values()].reverse()
  }

  /** Finds an open incident, reopens a recent one, or opens a new one. */
  #begin(kind: IncidentName, fields: Details, at: EpochMs): Trouble {
    this.#endQuiet(at)
    const key = keyOf(kind, fields)
    const known = this.#troubles.get(key)
    if (known && isOpen(known)) return known
    const isBack = known?.endedAt !== undefined && at - known.endedAt <= BACK_WITHIN
    const trouble = isBack ? known : newTrouble(key, kind, fields)
    Object.assign(trouble, { openedAt: at, endedAt: undefined, lasts: false, times: trouble.times + 1 })
    this.#moveLast(trouble)
    this.#readFailures(before => {
      if (isOpen(trouble) && trouble.openedAt === at) trouble.before = before
    })
    return trouble
  }

  /** If every process reports the problem itself, it ends once all have reported its end. */
  #resolve(trouble: Trouble | undefined, at: EpochMs, process: string): void {
    if (!trouble || !isOpen(trouble)) return
    const { ofProcess }: IncidentKind = INCIDENT_KINDS[trouble.kind]
    trouble.processes.delete(process)
    if (!ofProcess || trouble.processes.size === 0) this.#end(trouble, at)
  }

  #end(trouble: Trouble, at: EpochMs): void {
    const { before } = trouble
    trouble.endedAt = at
    trouble.openMs += Math.max(0, at - trouble.openedAt)
    trouble.before = undefined
    trouble.processes.clear()
    this.#moveLast(trouble)
    if (!before) return
    this.#readFailures(after => {
      trouble.failed += failedBetween(trouble, before, after)
    })
  }

  /** If the counts cannot be read, the incident lacks its number of failures and nothing else. */
  #readFailures(take: (failures: Failures) => void): void {
    this.#failures().then(take, () => {})
  }

  /** Ends incidents that no alarm ends, after a quiet period. */
  #endQuiet(now: EpochMs): void {
    for (const trouble of [...this.#troubles.values()])
      if (isOpen(trouble) && !trouble.lasts && now - trouble.lastAt > QUIET) this.#end(trouble, trouble.lastAt)
  }

  #moveLast(trouble: Trouble): void {
    this.#troubles.delete(trouble.key)
    this.#troubles.set(trouble.key, trouble)
    if (this.#troubles.size <= MOST) return
    const [oldest] = this.#troubles.values()
    const dropped = [...this.#troubles.values()].find(each => !isOpen(each)) ?? oldest
    if (dropped) this.#troubles.delete(dropped.key)
  }
}

const newTrouble = (key: string, kind: IncidentName, fields: Details): Trouble => ({
  key,
  kind,
  subject: subjectOf(kind, fields),
  openedAt: 0,
  endedAt: undefined,
  lastAt: 0,
  message: '',
  fields,
  alarms: 0,
  times: 0,
  openMs: 0,
  lasts: false,
  processes: new Set(),
  before: undefined,
  failed: 0,
})

const isOpen = ({ endedAt }: Trouble): boolean => endedAt === undefined

function incidentOf(trouble: Trouble, now: EpochMs, failures: Failures): Incident {
  const { kind, subject, openedAt, endedAt, lastAt, message, fields, alarms, times, lasts, before } = trouble
  const sinceOpened = endedAt === undefined ? Math.max(0, now - openedAt) : 0
  const failed = trouble.failed + (before ? failedBetween(trouble, before, failures) : 0)
  return {
    kind,
    subject,
    openedAt,
    ...(endedAt !== undefined && { endedAt }),
    lastAt,
    message,
    fields,
    alarms,
    times,
    openMs: trouble.openMs + sinceOpened,
    ...(lasts && { affected: subject.pool === undefined ? { requests: failed } : { attempts: failed } }),
  }
}

/** Failed attempts at its pool, or failed requests if it has no pool. */
function failedBetween({ subject: { pool } }: Trouble, before: Failures, after: Failures): number {
  if (pool === undefined) return after.requests - before.requests
  const of = ({ attempts }: Failures) => attempts.get(String(pool)) ?? 0
  return of(after) - of(before)
}

const keyOf = (kind: IncidentName, fields: Details): string => JSON.stringify([kind, subjectOf(kind, fields)])

function subjectOf(kind: IncidentName, fields: Details): Details {
  const { by = [] }: IncidentKind = INCIDENT_KINDS[kind]
  return Object.fromEntries(by.flatMap(name => (fields[name] === undefined ? [] : [[name, fields[name]]])))
}

const NO_FAILURES: Failures = { requests: 0, attempts: new Map() }

/** A problem that returns within this time reopens its incident. */
const BACK_WITHIN: Millis = 600_000
/** Incidents that no alarm ends are resolved after this time without an alarm. */
const QUIET: Millis = 600_000
/** Resolved incidents are dropped first. */
const MOST = 200
