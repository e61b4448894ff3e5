import type { Secret } from '../../config/settings.ts'
import type { Audited } from '../../gateway/accounts/audited.ts'
import type { Identified } from '../../gateway/accounts/identified.ts'
import type { AnswerMemory } from '../../gateway/answer/answer-memory.ts'
import type { Archiving } from '../../gateway/archive/archiver.ts'
import type { BackupKey } from '../../gateway/backup/backup-key.ts'
import type { Fleet } from '../../gateway/fleet/fleet.ts'
import type { Peers } from '../../gateway/fleet/peers.ts'
import type { Probes } from '../../gateway/health/probes.ts'
import type { Moved } from '../../gateway/moving/move.ts'
import type { OperatorRefusals } from '../../gateway/operators/operator-refusals.ts'
import type { OperatorSessions } from '../../gateway/operators/operator-sessions.ts'
import type { SignInTries } from '../../gateway/operators/sign-in-tries.ts'
import type { Random } from '../../gateway/ports.ts'
import type { RecentAlarms } from '../../gateway/recent-alarms.ts'
import type { Remembered } from '../../gateway/recent-requests.ts'
import type { Gateway } from '../../gateway/request.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import type { StoreHealth } from '../../gateway/store-health.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { ShownPast } from '../../wire/admin/past.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import type { KnownProcess, WorkerState } from '../../wire/admin/process.ts'
import type { Role } from '../../wire/admin/role.ts'
import type { Application, Applied, Compared, FleetChanges, Reloaded, Reloads, Revisions } from '../changes.ts'
import type { Feed } from '../feed.ts'
import type { BodyMemory } from '../ingress/body-memory.ts'
import type { Turns } from '../ingress/turns.ts'
import type { HttpCall } from './call.ts'
import type { Level } from './overload.ts'
import type { CountRead, CountStranger, RateBound, ReadLimits } from './read-limits.ts'

/** One row of a listener's table: where, who may call, and what it does. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Matched exactly; a segment `{id}` matches anything without a slash, or with some where `slashes` is set. */
  readonly path: string
  readonly slashes?: true
  /** Set for what costs the most: refused while there is too much to do. */
  readonly sheds?: true
  /** Set where a HEAD would cost as much as a GET: it is refused. */
  readonly paid?: true
  /** Set for what open pages ask again and again: where it is served, no log, feed or count of requests has it. */
  readonly quiet?: true
} & (
  | {
      readonly who: 'anyone'
      readonly rate: RateBound
      readonly run: (app: App, call: HttpCall, id: string) => Promise<void> | void
    }
  /** A client with a key or a sign-in. */
  | {
      readonly who: 'caller'
      readonly rate: RateBound
      /** Set where all that is served is admitted before: the caller may be recalled. Its run confirms it before it refuses. */
      readonly admits?: true
      readonly run: (app: App, call: HttpCall, identified: Identified, id: string) => Promise<void>
    }
  /** A client with a sign-in; a key is not enough. */
  | {
      readonly who: 'signed-in'
      readonly rate: RateBound
      readonly run: (app: App, call: HttpCall, caller: Caller) => Promise<void>
    }
  /** A client that may read metrics. */
  | { readonly who: 'scraper'; readonly run: (app: App, call: HttpCall) => Promise<void> }
  /** An operator whose role is this one, or may do more; `by` is the operator, for the audit, and `role` what they are. */
  | {
      readonly who: 'operator'
      readonly needs: Role
      readonly run: (app: App, call: HttpCall, by: string, id: string, role: Role) => Promise<void>
    }
)

export interface Exposition {
  readonly type: string
  readonly text: string
}

/** What endpoints work with. */
export interface App extends Snapshot, Process {}

/** Of one configuration: made anew by every reload, never changed. A request keeps the one it began with for life. */
export interface Snapshot extends Pick<Gateway, PerSnapshot> {
  /** 1 since the start, and one more with each reload. */
  readonly generation: number
  /** When the configuration was loaded. */
  readonly loadedAt: EpochMs
  /** What keys of guests are derived from, newest first: those of the settings, or the gateway's own. */
  readonly guestSecrets: readonly Secret[]
}

