import type { Loaded } from '../../config/settings.ts'
import { reportReplicas } from '../../gateway/pools/alarms.ts'
import { RecentRequests } from '../../gateway/recent-requests.ts'
import { Feed } from '../../http/feed.ts'
import { serve } from '../../http/listener/server.ts'
import { clientFamily, prepareSchemas } from '../../http/public/public.ts'
import type { SingleProcess } from '../app.ts'
import { openBalance } from '../parts/balance.ts'
import { baseOf } from '../parts/base.ts'
import { followCacheSeed } from '../parts/cache-seed.ts'
import type { GatewayHooks } from '../parts/hooks.ts'
import { listenAt } from '../parts/listen.ts'
import { openMachine } from '../parts/machine.ts'
import { opening } from '../parts/open-parts.ts'
import { openOperators } from '../parts/operators.ts'
import { openRecords } from '../parts/records.ts'
import { reportsOf } from '../parts/reports.ts'
import { requestPorts } from '../parts/request-ports.ts'
import { openSharedSlots } from '../parts/shared-slots.ts'
import { watchProcess } from '../parts/state.ts'
import { openStored } from '../parts/stored.ts'
import { Readiness, running, Traffic } from '../parts/traffic.ts'
import { openUpkeep } from '../parts/upkeep.ts'
import { openUpstream } from '../parts/upstream.ts'
import { openState } from '../state/open-state.ts'
import { gatewayName } from '../version.ts'
import type { World } from '../world.ts'
import type { RunningGateway } from './gateway.ts'

/** Starts a gateway of one process, which answers clients and operators. Rejects, with nothing left open, when it cannot. */
export const startSingle = (loaded: Loaded, world: World, hooks: GatewayHooks) =>
  opening(async (parts): Promise<RunningGateway> => {
    const base = baseOf<SingleProcess>(loaded, world, hooks)
    const { clock, metrics, alarm, serving } = base
    const { name = gatewayName, newStore } = hooks
    const stored = parts.add(await openStored(base, { openState: as => openState(loaded, world, alarm, as), newStore }))
    const { store } = stored
    const underWay = () => stored.leases.underWay
    const records = parts.addBeside(openRecords(base, { instance: name }))
    const feed = new Feed({ store, clock, config: () => serving.current.config })
    const upstream = openUpstream(base)
    upstream.follow(reportReplicas(alarm, clock))
    const registries = async () => metrics.registries(hooks.processMetrics)
    const open = serving.open.bind(serving)
    const operators = openOperators(parts, base, { hooks, name, stored, upstream, feed, registries, underWay, open })
    parts.add(openUpkeep(base, stored))
    parts.add(openBalance(base, { fleet: operators.fleet, store: store.fleet, pools: upstream.pools }))
    const slots = parts.add(openSharedSlots(base, { pools: upstream.pools, store: store.fleet }))
    const machine = parts.add(openMachine(base, hooks))
    parts.add(upstream)
    parts.addBeside(await followCacheSeed(world, store.fleet, upstream.pools.domains))
    const recent = new RecentRequests(clock.now())
    const readiness = new Readiness()
    const process = {
      ...requestPorts(base, { stored, records, machine, upstream }),
      ...operators.ports,
      ...{ recent, ready: readiness.ready, begun: operators.begun },
    }
    parts.add(serving)
    await serving.begin({ process, upstream, records, stored, beginLimits: operators.beginLimits })
    serving.follow(upstream.watch)
    slots.begin()
    await operators.prepare()
    machine.watchLoad()
    prepareSchemas()
    const clients = serve(serving.snapshots, clientFamily, reportsOf(base, { log: hooks.log, recent, feed }))
    const admins = operators.serve(serving.snapshots)
    watchProcess(base, { stored, records, upstream }, hooks.droppedLines)
    const leaving = () => operators.fleet.leave()
    const traffic = parts.add(new Traffic({ clock, clients, operators: admins, upstream, feed, readiness, leaving }))
    await operators.hearFleet()
    const listen = await listenAt(clients.server, loaded.settings.server.listen)
    const admin = await operators.listen(admins)
    await operators.join()
    upstream.watch()
    return running(parts, traffic, serving, { store, listen, admin, reload: operators.ports.reload })
  })
