import type { Server } from 'node:http'
import type { Metrics } from '../adapters/metrics/metrics.ts'
import type { DecisionSettings, Loaded } from '../config/settings.ts'
import type { Alarm } from '../gateway/ports.ts'
import type { RecentAlarm, RecentAlarms } from '../gateway/recent-alarms.ts'
import type { RecentRequests } from '../gateway/recent-requests.ts'
import type { Pools, Replica } from '../gateway/upstream/pools.ts'
import type { Feed } from '../http/admin/feed.ts'
import type { App, Exposition } from '../http/listener/endpoint.ts'
import type { Listener } from '../http/listener/server.ts'
import type { LogEntry } from '../http/log-entry.ts'
import type { DrainTimes } from './drain.ts'
import type { openState } from './open-store.ts'
import type { Opened } from './reloader.ts'

/** What a process does that is one of several of a gateway: main, which operators ask, or a worker, which clients ask. */
export type Part = MainPart | WorkerPart

interface AnyPart {
  /** In place of a store of its own. */
  readonly state?: Awaited<ReturnType<typeof openState>>
  /** Gets to know what the process is made of, before it serves. */
  readonly attach: (parts: Parts) => void
  /** A replica was ejected, or is back. Whether that was found here: else another process has said it. */
  readonly changed: (pool: string, replica: Replica) => boolean
}

export interface MainPart extends AnyPart {
  readonly kind: 'main'
  /** Starts the workers, which listen for clients; drains and cuts them. */
  readonly clients: Pick<Listener, 'cut' | 'destroy'> & {
    listen(): Promise<{ readonly host: string; readonly port: number }>
    drain(times: DrainTimes): Promise<boolean>
  }
  /** Has all workers open a configuration; undefined while there are none. */
  readonly open: (loaded: Loaded, generation: number) => Promise<{ commit(): Promise<void>; abort(): void }>
  readonly exposition: () => Promise<Exposition>
  /** What it knows of the other processes. */
  readonly process: Pick<App, 'poolsOfOthers'>
}

export interface WorkerPart extends AnyPart {
  readonly kind: 'worker'
  /** Serves the connections that main hands over. */
  readonly listen: (server: Server) => void
  /** Where its own lines go. */
  readonly decisions: (all: DecisionSettings) => DecisionSettings
  readonly ended: (entries: readonly LogEntry[]) => void
  readonly alarmed: (alarm: RecentAlarm) => void
}

export interface Parts {
  readonly pools: Pools
  readonly alarms: RecentAlarms
  readonly recent: RecentRequests
  readonly feed: Feed
  readonly metrics: Metrics
  readonly alarm: Alarm
  readonly current: () => App
  /** Opens a configuration in this process. */
  readonly open: (loaded: Loaded, generation: number) => Promise<Opened>
}