/** Of the process: made once, and the same in every snapshot. */
export interface Process extends Omit<Gateway, PerSnapshot> {
  readonly random: Random
  /** What an operator sends as bearer, where the files have no token. */
  readonly adminToken: string
  /** False once the process is on its way out. */
  readonly ready: () => boolean
  /** Resolves once operators can reach the gateway, by the token that it left for them. */
  readonly begun: Promise<void>
  /** Whether the store can be written, asked at most once in a second. */
  readonly storeHealth: Pick<StoreHealth, 'isWritable'>
  /** How much of the work is refused, because there is too much of it. */
  readonly shedding: () => Level
  /** Bodies in flight, of which there is only so much at once. */
  readonly bodies: BodyMemory
  /** Answers that are fetched, or wait for their clients to read them: of those too there is only so much at once. */
  readonly answers: AnswerMemory
  /** When bodies and answers are read. */
  readonly turns: Turns
  /** How often clients may read what asks no model. */
  readonly reads: ReadLimits
  /** Counts reads that are over. */
  readonly countRead: CountRead
  /** Counts requests that reach no endpoint. */
  readonly countStranger: CountStranger
  /** How the other processes of this gateway know its pools; absent where there are none. */
  readonly poolsOfOthers?: () => Promise<readonly (readonly ShownPool[])[]>
  /** The workers of a gateway of several processes, as main knows them; absent in any other process. */
  readonly workers?: () => readonly WorkerState[]
  /** All processes of such a gateway, and how they do. */
  readonly processes?: () => Promise<readonly KnownProcess[]>
  /** Asks replicas how they are. */
  readonly probes: Pick<Probes, 'probeNow'>
  readonly reloads: Reloads
  /** The newest requests of clients. */
  readonly recent: Remembered
  readonly about: About
  /** What signs backups. */
  readonly backupKey: () => Promise<BackupKey>
  /** What became of rows that are to leave for an archive; undefined where they stay. */
  readonly archiving: () => Archiving | undefined
  /** Of operators in browsers. */
  readonly sessions: OperatorSessions
  /** What was sent in vain to pass as an operator. */
  readonly signInTries: SignInTries
  /** What operators were refused. */
  readonly refusals: OperatorRefusals
  /** The newest alarms. */
  readonly alarms: RecentAlarms
  /** What operators follow. */
  readonly feed: Feed
  /** What was counted, in the form that Prometheus reads. */
  readonly metrics: () => Promise<Exposition>
  /** Writes what this gateway counted up to now to the time series in the store. Never rejects. */
  readonly recordSeries: () => Promise<void>
  /** The gateways on the store. */
  readonly fleet: Fleet
  /** How the others are asked. */
  readonly peers: Peers
  readonly fleetChanges: FleetChanges
  /** For changes of the gateway itself: those of accounts are written with what they change. */
  readonly audited: Audited
  /** Loads the files again, because an operator asks for it. They take effect whole, or not at all. */
  readonly reload: (by: string) => Promise<Reloaded>
  readonly revisions: Revisions
  /** A request of the decision log, decided again by what serves; undefined where the log has none with this id. */
  readonly explain: (requestId: string) => Promise<ShownPast | undefined>
  /** Tells two kept revisions apart. */
  readonly compare: (from: RevisionFiles, to: RevisionFiles) => Promise<Compared>
  /** Moves the store to another one while requests are served; absent where the gateway has several processes. Rejects with MoveFailed. */
  readonly moveStore?: (asked: MoveAsked) => Promise<Moved>
  /** Has a candidate take the place of the files, and of what serves: whole, or not at all. */
  readonly apply: (application: Application) => Promise<Applied>
}

/** A move of the store that an operator asks for. */
export interface MoveAsked {
  /** As `store` says it in the files. */
  readonly to: string
  /** Passwords and certificates, by the names that they have in the files. */
  readonly secrets: ReadonlyMap<string, Secret>
  /** Whether what the other store has is to go. */
  readonly replace: boolean
  readonly by: string
  /** Hears how far it is. */
  readonly say: (text: string) => void
  /** Aborted where the operator left. */
  readonly signal: AbortSignal
}

/** What a process is. */
export interface About {
  readonly version: string
  /** `host:pid` */
  readonly gateway: string
  readonly startedAt: EpochMs
}

/** What of the gateway's ports comes from the files. All others outlive a reload. */
type PerSnapshot =
  | 'config'
  | 'settings'
  | 'send'
  | 'sendPassthrough'
  | 'sockets'
  | 'tools'
  | 'verify'
  | 'providerOrigins'
  | 'responses'
  | 'traces'

/** Where requests get the snapshot they keep. */
export interface Snapshots {
  /** The one that serves now. */
  readonly current: App
  /** The same, for a request that begins. */
  take(): App
  /** The request that took it is over, and settled. */
  giveBack(app: App): void
}
