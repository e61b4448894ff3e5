import { list, listing, optional, type TypeOf, text } from '../schema/schema.ts'
import { UNREACHED, type Unreached } from './fleet.ts'
import { addedPools, POOL, type ShownPool } from './pool.ts'
import { addedPrompts, type ReplicaState, type ShownReplica } from './pool-replica.ts'

/** The pools of several gateways, each of which knows its own requests and its own breakers. */
export interface FleetPools extends Required<TypeOf<typeof POOLS>> {}

export const POOLS = listing(POOL, {
  gateways: optional(list(text(), 'The gateways that are summed here, if several were asked.')),
  unreached: optional(list(UNREACHED)),
})

interface PoolsOfGateway {
  readonly gateway: string
  readonly pools: readonly ShownPool[]
}

/** Adds up running requests, and shows the state of a replica that needs an operator most, and who sees it so. */
export const fleetPools = (known: readonly PoolsOfGateway[], unreached: readonly Unreached[]): FleetPools => ({
  object: 'list',
  data: [...new Set(known.flatMap(({ pools }) => pools.map(({ pool }) => pool)))].flatMap(name => joined(name, known)),
  gateways: known.map(({ gateway }) => gateway),
  unreached,
})

function joined(name: string, known: readonly PoolsOfGateway[]): ShownPool[] {
  const views = known.flatMap(({ gateway, pools }) => {
    const pool = pools.find(each => each.pool === name)
    return pool ? [{ gateway, pool }] : []
  })
  const [first, ...others] = views.map(({ pool }) => pool)
  if (!first) return []
  const urls = [...new Set(views.flatMap(({ pool }) => pool.replicas.map(({ url }) => url)))]
  const most = views.flatMap(({ pool }) => pool.max_concurrent ?? [])
  const added = addedPools(first, others)
  const [busy] = views.flatMap(({ pool }) => pool.busy ?? [])
  return [
    {
      ...added,
      drained: views.some(({ pool }) => pool.drained),
      max_concurrent: most.length < views.length ? null : mostTogether(most, added.in_flight_over_store !== undefined),
      ...(busy !== undefined && { busy }),
      replicas: urls.map((url, index) => joinedReplica(index + 1, url, views)),
    },
  ]
}

/** Each gateway has room for so many, unless they share the slots. */
const mostTogether = (most: readonly number[], isShared: boolean): number =>
  isShared ? Math.max(...most) : most.reduce((sum, each) => sum + each, 0)

function joinedReplica(
  number: number,
  url: string,
  views: readonly { readonly gateway: string; readonly pool: ShownPool }[],
): ShownReplica {
  const seen = views.flatMap(({ gateway, pool }) => {
    const replica = pool.replicas.find(each => each.url === url)
    return replica ? [{ gateway, replica }] : []
  })
  const replicas = seen.map(({ replica }) => replica)
  const state = SEVERITY.find(each => replicas.some(replica => replica.state === each)) ?? 'closed'
  const alike = seen.filter(({ replica }) => replica.state === state)
  const probes = replicas.flatMap(({ last_probe }) => last_probe ?? []).sort((a, b) => (a.at < b.at ? 1 : -1))
  // Engines report the same to all gateways.
  const loads = replicas.flatMap(({ load }) => load ?? []).sort((a, b) => (a.at < b.at ? 1 : -1))
  const isRead = replicas.some(({ load }) => load !== undefined)
  const waits = alike.flatMap(({ replica }) => replica.retry_in_ms ?? [])
  return {
    replica: number,
    url,
    state,
    in_flight: replicas.reduce((sum, each) => sum + each.in_flight, 0),
    failures: Math.max(...replicas.map(({ failures }) => failures)),
    retry_in_ms: waits.length === 0 ? null : Math.min(...waits),
    last_probe: probes[0] ?? null,
    ...(isRead && { load: loads[0] ?? null }),
    ...addedPrompts(replicas),
    ...(alike.length < seen.length && { seen_by: alike.map(({ gateway }) => gateway) }),
  }
}

/** The state that needs an operator most comes first. */
const SEVERITY: readonly ReplicaState[] = ['drained', 'open', 'half-open', 'cooling', 'closed']
