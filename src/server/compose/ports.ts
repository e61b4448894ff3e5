import type { Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { Metrics } from '../../adapters/metrics/metrics.ts'
import type { DecisionSettings, Loaded } from '../../config/settings.ts'
import type { Canaries } from '../../gateway/canary/canaries.ts'
import type { FleetBalanceEvents } from '../../gateway/fleet/balance.ts'
import type { OtherHealthChecks } from '../../gateway/health/checks.ts'
import type { Incidents } from '../../gateway/incidents.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { RecentAlarm, RecentAlarms } from '../../gateway/recent-alarms.ts'
import type { RecentRequests, Remembered } from '../../gateway/recent-requests.ts'
import type { Feed, FeedPorts } from '../../http/feed.ts'
import type { ConnectionRelease } from '../../http/listener/connection-release.ts'
import type { Elsewhere } from '../../http/listener/connections.ts'
import type { Listener } from '../../http/listener/server.ts'
import type { MainApp, WorkerApp } from '../app.ts'
import type { DrainTimes } from '../drain.ts'
import type { GatewayBalance } from '../parts/balance.ts'
import type { Opened } from '../reloader.ts'
import type { OpenState } from '../state/open-state.ts'
import type { AsGateway } from '../state/open-store.ts'

/** The workers, as main sees them. */
export interface MainPorts {
  /** Replaces its own store. */
  readonly openState?: (as: AsGateway) => Promise<OpenState>
  /** Gets to know what main is made of, before it serves. */
  readonly attach: (parts: MainParts) => void
  /** Whether main takes in what a worker found: that has raised the alarm. */
  readonly takesIn: () => boolean
  /** Hears what other gateways sent to replicas. */
  readonly balance: FleetBalanceEvents
  /** Replaces the single process's own view. */
  readonly process: Pick<MainApp, 'recent'> & Required<Pick<MainApp, 'poolsOfOthers' | 'processes' | 'workers'>>
  /** Starts the workers, which serve clients; drains and cuts them. */
  readonly clients: Pick<Listener, 'cut' | 'destroy'> & {
    /** Clients connect from now on, and wait. */
    listen(): Promise<{ readonly host: string; readonly port: number }>
    /** They are served from now on. */
    open(): void
    drain(times: DrainTimes): Promise<boolean>
  }
  /** Has all workers open a configuration; undefined while there are none. */
  readonly open: (loaded: Loaded, generation: number) => Promise<{ commit(): Promise<void>; abort(): void }>
  /** The counts and the health of all processes. */
  readonly registries: () => Promise<readonly Registry[]>
  /** Requests of workers that were admitted and not yet settled, as they said last. */
  readonly underWay: () => number
  /** It leaves soon: balancers are to send no clients to workers either. */
  readonly leaving: () => void
  /** An operator follows the feed, or none any more. */
  readonly followed: (isFollowed: boolean) => void
}

export interface MainParts {
  readonly pools: Pools
  readonly alarms: RecentAlarms
  readonly incidents: Incidents
  readonly feed: Feed
  readonly metrics: Metrics
  readonly alarm: Alarm
  /** Hears how requests of workers fare at pools that canaries are compared at. */
  readonly canaries: Pick<Canaries, 'add'>
  /** Hears what workers send to replicas, and passes it on to other gateways. */
  readonly balance: GatewayBalance
  readonly current: () => MainApp
}

/** Main, as a worker sees it. */
export interface WorkerPorts {
  /** The store of all, or the worker's own way to it. */
  readonly openState: (as: AsGateway) => Promise<OpenState>
  /** Receives the worker's parts, before it serves. */
  readonly attach: (parts: WorkerParts) => void
  /** Whether the worker takes in what another process found: that has raised the alarm. */
  readonly takesIn: () => boolean
  /** Recent requests of all workers. */
  readonly recent: Remembered
  /** The name of the process among all that send traces. */
  readonly instance: string
  /** How many there are. */
  readonly workers: number
  /** Serves the connections that main hands over. */
  readonly listen: (server: Server) => void
  /** Where its own lines go. */
  readonly decisions: (all: DecisionSettings) => DecisionSettings
  readonly feed: (ports: FeedPorts) => Feed
  readonly elsewhere: Elsewhere
  /** Connections that other workers are to have. */
  readonly release: ConnectionRelease
  /** One worker checks a replica for all. */
  readonly healthChecks: OtherHealthChecks
  readonly alarmed: (alarm: RecentAlarm) => void
}

export interface WorkerParts {
  readonly pools: Pools
  readonly recent: RecentRequests
  readonly metrics: Metrics
  readonly current: () => WorkerApp
  /** Requests of this process that were admitted and not yet settled. */
  readonly underWay: () => number
  /** From now on balancers are to send no clients. */
  readonly unready: () => void
  /** Opens a configuration in this process. */
  readonly open: (loaded: Loaded, generation: number) => Promise<Opened>
}
