import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { Connections } from '../adapters/backends/connections.ts'
import { probeOver } from '../adapters/backends/exchange.ts'
import { findDecision } from '../adapters/decisions/find.ts'
import { DecisionFiles } from '../adapters/decisions/log.ts'
import type { Identity } from '../adapters/identity/identity.ts'
import { exposition, Metrics } from '../adapters/metrics/metrics.ts'
import { countsOfMetrics, failuresOf, jsonOf } from '../adapters/metrics/series-counts.ts'
import type { Address } from '../config/model/formats.ts'
import type { Loaded } from '../config/settings.ts'
import { auditedIn } from '../gateway/accounts/audited.ts'
import { CallerWatch } from '../gateway/accounts/caller-watch.ts'
import { KeyUses } from '../gateway/accounts/key-uses.ts'
import { withoutKeys } from '../gateway/accounts/keys.ts'
import { addedRules, beginAhead } from '../gateway/admission/begin-ahead.ts'
import { Leases } from '../gateway/admission/leases.ts'
import { AnswerMemory, answerMemoryBytes } from '../gateway/answer/answer-memory.ts'
import { HealthChecks } from '../gateway/health/health-checks.ts'
import { awaitProbes, Probes } from '../gateway/health/probes.ts'
import { Incidents } from '../gateway/incidents.ts'
import { Shared } from '../gateway/lifetimes.ts'
import { OperatorRefusals } from '../gateway/operators/operator-refusals.ts'
import { OperatorSessions } from '../gateway/operators/operator-sessions.ts'
import { adminTokenOf } from '../gateway/operators/operators.ts'
import { SignInTries } from '../gateway/operators/sign-in-tries.ts'
import { Pools, reportReplicas } from '../gateway/pools/pools.ts'
import type { Alarm } from '../gateway/ports.ts'
import { RecentAlarms } from '../gateway/recent-alarms.ts'
import { RecentRequests } from '../gateway/recent-requests.ts'
import { KeptTotal } from '../gateway/responses/kept-total.ts'
import { SeriesRecorder } from '../gateway/series/series-recorder.ts'
import type { Store } from '../gateway/store/store.ts'
import { StoreHealth } from '../gateway/store-health.ts'
import { atEndOfTurn } from '../gateway/turn.ts'
import { operatorFamily } from '../http/admin/admin.ts'
import { poolNow } from '../http/admin/admin-pools.ts'
import type { Reloaded } from '../http/changes.ts'
import { Feed, type FeedPorts } from '../http/feed.ts'
import { BodyMemory, bodyMemoryBytes } from '../http/ingress/body-memory.ts'
import { Turns } from '../http/ingress/turns.ts'
import { type Sample, watchLoad } from '../http/listener/overload.ts'
import { ReadLimits } from '../http/listener/read-limits.ts'
import type { TlsTerms } from '../http/listener/secure.ts'
import { serve } from '../http/listener/server.ts'
import { type Log, type LogEntry, modelOf } from '../http/log-entry.ts'
import { clientFamily, prepareSchemas } from '../http/public/public.ts'
import type { Config, Millis } from '../policy/config.ts'
import type { ShownPast } from '../wire/admin/past.ts'
import type { App, Process } from './app.ts'
import { startArchiving } from './archiving.ts'
import { ensureBackupKey } from './backup-key.ts'
import { changesOf, type FilesOf } from './changes.ts'
import { Drain, type DrainTimes } from './drain.ts'
import { fleetPart } from './fleet/fleet.ts'
import { collectSoon, memoryBytes, watchDescriptors } from './machine.ts'
import { storedFor } from './open-archive.ts'
import type { MainPart, Part, WorkerPart } from './part.ts'
import type { Opened } from './reloader.ts'
import { SentMetrics } from './sent-metrics.ts'
import { OtherProcesses, openInAll } from './several.ts'
import { OpenSnapshots, openSnapshot, Tracing } from './snapshots.ts'
import { openState } from './state/open-state.ts'
import { startUpkeep } from './upkeep.ts'
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
  /** The same in other times. */
  leave(times: DrainTimes): Promise<boolean>
  /** The same at once, with as long for running requests. */
  close(graceMs: Millis): Promise<void>
  /** Interrupts the running requests, now or as soon as it drains. Each answer ends with an error, and the part that was sent is settled. */
  cut(): void
}

