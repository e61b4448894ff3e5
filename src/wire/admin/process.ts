import type { EpochMs } from '../../policy/config.ts'
import type { JsonObject } from '../json-safety.ts'
import { count, list, number, object, oneOf, orNull, text } from './record-fields.ts'

/** One of the processes of a gateway that has several, as operators see it. */
export interface ShownProcess {
  /** Main accepts connections and serves operators, workers serve clients, and the store's process has the embedded store. */
  readonly process: (typeof PROCESSES)[number]
  /** Of a worker, from 0 on: one that ends is followed by another one with the same number. */
  readonly worker: number | null
  readonly pid: number
  readonly state: WorkerState['state']
  readonly since: string
  /** Workers with this number before it, which ended. */
  readonly restarts: number
  /** Of clients. */
  readonly connections: number
  /** Requests that were admitted and not yet settled. */
  readonly in_flight: number
  /** Processor time of the last second: 0.5 is half a core. Null while nothing is known, as of a worker that starts. */
  readonly cores: number | null
  readonly resident_bytes: number | null
  /** How late its event loop came in the last second: 99 of 100 times no later. */
  readonly lag_ms: number | null
}

const PROCESSES = ['main', 'worker', 'store'] as const
/** `silent` is one that does not answer, `gone` one whose successor did not begin yet. */
const STATES = ['starting', 'serving', 'silent', 'gone'] as const

/** A process that serves clients, of a gateway that has several. */
export interface WorkerState {
  readonly worker: number
  readonly pid: number
  readonly state: (typeof STATES)[number]
  readonly startedAt: EpochMs
  readonly restarts: number
  readonly connections: number
  readonly inFlight: number
}

/** How a process does. */
export interface Vitals {
  /** Processor time since its start. */
  readonly cpuSeconds: number
  /** Processor time of the last second. */
  readonly cores: number
  readonly residentBytes: number
  /** How late its event loop came in the last second: 99 of 100 times no later. */
  readonly lagSeconds: number
}

export type KnownProcess = Omit<WorkerState, 'worker'> &
  Pick<ShownProcess, 'process' | 'worker'> & { readonly vitals: Vitals | undefined }

export const shownProcess = ({ startedAt, inFlight, vitals, ...known }: KnownProcess): ShownProcess => ({
  process: known.process,
  worker: known.worker,
  pid: known.pid,
  state: known.state,
  since: new Date(startedAt).toISOString(),
  restarts: known.restarts,
  connections: known.connections,
  in_flight: inFlight,
  cores: vitals ? rounded(vitals.cores) : null,
  resident_bytes: vitals?.residentBytes ?? null,
  lag_ms: vitals ? rounded(vitals.lagSeconds * 1000) : null,
})

const rounded = (value: number): number => Math.round(value * 100) / 100

/** Reads the processes that a gateway sent. Throws TypeError where they are of another form. */
export const readProcesses = (record: JsonObject): readonly ShownProcess[] =>
  list(record.data, 'processes').map(each => readProcess(object(each, 'process')))

const readProcess = (record: JsonObject): ShownProcess => ({
  process: oneOf(PROCESSES, record, 'process'),
  worker: orNull(count, record, 'worker'),
  pid: count(record, 'pid'),
  state: oneOf(STATES, record, 'state'),
  since: text(record, 'since'),
  restarts: count(record, 'restarts'),
  connections: count(record, 'connections'),
  in_flight: count(record, 'in_flight'),
  cores: orNull(number, record, 'cores'),
  resident_bytes: orNull(count, record, 'resident_bytes'),
  lag_ms: orNull(number, record, 'lag_ms'),
})
