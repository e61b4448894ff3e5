import type { EpochMs } from '../../policy/config.ts'
import { listing, moment, number, orNull, record, type TypeOf, whole, word } from '../schema/schema.ts'

const PROCESSES = ['main', 'worker', 'store'] as const
const STATES = ['starting', 'serving', 'silent', 'gone'] as const

/** One of the processes of a gateway that has several, as operators see it. */
const PROCESS = record(
  {
    process: word(
      PROCESSES,
      '`main` accepts connections and serves operators, workers serve clients, and the store process owns the embedded store.',
    ),
    worker: orNull(whole('The number of a worker, from 0. A replacement takes over the number.')),
    pid: whole(),
    state: word(STATES, '`silent`: it does not answer. `gone`: it ended, and its replacement has not started yet.'),
    since: moment(),
    restarts: whole('How many earlier workers with this number have ended.'),
    connections: whole('Open client connections.'),
    in_flight: whole('Requests that are admitted and not yet settled.'),
    cores: orNull(
      number(
        'CPU use in the last second: 0.5 is half a core. Null while unknown, such as for a worker that is starting.',
      ),
    ),
    resident_bytes: orNull(whole()),
    lag_ms: orNull(number('The 99th percentile of its event loop delay in the last second.')),
  },
  'Process',
)

export interface ShownProcess extends TypeOf<typeof PROCESS> {}

export const PROCESS_LIST = listing(PROCESS)

export interface ProcessList extends TypeOf<typeof PROCESS_LIST> {}

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
  /** The 99th percentile of its event loop delay in the last second. */
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
