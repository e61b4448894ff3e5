import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { Connections } from '../adapters/backends/connections.ts'
import { probeOver } from '../adapters/backends/exchange.ts'
import { findDecision } from '../adapters/decisions/find.ts'
import { DecisionFiles } from '../adapters/decisions/log.ts'
import type { Identity } from '../adapters/identity/identity.ts'
import { Metrics } from '../adapters/metrics/metrics.ts'
import type { Address, Loaded } from '../config/settings.ts'
import { auditedIn } from '../gateway/accounts/audited.ts'
import { KeyUses } from '../gateway/accounts/key-uses.ts'
import { withoutKeys } from '../gateway/accounts/keys.ts'
import { OperatorSessions } from '../gateway/accounts/operator-sessions.ts'
import { addedRules, beginAhead } from '../gateway/admission/begin-ahead.ts'
import { startLeaseSweep } from '../gateway/admission/lease-sweep.ts'
import { Leases } from '../gateway/admission/leases.ts'
import { startIndexing } from '../gateway/index-rows.ts'
import { Shared } from '../gateway/lifetimes.ts'
import { CallerWatch } from '../gateway/passthrough/caller-watch.ts'
import type { Alarm } from '../gateway/ports.ts'
import { RecentAlarms } from '../gateway/recent-alarms.ts'
import { RecentRequests } from '../gateway/recent-requests.ts'
import { startResponseSweep } from '../gateway/responses/response-sweep.ts'
import type { Store } from '../gateway/store/store.ts'
import { StoreHealth } from '../gateway/store-health.ts'
import { atEndOfTurn } from '../gateway/turn.ts'
import { Inquiries } from '../gateway/upstream/inquiries.ts'
import { Pools, reportReplicas } from '../gateway/upstream/pools.ts'
import { Probes } from '../gateway/upstream/probes.ts'
import { adminEndpoints } from '../http/admin/admin.ts'
import { poolNow } from '../http/admin/admin-pools.ts'
import type { Reloaded } from '../http/admin/changes.ts'
import { Feed } from '../http/admin/feed.ts'
import { BodyMemory, bodyMemoryBytes } from '../http/ingress/body-memory.ts'
import { Turns } from '../http/ingress/turns.ts'
import type { App, Process } from '../http/listener/endpoint.ts'
import { type Sample, watchLoad } from '../http/listener/overload.ts'
import { serve } from '../http/listener/server.ts'
import { type Log, type LogEntry, modelOf } from '../http/log-entry.ts'
import { prepareSchemas, publicEndpoints } from '../http/public/public.ts'
import type { Config, Millis } from '../policy/config.ts'
import type { ShownPast } from '../wire/admin/past.ts'
import { changesOf, type FilesOf } from './changes.ts'
import { Drain, type DrainTimes } from './drain.ts'
import { collectSoon, memoryBytes, watchDescriptors } from './machine.ts'
import { openState } from './open-store.ts'
import { OpenSnapshots, openSnapshot, Tracing } from './snapshots.ts'
import { gatewayName, version } from './version.ts'
import { type World, within } from './world.ts'

/** A gateway that serves. */
export interface RunningGateway {
  readonly store: Store
  /** What serves now. */
  readonly app: App
  readonly listen: Address
  readonly admin: Address
  /** Loads the files again, because an operator, an account or `watch` asks for it. Never rejects. */
  reload(by: string): Promise<Reloaded>
  /**
   * Leaves as `server.drain_delay` and `server.drain_timeout` say, then closes the store. Resolves with whether all
   * that was settled is in the ledger, or on the disk that stands in for it.
   */
  drain(): Promise<boolean>
  /** The same at once, with as long for running requests. */
  close(graceMs: Millis): Promise<void>
  /** Interrupts the running requests, now or as soon as it drains. Each answer ends with an error, and the part that was sent is settled. */
  cut(): void
}

export interface GatewayHooks extends FilesOf {
  readonly adminToken: string
  readonly log: Log
  readonly alarm: Alarm
  /** Decides a line of the decision log again; without it none is explained. */
  readonly explain?: (serving: Pick<Loaded, 'config' | 'settings'>, line: string) => Promise<ShownPast | undefined>
  /** Leaves secrets out of texts. */
  readonly clean?: (text: string) => string
  /** Prints what reloads did. */
  readonly say?: (text: string) => void
  /** Metrics of the whole process, shown beside those of the gateway. */
  readonly processMetrics?: Registry
  /** Lines of the log that could not be written. */
  readonly droppedLines?: () => number
  /** What the process says of its load; without it nothing is ever refused for that. */
  readonly sample?: () => Sample
  /** Whether the process can open one more file or socket; without it nothing watches that. */
  readonly hasDescriptor?: () => boolean
}

