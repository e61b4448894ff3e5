import type { BackendSettings, Settings } from '../config/settings.ts'
import type { Canaries } from '../gateway/canary/canaries.ts'
import type { Pools } from '../gateway/pools/pools.ts'
import type { Clock } from '../gateway/ports.ts'
import { type Store, StoreUnavailable } from '../gateway/store/store.ts'
import type { Config, Pool } from '../policy/config.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'
import { addedPools, type KnownShare, type ShownPool, shownPool } from '../wire/admin/pool.ts'

/** Pools as one process sees them. */
export interface PoolsHere {
  readonly config: Config
  readonly settings: Settings
  readonly clock: Clock
  readonly pools: Pools
  /** The canaries of the gateway; absent in a worker, which does not know what others counted. */
  readonly canaries?: Pick<Canaries, 'recordOf'>
}

/** Pools as a gateway sees them. */
export interface PoolsNow extends PoolsHere {
  readonly store: Pick<Store, 'budgets'>
  /** How the other processes of this gateway know its pools; absent where there are none. */
  readonly poolsOfOthers?: () => Promise<readonly (readonly ShownPool[])[]>
}

/** Adds up a pool's state over all processes of this gateway. */
export async function poolNow(app: PoolsNow, pool: Pool): Promise<ShownPool> {
  const spent = settingsOf(app, pool).maxNanoUsdPerHour === undefined ? undefined : await spentBy(app, pool)
  const others = (await app.poolsOfOthers?.()) ?? []
  return addedPools(
    shownHere(app, pool, spent),
    others.flatMap(each => each.find(other => other.pool === pool.name) ?? []),
  )
}

/** The pools as this process knows them. */
export const poolsHere = (app: PoolsHere): readonly ShownPool[] =>
  [...app.config.pools.values()].map(pool => shownHere(app, pool, undefined))

function shownHere(app: PoolsHere, pool: Pool, spent: NanoUsd | undefined): ShownPool {
  const settings = settingsOf(app, pool)
  const served = [...app.config.models.values()].filter(({ serve }) => serve.includes(pool))
  const known = {
    ...{ pool, settings, state: app.pools.of(pool.name) },
    models: served.map(({ name }) => name),
    hasChats: served.some(({ kind }) => kind === 'chat'),
    shares: sharesOf(app, pool),
  }
  return shownPool({ ...known, ...(spent !== undefined && { spent }) }, app.clock.now())
}

/** The shares of traffic that a pool has. */
const sharesOf = ({ config, canaries }: Pick<PoolsHere, 'config' | 'canaries'>, pool: Pool): readonly KnownShare[] =>
  [...config.models.values()].flatMap(({ name: model, traffic = [] }) =>
    traffic.flatMap(share => (share.pool === pool ? [{ model, share, ...canaries?.recordOf(model, pool.name) }] : [])),
  )

/** Undefined while the store does not answer: what this process knows by itself is shown in any case. */
const spentBy = ({ store }: Pick<PoolsNow, 'store'>, pool: Pool): Promise<NanoUsd | undefined> =>
  store.budgets.read(pool.name).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  })

/** The pool's connection settings in the files. */
export function settingsOf({ settings }: Pick<PoolsHere, 'settings'>, { name }: Pool): BackendSettings {
  const found = settings.backends.get(name)
  if (!found) throw new Error(`pool ${name} has no settings`)
  return found
}
