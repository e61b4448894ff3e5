import type { Loaded } from '../../config/settings.ts'
import { awaitProbes } from '../../gateway/health/probes.ts'
import { reportReplicas } from '../../gateway/pools/alarms.ts'
import { RecentRequests } from '../../gateway/recent-requests.ts'
import { serve } from '../../http/listener/server.ts'
import { clientFamily, prepareSchemas } from '../../http/public/public.ts'
import type { WorkerApp, WorkerProcess } from '../app.ts'
import { baseOf } from '../parts/base.ts'
import { followCacheSeed } from '../parts/cache-seed.ts'
import type { ProcessHooks } from '../parts/hooks.ts'
import { openMachine } from '../parts/machine.ts'
import { opening } from '../parts/open-parts.ts'
import { openRecords } from '../parts/records.ts'
import { reportsOf } from '../parts/reports.ts'
import { requestPorts } from '../parts/request-ports.ts'
import { openSharedSlots } from '../parts/shared-slots.ts'
import { watchProcess } from '../parts/state.ts'
import { openStored } from '../parts/stored.ts'
import { Readiness, running, Traffic } from '../parts/traffic.ts'
import { openUpstream } from '../parts/upstream.ts'
import type { World } from '../world.ts'
import type { RunningProcess } from './gateway.ts'
import type { WorkerPorts } from './ports.ts'

type RunningWorker = RunningProcess<WorkerApp>

/**
 * Starts a worker: it answers clients, whose connections main hands over, and serves the configurations that main has it
 * open. Rejects, with nothing left open, when it cannot.
 */
export const startWorker = (loaded: Loaded, world: World, hooks: ProcessHooks, main: WorkerPorts) =>
  opening(async (parts): Promise<RunningWorker> => {
    const base = baseOf<WorkerProcess>(loaded, world, hooks)
    const { clock, metrics, alarms, alarm, serving } = base
    const current = () => serving.current
    alarms.follow(main.alarmed)
    const stored = parts.add(await openStored(base, { openState: main.openState, isReader: true }))
    const records = parts.addBeside(openRecords(base, { instance: main.instance, decisionsOf: main.decisions }))
    const machine = parts.add(openMachine(base, hooks))
    const upstream = parts.add(openUpstream(base, main.healthChecks))
    const { pools } = upstream
    const slots = parts.addBeside(openSharedSlots(base, { pools, store: stored.store.fleet }))
    parts.addBeside(await followCacheSeed(world, stored.store.fleet, pools.domains))
    const report = reportReplicas(alarm, clock)
    upstream.follow((...what) => main.takesIn() || report(...what))
    const feed = main.feed({ store: stored.store, clock, config: () => serving.current.config })
    const recent = new RecentRequests(clock.now())
    const readiness = new Readiness()
    const ports = requestPorts(base, { stored, records, machine, upstream }, main.workers)
    // It is handed no client before operators can be answered.
    const process = { ...ports, feed, recent: main.recent, ready: readiness.ready, begun: Promise.resolve() }
    parts.add(serving)
    await serving.begin({ process, upstream, records, stored })
    // Main probes for all.
    const follow = () => awaitProbes(pools, serving.current)
    serving.follow(follow)
    machine.watchLoad()
    prepareSchemas()
    const clients = serve(serving.snapshots, clientFamily, reportsOf(base, { log: hooks.log, recent, feed }), main)
    watchProcess(base, { stored, records, upstream }, hooks.droppedLines)
    const traffic = parts.add(new Traffic({ clock, clients, upstream, feed, readiness }))
    const open = serving.open.bind(serving)
    const underWay = () => stored.leases.underWay
    main.attach({ pools, recent, metrics, current, open, unready: readiness.leave, underWay })
    slots.begin()
    main.listen(clients.server)
    follow()
    return running(parts, traffic, serving, {})
  })
