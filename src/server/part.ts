import type { Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { Metrics } from '../adapters/metrics/metrics.ts'
import type { DecisionSettings, Loaded } from '../config/settings.ts'
import type { OtherHealthChecks } from '../gateway/health/health-checks.ts'
import type { Incidents } from '../gateway/incidents.ts'
import type { Pools } from '../gateway/pools/pools.ts'
import type { Alarm } from '../gateway/ports.ts'
import type { RecentAlarm, RecentAlarms } from '../gateway/recent-alarms.ts'
import type { RecentRequests } from '../gateway/recent-requests.ts'
import type { Feed, FeedPorts } from '../http/feed.ts'
import type { ConnectionRelease } from '../http/listener/connection-release.ts'
import type { Elsewhere } from '../http/listener/connections.ts'
import type { Listener } from '../http/listener/server.ts'
import type { App } from './app.ts'
import type { DrainTimes } from './drain.ts'
import type { Opened } from './reloader.ts'
import type { OpenState } from './state/open-state.ts'
import type { AsGateway } from './state/open-store.ts'

/** What a process does that is one of several of a gateway: main, which operators ask, or a worker, which clients ask. */
export type Part = MainPart | WorkerPart

interface AnyPart {
  /** In place of a store of its own. */
  readonly openState?: (as: AsGateway) => Promise<OpenState>
  /** Gets to know what the process is made of, before it serves. */
  readonly attach: (parts: Parts) => void
  /** Whether it takes in what another process found: that has raised the alarm. */
  readonly takesIn: () => boolean
  /** In place of what one process knows by itself. */
  readonly process: Partial<Pick<App, 'poolsOfOthers' | 'processes' | 'recent' | 'workers'>>
}

export interface MainPart extends AnyPart {
  readonly kind: 'main'
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
  /** What all processes counted, and how they do. */
  readonly registries: () => Promise<readonly Registry[]>
  /** Requests of workers that were admitted and not yet settled, as they said last. */
  readonly underWay: () => number
  /** It leaves soon: balancers are to send no clients to workers either. */
  readonly leaving: () => void
  /** An operator follows the feed, or none any more. */
  readonly followed: (isFollowed: boolean) => void
}

export interface WorkerPart extends AnyPart {
  readonly kind: 'worker'
  /** What the process is called, among all that send traces. */
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

export interface Parts {
  readonly pools: Pools
  readonly alarms: RecentAlarms
  readonly incidents: Incidents
  readonly recent: RecentRequests
  readonly feed: Feed
  readonly metrics: Metrics
  readonly alarm: Alarm
  readonly current: () => App
  /** Requests of this process that were admitted and not yet settled. */
  readonly underWay: () => number
  /** From now on balancers are to send no clients. */
  readonly unready: () => void
  /** Opens a configuration in this process. */
  readonly open: (loaded: Loaded, generation: number) => Promise<Opened>
}