export interface GatewayHooks extends FilesOf {
  /** What operators send as bearer, where the files have no token. */
  readonly adminToken: string
  /** Leaves the token for operators, once both listeners are there. Where it throws, the gateway does not start. */
  readonly leaveToken?: (token: string) => void
  /** Leaves another token for operators, once a reload has taken it from the files. */
  readonly keepToken?: (token: string) => void
  readonly log: Log
  readonly alarm: Alarm
  /** Decides a line of the decision log again; without it none is explained. */
  readonly explain?: (serving: Pick<Loaded, 'config' | 'settings'>, line: string) => Promise<ShownPast | undefined>
  /** Whether the operator wants a new store in place of one that is gone. */
  readonly newStore?: boolean
  /** What the process is called, where one process has several gateways. */
  readonly name?: string
  /** Leaves secrets out of texts. */
  readonly clean?: (text: string) => string
  /** Prints what reloads did. */
  readonly say?: (text: string) => void
  /** Metrics of the whole process, shown beside those of the gateway. */
  readonly processMetrics?: Registry
  /** Lines of the log that could not be written. */
  readonly droppedLines?: () => number
  /** Which part of a gateway of several processes it is; without it, all of one. */
  readonly part?: Part
  /** What the process says of its load; without it nothing is ever refused for that. */
  readonly sample?: () => Sample
  /** Whether the process can open one more file or socket; without it nothing watches that. */
  readonly hasDescriptor?: () => boolean
}

/** How long the ledger may take to be written at the end. */
export const FLUSH_MS: Millis = 5000

/** A collector that is not there would hold up every restart. */
const LAST_SPANS_MS: Millis = 1000

/** What the gateway counted in its last seconds. */
const LAST_SERIES_MS: Millis = 1000

/** A batch that is interrupted comes again. */
const LAST_BATCH_MS: Millis = 1000

