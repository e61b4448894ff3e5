import type { BalanceNews } from '../../gateway/balance/news.ts'
import { FleetBalance, type FleetBalanceEvents } from '../../gateway/fleet/balance.ts'
import type { Fleet } from '../../gateway/fleet/fleet.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import { SharedBalance, type SharedBalancePorts } from '../../gateway/pools/shared-balance.ts'
import type { FleetStore } from '../../gateway/store/fleet-store.ts'
import type { MainProcess } from '../app.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'

interface FleetOnStore {
  readonly fleet: Fleet
  readonly store: FleetStore
}

interface SharedPools extends FleetOnStore {
  readonly pools: Pools
}

/** The news of a gateway of several processes, which other gateways hear too. */
export interface GatewayBalance extends Part {
  /** A worker sent this to replicas. */
  add(source: string, news: readonly BalanceNews[]): void
  /** A worker ended. */
  gone(source: string): void
}

/** Tells the other gateways on the store what workers send to replicas, and workers what those do; main knows all of it too. */
export function openGatewayBalance(
  base: Base<MainProcess>,
  { pools, heard, arrived, ...on }: SharedPools & FleetBalanceEvents,
): GatewayBalance {
  const shared = sharedBalance(base, pools, { say: () => {}, isHeard: () => false })
  const fleet = fleetBalance(base, {
    ...on,
    heard: (source, news) => {
      shared.takeIn(source, news)
      heard(source, news)
    },
    arrived,
  })
  return {
    add: (source, news) => {
      shared.takeIn(source, news)
      fleet.add(source, news)
    },
    gone: source => {
      shared.gone(source)
      fleet.gone(source)
    },
    close: () => {
      shared.stop()
      fleet.close()
    },
  }
}

/** Tells the other gateways on the store what this process sends to replicas, and hears what they do. */
export function openBalance(base: Base<MainProcess>, { pools, ...on }: SharedPools): Part {
  const shared: SharedBalance = sharedBalance(base, pools, {
    say: news => fleet.add('', news),
    isHeard: () => fleet.isTogether,
  })
  const fleet = fleetBalance(base, {
    ...on,
    heard: (source, news) => shared.takeIn(source, news),
    arrived: () => shared.welcome(),
  })
  return {
    close: () => {
      shared.stop()
      fleet.close()
    },
  }
}

const sharedBalance = (
  { clock, serving }: Base<MainProcess>,
  pools: Pools,
  ports: Pick<SharedBalancePorts, 'say' | 'isHeard'>,
): SharedBalance =>
  new SharedBalance({ ...ports, pools, clock, poolOf: name => serving.current.config.pools.get(name) })

function fleetBalance(
  { clock, alarm }: Base<MainProcess>,
  { fleet, store, ...events }: FleetOnStore & FleetBalanceEvents,
): FleetBalance {
  const balance = new FleetBalance({ ...events, store, clock, alarm, self: () => fleet.self.id })
  fleet.follow(state => balance.follow(state))
  return balance
}