/** How long the ledger may take to be written at the end. */
export const FLUSH_MS: Millis = 5000

/** A collector that is not there would hold up every restart. */
const LAST_SPANS_MS: Millis = 1000

/** Wires the adapters and starts both listeners. Rejects, with nothing left open, when one cannot start. */
export async function startGateway(loaded: Loaded, world: World, hooks: GatewayHooks): Promise<RunningGateway> {
  const { clock } = world
  const { log, adminToken, say = () => {} } = hooks
  const metrics = new Metrics()
  let feed: Feed | undefined
  const alarms = new RecentAlarms(clock, hooks.clean ?? withoutKeys)
  const alarm: Alarm = (...told) => {
    metrics.alarm()
    const newest = alarms.add(...told)
    // The first ones may come before it is there.
    feed?.alarmed(newest)
    hooks.alarm(...told)
  }
  const { reloader, revisions, compare, applierOn } = changesOf(loaded, {
    ...hooks,
    alarm,
    open: async next => {
      const reachStore = await proveStore(next.settings.store)
      const opened = await openSnapshot(next, snapshots.current.generation + 1, shares)
      await beginLimits(next.config, snapshots.current.config)
      const serve = () => {
        reachStore()
        snapshots.replace(opened)
        leases.follow(next.config)
        probes.follow()
      }
      return { serve, drop: opened.close }
    },
    serves: revision => feed?.serves(revision),
    clock,
    say,
    audited: change => audited(change),
  })
  const keep = () => reloader.settings.ledger.keep
  /** Limits that are new begin with what was used before; where that fails they hold all the same. */
  const beginLimits = (config: Config, before?: Config) =>
    beginAhead(config, store, addedRules(config, before), clock.now()).catch(error =>
      alarm('limits that are new begin without what was used before', { error: String(error) }),
    )

  const { store, proveStore, close: closeState } = await openState(loaded, world, alarm, { keep, wrote: metrics.wrote })
  const audited = auditedIn(store.accounts, alarm)
  const applier = applierOn(store.accounts)
  const callerWatch = new CallerWatch(store, clock)
  const keyUses = new KeyUses(store.keys, clock)
  const leases = new Leases(store.holds, clock, alarm)
  const stopLeaseSweep = startLeaseSweep(store, clock, keep, alarm)
  const stopIndexing = startIndexing(store.ledger, clock, alarm)
  const stopResponseSweep = startResponseSweep(store.responses, clock, alarm)
  const stopDescriptors = hooks.hasDescriptor && watchDescriptors(clock, alarm, hooks.hasDescriptor)
  let load: ReturnType<typeof watchLoad> | undefined
  const closeStore = async () => {
    leases.stop()
    callerWatch.stop()
    load?.stop()
    stopLeaseSweep()
    stopIndexing()
    stopResponseSweep()
    stopDescriptors?.()
    await within(FLUSH_MS, keyUses.stop())
    return closeState(FLUSH_MS)
  }
  const reportReplica = reportReplicas(alarm, clock)
  const pools = new Pools((pool, replica) => {
    reportReplica(pool, replica)
    probes.changed(pool, replica)
    tellPool(pool)
  })
  const tellPool = (name: string) => {
    const { current } = snapshots
    const pool = current.config.pools.get(name)
    // Without readers there is nothing to send.
    if (!pool || !feed || feed.readers === 0) return
    void poolNow(current, pool).then(
      shown => feed?.pooled(shown),
      error => alarm('the change of a pool could not be read', { pool: name, error: String(error) }),
    )
  }
  const decisions = new DecisionFiles({ settings: () => reloader.settings.decisions, clock, alarm })
  const connections = new Connections()
  const probe = probeOver(connections)
  const inquiries = new Inquiries({ clock, probe, alarm })
  const probes = new Probes({ ...world, pools, probe, current: () => snapshots.current })
  feed = new Feed({ store, clock, config: () => snapshots.current.config })
  const recent = new RecentRequests(clock.now())
  let ready = true
  const memory = memoryBytes()
  const collect = collectSoon(clock, () => bodies.isNearlyEmpty)
  const bodies: BodyMemory = new BodyMemory(() => bodyMemoryBytes(reloader.settings, memory), collect)
  const process: Process = {
    store,
    ...world,
    pools,
    probes,
    inquiries,
    leases,
    callerWatch,
    keyUses,
    decisions,
    alarm,
    adminToken,
    ready: () => ready,
    storeHealth: new StoreHealth(store, clock),
    reloads: reloader.counts,
    recent,
    about: { version, gateway: gatewayName, startedAt: clock.now() },
    alarms,
    sessions: new OperatorSessions(clock, world.random),
    feed,
    counter: metrics,
    metrics: () => metrics.exposition(hooks.processMetrics),
    reload: by => reloader.reload(by),
    audited,
    revisions,
    compare,
    explain: async requestId => {
      const { config, settings } = snapshots.current
      const { decisions, listener } = settings
      const line = await findDecision(decisions.directory, requestId, listener.requestTimeout)
      return line === undefined ? undefined : hooks.explain?.({ config, settings }, line)
    },
    apply: application => applier.apply(application),
    bodies,
    turns: new Turns(clock),
    shedding: () => (load && reloader.settings.listener.shedLoad ? load.level() : 0),
  }
  const tracing = new Tracing(alarm)
  const shares = { process, connections, identities: new Shared<Identity>(identity => identity.close()), tracing }
  const first = await openSnapshot(loaded, 1, shares).catch(async error => {
    await closeStore()
    throw error
  })
  const snapshots = new OpenSnapshots(first)
  await revisions.open()
  const wasServed = revisions.list()[0]?.revision === loaded.config.revision
  if (!wasServed) await beginLimits(loaded.config)
  // The work of the start itself is no load of clients.
  load = hooks.sample && watchLoad(hooks.sample, clock, alarm)

  const report = atEndOfTurn<readonly [LogEntry, Config]>(all => {
    for (const [entry, config] of all) log(entry, config)
    for (const [entry, config] of all) metrics.request(entry, modelOf(entry, config))
    for (const [entry] of all) recent.add(entry)
    for (const [entry, config] of all) feed.tell(entry, config)
  })
  prepareSchemas()
  const clients = serve(snapshots, publicEndpoints, (entry, config) => report([entry, config]))
  const operators = serve(snapshots, adminEndpoints, () => {})
  metrics.watch({
    clock,
    pools,
    current: () => snapshots.current,
    reloads: reloader.counts,
    dropped: () => ({ decisions: decisions.counts.dropped, log: hooks.droppedLines?.() ?? 0 }),
    underWay: () => leases.underWay,
  })
  const abort = () => {
    // Else each interrupted probe would be reported as a failure of its replica.
    probes.stop()
    inquiries.stop()
    return connections.destroy()
  }
  const drain = new Drain({ clock, clients, operators, abort, closeFeeds: () => feed.end() })
  let left: Promise<boolean> | undefined
  const leave = async (times: DrainTimes) => {
    ready = false
    await drain.run(times)
    snapshots.close()
    const [written] = await Promise.all([
      closeStore(),
      within(FLUSH_MS, decisions.close()),
      within(FLUSH_MS, revisions.written()),
      within(LAST_SPANS_MS, tracing.closed()),
    ])
    return written
  }
  const close = async (graceMs: Millis) => {
    if (graceMs <= 0) drain.cut()
    left ??= leave({ delay: 0, timeout: graceMs })
    await left
  }
  try {
    const listen = await listenAt(clients.server, loaded.settings.server.listen)
    const admin = await listenAt(operators.server, loaded.settings.server.admin)
    // Not before it serves, and before the first operator can ask.
    revisions.keep(loaded, 'start', 'start')
    probes.follow()
    return {
      store,
      get app() {
        return snapshots.current
      },
      listen,
      admin,
      reload: by => reloader.reload(by),
      drain: () => {
        const { drainDelay, drainTimeout } = reloader.settings.server
        left ??= leave({ delay: drainDelay, timeout: drainTimeout })
        return left
      },
      close,
      cut: () => drain.cut(),
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

async function listenAt(server: Server, { host, port }: Address): Promise<Address> {
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return { host, port: bound }
}
