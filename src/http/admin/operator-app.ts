import type { Secret } from '../../config/settings.ts'
import type { Audited } from '../../gateway/accounts/audited.ts'
import type { Archiving } from '../../gateway/archive/archiver.ts'
import type { BackupKey } from '../../gateway/backup/key.ts'
import type { Canaries } from '../../gateway/canary/canaries.ts'
import type { Fleet } from '../../gateway/fleet/fleet.ts'
import type { Peers } from '../../gateway/fleet/peers.ts'
import type { Probes } from '../../gateway/health/probes.ts'
import type { Incidents } from '../../gateway/incidents.ts'
import type { Mirrors } from '../../gateway/mirror/mirrors.ts'
import type { OperatorRefusals } from '../../gateway/operators/refusals.ts'
import type { OperatorSessions } from '../../gateway/operators/sessions.ts'
import type { SignInTries } from '../../gateway/operators/sign-in-tries.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import type { RecentAlarms } from '../../gateway/recent-alarms.ts'
import type { Remembered } from '../../gateway/recent-requests.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { ShownPast } from '../../wire/admin/past.ts'
import type { KnownProcess } from '../../wire/admin/process.ts'
import type { Application, Applied, Compared, FleetChanges, Reloaded, Revisions } from '../changes.ts'
import type { Feed } from '../feed.ts'
import type { Exposition, ReadyInDetailApp } from '../health.ts'
import type { ListenerApp } from '../listener/app.ts'
import type { PoolsNow } from '../shown-pools.ts'

/** Dependencies of the operator endpoints. */
export interface OperatorApp extends ListenerApp, ReadyInDetailApp, Pick<PoolsNow, 'poolsOfOthers'> {
  /** Pools that are compared with others, and drained where they are worse. */
  readonly canaries: Pick<Canaries, 'begin' | 'recordOf'>
  readonly store: Store
  readonly pools: Pools
  /** The copies of requests that this process sends. */
  readonly mirrors: Pick<Mirrors, 'newestOf'>
  /** Where pages that sign people in send requests, as far as that is known of the provider. */
  readonly providerOrigins?: () => readonly string[]
  /** Secrets for deriving guest keys, newest first: those of the settings, or the gateway's own. */
  readonly guestSecrets: readonly Secret[]
  /** Bearer token of operators, where the files have none. */
  readonly adminToken: string
  /** All processes of such a gateway, and how they do. */
  readonly processes?: () => Promise<readonly KnownProcess[]>
  /** Asks replicas how they are. */
  readonly probes: Pick<Probes, 'probeNow'>
  /** The newest requests of clients. */
  readonly recent: Remembered
  readonly about: About
  /** Signs backups. */
  readonly backupKey: () => Promise<BackupKey>
  /** Progress of moving rows to an archive; undefined where they stay. */
  readonly archiving: () => Archiving | undefined
  /** Sessions of operators in browsers. */
  readonly sessions: OperatorSessions
  /** Failed attempts to pass as an operator. */
  readonly signInTries: SignInTries
  /** Refused operator requests. */
  readonly refusals: OperatorRefusals
  /** The newest alarms. */
  readonly alarms: RecentAlarms
  /** Incidents, each from its first alarm until it is over. */
  readonly incidents: Incidents
  /** Event feed of operators. */
  readonly feed: Feed
  /** Sends a test to a target of notices, once. Rejects with the reason where it does not arrive. */
  readonly testTarget: (target: string, by: string) => Promise<void>
  /** Metrics in the Prometheus exposition format. */
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
  /** Has a candidate take the place of the files, and of what serves: whole, or not at all. */
  readonly apply: (application: Application) => Promise<Applied>
}

/** Identity of a process. */
export interface About {
  readonly version: string
  /** `host:pid` */
  readonly gateway: string
  readonly startedAt: EpochMs
}
