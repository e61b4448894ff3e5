import type { Loaded } from '../../config/settings.ts'
import { reportReplicas } from '../../gateway/pools/alarms.ts'
import { Feed } from '../../http/feed.ts'
import type { MainApp, MainProcess } from '../app.ts'
import { openGatewayBalance } from '../parts/balance.ts'
import { baseOf } from '../parts/base.ts'
import { followCacheSeed } from '../parts/cache-seed.ts'
import type { GatewayHooks } from '../parts/hooks.ts'
import { openMachine } from '../parts/machine.ts'
import { opening } from '../parts/open-parts.ts'
import { openOperators } from '../parts/operators.ts'
import { openRecords } from '../parts/records.ts'
import { requestPorts } from '../parts/request-ports.ts'
import { watchProcess } from '../parts/state.ts'
import { openStored } from '../parts/stored.ts'
import { Readiness, running, Traffic } from '../parts/traffic.ts'
import { openUpkeep } from '../parts/upkeep.ts'
import { openUpstream } from '../parts/upstream.ts'
import { openState } from '../state/open-state.ts'
import { gatewayName } from '../version.ts'
import type { World } from '../world.ts'
import type { RunningGateway } from './gateway.ts'
import { OtherProcesses, openInAll } from './other-processes.ts'
import type { MainPorts } from './ports.ts'

/**
 * Starts main, the process of a gateway that answers operators and has workers answer clients. Rejects, with nothing left
 * open, when it cannot.
 */
export const startMain = (loaded: Loaded, world: World, hooks: GatewayHooks, workers: MainPorts) =>
  opening(async (parts): Promise<RunningGateway<MainApp>> => {
    const base = baseOf<MainProcess>(loaded, world, hooks)
    const { clock, metrics, alarms, incidents, alarm, serving } = base
    const current = () => serving.current
    const { name = gatewayName, newStore } = hooks
    const openStore = workers.openState ?? (as => openState(loaded, world, alarm, as))
    const stored = parts.add(await openStored(base, { openState: openStore, newStore }))
    const { store } = stored
    const records = parts.addBeside(openRecords(base, { instance: name }))
    const feed = new Feed({ store, clock, config: () => current().config, followed: workers.followed })
    const upstream = openUpstream(base)
    const report = reportReplicas(alarm, clock)
    upstream.follow((...what) => workers.takesIn() || report(...what))
    const open = async (next: Loaded, generation: number) =>
      openInAll(await serving.open(next, generation), workers.open(next, generation))
    const { registries, underWay } = workers
    const operators = openOperators(parts, base, { hooks, name, stored, upstream, feed, registries, underWay, open })
    parts.add(openUpkeep(base, stored))
    const { pools } = upstream
    const shared = { fleet: operators.fleet, store: store.fleet, pools, ...workers.balance }
    const balance = parts.add(openGatewayBalance(base, shared))
    const machine = parts.add(openMachine(base, hooks))
    parts.add(upstream)
    parts.addBeside(await followCacheSeed(world, store.fleet, pools.domains))
    const readiness = new Readiness()
    const ports = requestPorts(base, { stored, records, machine, upstream })
    const process = { ...ports, ...operators.ports, ...workers.process, ready: readiness.ready }
    const clients = new OtherProcesses(workers)
    // They settle by the store of main.
    parts.add({ close: () => clients.areWritten })
    parts.add(serving)
    await serving.begin({ process, upstream, records, stored, beginLimits: operators.beginLimits })
    serving.follow(upstream.watch)
    await operators.prepare()
    machine.watchLoad()
    const admins = operators.serve(serving.snapshots)
    watchProcess(base, { stored, records, upstream }, hooks.droppedLines)
    const leaving = () => {
      workers.leaving()
      return operators.fleet.leave()
    }
    const traffic = parts.add(new Traffic({ clock, clients, operators: admins, upstream, feed, readiness, leaving }))
    const { canaries } = operators
    workers.attach({ pools, alarms: alarms.recent, incidents, feed, metrics, alarm, balance, canaries, current })
    await operators.hearFleet()
    const listen = await workers.clients.listen()
    const admin = await operators.listen(admins)
    workers.clients.open()
    await operators.join()
    upstream.watch()
    return running(parts, traffic, serving, { store, listen, admin, reload: operators.ports.reload })
  })