/** Wires the adapters and starts both listeners. Rejects, with nothing left open, when one cannot start. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: three kinds of process are wired in one function, which is to be split
export async function startGateway(loaded: Loaded, world: World, hooks: GatewayHooks): Promise<RunningGateway> {
  const { clock } = world
  const { log, adminToken, part, say = () => {}, name = gatewayName } = hooks
  const worker = workerOf(part)
  const main = mainOf(part)
  const metrics = new Metrics()
  let feed: Feed | undefined
  const alarms = new RecentAlarms(clock, hooks.clean ?? withoutKeys)
  const incidents = new Incidents(clock)
  const alarm: Alarm = (...told) => {
    metrics.alarm()
    const newest = alarms.add(...told)
    incidents.hear(newest)
    // The first ones may come before it is there.
    feed?.alarmed(newest)
    worker?.alarmed(newest)
    hooks.alarm(...told)
  }
  const { reloader, revisions, compare, applierOn } = changesOf(loaded, {
    ...hooks,
    alarm,
    open: next => openNext(next, snapshots.current.generation + 1),
    serves: revision => {
      feed?.serves(revision)
      incidents.served()
      void fleet.announceSoon()
    },
    clock,
    say,
    audited: change => audited(change),
  })
  let serving: OpenSnapshots<App> | undefined
  // Main says what a worker serves: it reloads nothing by itself. Its store asks while it opens, before anything serves.
  const settings = () => (worker ? (serving?.current ?? loaded).settings : reloader.settings)
  const ledger = () => settings().ledger
  /** Limits that are new begin with what was used before; where that fails they hold all the same. */
  const beginLimits = (config: Config, before?: Config) =>
    beginAhead(config, store, addedRules(config, before), clock.now()).catch(error =>
      alarm('limits that are new begin without what was used before', { error: String(error) }),
    )

  const newStore = hooks.newStore === true
  const as = { keep: () => storedFor(ledger()), wrote: metrics.wrote, newStore }
  const opened = await (part?.openState?.(as) ?? openState(loaded, world, alarm, as))
  const { proveStore, close: closeState } = opened
  const archives = { ...world, ledger, alarm, isReader: worker !== undefined }
  const archive = await startArchiving(opened.store, loaded.settings, archives).catch(async error => {
    await closeState(FLUSH_MS)
    throw error
  })
  const { store } = archive
  const audited = auditedIn(store.accounts, alarm)
  const applier = applierOn(store.accounts)
  const callerWatch = new CallerWatch(store, clock)
  const keyUses = new KeyUses(store.keys, clock)
  const leases = new Leases(store.holds, clock, alarm)
  const isArchived = () => archive.state() !== undefined
  const keptBytes = () => settings().responses?.maxBytesTotal
  const upkeep = { clock, keep: () => ledger().keep, isArchived, alarm, renew: () => leases.renewOverdue(), keptBytes }
  const stopUpkeep = worker ? () => {} : startUpkeep(store, upkeep)
  const stopDescriptors = hooks.hasDescriptor && watchDescriptors(clock, alarm, hooks.hasDescriptor)
  let load: ReturnType<typeof watchLoad> | undefined
  const closeStore = async () => {
    leases.stop()
    callerWatch.stop()
    load?.stop()
    stopUpkeep()
    stopDescriptors?.()
    await within(FLUSH_MS, keyUses.stop())
    await archive.close(LAST_BATCH_MS)
    return closeState(FLUSH_MS)
  }
  const reportReplica = reportReplicas(alarm, clock)
  const pools = new Pools((pool, replica) => {
    if (!part?.takesIn()) reportReplica(pool, replica)
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
  const { fleet, peers, ...fleetChanges } = fleetPart({
    ...{ store: store.fleet, clock, alarm, random: world.random, name, adminToken, applier },
    stateDir: loaded.settings.server.stateDir,
    current: () => {
      const { revision } = snapshots.current.config
      return { revision, server: { ...settings().server, admin }, sections: reloader.serving.sections }
    },
    underWay: () => main?.underWay() ?? leases.underWay,
    heard: ({ drained }) => {
      for (const pool of pools.follow(drained)) tellPool(pool)
    },
  })
  const decisions = new DecisionFiles({
    settings: () => worker?.decisions(settings().decisions) ?? settings().decisions,
    clock,
    alarm,
  })
  const connections = new Connections()
  const probe = probeOver(connections)
  const healthChecks = new HealthChecks({ clock, probe, alarm, others: worker?.healthChecks })
  const probes = new Probes({ ...world, pools, probe, current: () => snapshots.current })
  feed = feedOf(part, { store, clock, config: () => snapshots.current.config })
  const recent = new RecentRequests(clock.now())
  const registries = async () => (await main?.registries()) ?? metrics.registries(hooks.processMetrics)
  incidents.count(async () => failuresOf(await jsonOf(await registries())))
  const series = new SeriesRecorder({
    clock,
    store: store.series,
    gateway: () => fleet.self.id,
    count: async () => countsOfMetrics(await jsonOf(await registries())),
  })
  let ready = true
  const beginning = new Beginning(worker !== undefined)
  let { admin } = loaded.settings.server
  const memory = memoryBytes()
  const collect = collectSoon(clock, () => bodies.isNearlyEmpty && answers.isNearlyEmpty)
  const bodies: BodyMemory = new BodyMemory(() => bodyMemoryBytes(settings(), memory, worker?.workers), collect)
  const answers: AnswerMemory = new AnswerMemory(
    () => answerMemoryBytes(settings(), memory, worker?.workers),
    clock,
    collect,
  )
  const process: Process = {
    store,
    ...world,
    pools,
    probes,
    healthChecks,
    leases,
    callerWatch,
    keyUses,
    decisions,
    alarm,
    adminToken,
    ready: () => ready,
    begun: beginning.over,
    storeHealth: new StoreHealth(store, clock),
    reloads: reloader.counts,
    recent,
    archiving: archive.state,
    backupKey: () => ensureBackupKey(settings().server.stateDir, world.random),
    about: { version, gateway: name, startedAt: clock.now() },
    alarms,
    incidents,
    sessions: new OperatorSessions(clock, world.random),
    signInTries: new SignInTries(clock),
    refusals: new OperatorRefusals(clock, audited),
    feed,
    counter: metrics,
    metrics: async () => exposition(await registries()),
    recordSeries: () => series.record(),
    reload: by => reloader.reload(by),
    audited,
    fleet,
    peers,
    fleetChanges,
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
    answers,
    turns: new Turns(clock),
    reads: new ReadLimits(clock),
    countRead: metrics.read,
    countStranger: metrics.stranger,
    ...part?.process,
    shedding: () => (load && settings().listener.shedLoad ? load.level() : 0),
  }
  const tracing = new Tracing(alarm, worker?.instance ?? name)
  const sent = new SentMetrics({ name: 'svc-gateway', version, instance: name }, registries, alarm)
  const shares = { process, connections, identities: new Shared<Identity>(identity => identity.close()), tracing }
  const first = await openSnapshot(loaded, 1, shares).catch(async error => {
    await closeStore()
    throw error
  })
  const snapshots = new OpenSnapshots<App>(first)
  serving = snapshots
  // Main asks replicas how they are, for all.
  const follow = worker ? () => awaitProbes(pools, snapshots.current) : () => probes.follow()
  const tokenNow = () => adminTokenOf(snapshots.current.settings, adminToken)
  const followToken = () => {
    process.sessions.endOfToken()
    hooks.keepToken?.(tokenNow())
  }
  const openHere = async (next: Loaded, generation: number): Promise<Opened> => {
    const reached = await proveStore(next.settings.store)
    const opened = await openSnapshot(next, generation, shares).catch(error => {
      reached.drop()
      throw error
    })
    const serve = async () => {
      reached.put()
      // Only once nothing is in the way: counters that began with a refused reload would miss what came until the next one.
      if (!worker) await beginLimits(next.config, snapshots.current.config)
      const before = tokenNow()
      snapshots.replace(opened)
      if (tokenNow() !== before) followToken()
      operators.renew()
      leases.follow(next.config)
      if (!worker) sent.follow(next.settings.metrics.otlp)
      follow()
    }
    const drop = () => {
      opened.close()
      reached.drop()
    }
    return { serve, drop }
  }
  const openNext = async (next: Loaded, generation: number): Promise<Opened> => {
    const here = await openHere(next, generation)
    return main ? openInAll(here, main.open(next, generation)) : here
  }
  const openRevisions = async () => {
    await revisions.open()
    const wasServed = revisions.list()[0]?.revision === loaded.config.revision
    if (!wasServed) await beginLimits(loaded.config)
  }
  if (!worker) await openRevisions()
  // The work of the start itself is no load of clients.
  load = hooks.sample && watchLoad(hooks.sample, clock, alarm)

  const report = reportTo({ log, metrics, recent, feed })
  prepareSchemas()
  const others = main && new OtherProcesses(main)
  const clients = others ?? serve(snapshots, clientFamily, (entry, config) => report([entry, config]), worker)
  const operators = serve(snapshots, operatorFamily, () => {}, { tls: adminTlsOf(snapshots) })
  const state = {
    clock,
    pools,
    current: () => snapshots.current,
    reloads: reloader.counts,
    dropped: () => ({ decisions: decisions.counts.dropped, log: hooks.droppedLines?.() ?? 0 }),
    underWay: () => leases.underWay,
    archiving: archive.state,
    fleet,
    storeHealth: process.storeHealth,
    keptTotal: new KeptTotal(store.responses, clock),
    keptBytes,
  }
  metrics.watch(state, worker !== undefined)
  if (!worker) sent.follow(settings().metrics.otlp)
  const abort = () => {
    // Else each interrupted probe would be reported as a failure of its replica.
    probes.stop()
    healthChecks.stop()
    return connections.destroy()
  }
  const drain = new Drain({
    clock,
    clients,
    operators,
    abort,
    closeFeeds: () => feed.end(),
  })
  let left: Promise<boolean> | undefined
  const unready = () => {
    ready = false
  }
  const leave = async (times: DrainTimes) => {
    unready()
    main?.leaving()
    // The store may be away, and running requests need not wait for that.
    const gone = fleet.leave()
    await drain.run(times)
    await gone
    snapshots.close()
    // They settle by the store of main.
    const othersAreWritten = await (others?.areWritten ?? true)
    if (!worker) await within(LAST_SERIES_MS, series.stop())
    const [written] = await Promise.all([
      closeStore(),
      within(FLUSH_MS, decisions.close()),
      within(FLUSH_MS, revisions.written()),
      within(LAST_SPANS_MS, tracing.closed()),
      within(LAST_SPANS_MS, sent.close()),
    ])
    return written && othersAreWritten
  }
  const close = async (graceMs: Millis) => {
    if (graceMs <= 0) drain.cut()
    left ??= leave({ delay: 0, timeout: graceMs })
    await left
  }
  try {
    part?.attach({
      pools,
      alarms,
      incidents,
      recent,
      feed,
      metrics,
      alarm,
      current: () => snapshots.current,
      open: openHere,
      unready,
      underWay: () => leases.underWay,
    })
    const { server } = loaded.settings
    if (!worker) await fleetChanges.begin(() => revisions.start(loaded))
    const listen = await listenFor(part, 'server' in clients ? clients.server : undefined, server.listen)
    if (!worker) {
      admin = await listenAt(operators.server, server.admin)
      // Not before it serves, and before the first operator can ask.
      revisions.start(loaded)
      hooks.leaveToken?.(tokenNow())
      main?.clients.open()
      beginning.end()
      await fleet.join()
      series.start()
    }
    follow()
    return {
      store,
      get app() {
        return snapshots.current
      },
      listen,
      admin,
      reload: by => reloader.reload(by),
      drain: () => {
        const { drainDelay, drainTimeout } = settings().server
        left ??= leave({ delay: drainDelay, timeout: drainTimeout })
        return left
      },
      leave: times => {
        left ??= leave(times)
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

const workerOf = (part: Part | undefined): WorkerPart | undefined => (part?.kind === 'worker' ? part : undefined)

const mainOf = (part: Part | undefined): MainPart | undefined => (part?.kind === 'main' ? part : undefined)

/** The time in which operators cannot be answered yet; a worker is handed no client in it. */
class Beginning {
  end = (): void => {}
  readonly over: Promise<void>

  constructor(isOver: boolean) {
    this.over = new Promise(resolve => {
      this.end = resolve
    })
    if (isOver) this.end()
  }
}

/** Operators follow the feed of main, which gets what happens in workers. */
function feedOf(part: Part | undefined, ports: FeedPorts): Feed {
  if (part?.kind === 'worker') return part.feed(ports)
  return new Feed(part ? { ...ports, followed: part.followed } : ports)
}

interface Reports {
  readonly log: Log
  readonly metrics: Metrics
  readonly recent: RecentRequests
  readonly feed: Feed
}

/** Passes on the requests that are over, together where several end in one turn. */
const reportTo = ({ log, metrics, recent, feed }: Reports) =>
  atEndOfTurn<readonly [LogEntry, Config]>(all => {
    for (const [entry, config] of all) log(entry, config)
    for (const [entry, config] of all) metrics.request(entry, modelOf(entry, config))
    for (const [entry] of all) recent.add(entry)
    for (const [entry, config] of all) feed.tell(entry, config)
  })

/** Main listens for all, and a worker serves what it is handed. */
function listenFor(part: Part | undefined, server: Server | undefined, address: Address): Promise<Address> | Address {
  if (part?.kind === 'main') return part.clients.listen()
  if (!part || !server) return listenAt(server, address)
  part.listen(server)
  return address
}

/** What the admin listener shows of itself by the files as they are; undefined where it is without TLS, until a restart. */
function adminTlsOf(snapshots: OpenSnapshots<App>): (() => TlsTerms) | undefined {
  const written = () => snapshots.current.settings.server.adminTls
  const first = written()
  if (!first) return undefined
  return () => {
    const { certificate, key, clientCa } = written() ?? first
    return { certificate: certificate.reveal(), key: key.reveal(), clientCa: clientCa?.reveal() }
  }
}

async function listenAt(server: Server | undefined, { host, port }: Address): Promise<Address> {
  if (!server) throw new Error('there is nothing to listen')
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return { host, port: bound }
}
