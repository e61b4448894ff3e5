import type { BackendSettings, Settings } from '../config/settings.ts'
import type { Canaries } from '../gateway/canary/canaries.ts'
import type { Mirrors } from '../gateway/mirror/mirrors.ts'
import type { Pools } from '../gateway/pools/pools.ts'
import type { Clock } from '../gateway/ports.ts'
import { type Store, StoreUnavailable } from '../gateway/store/store.ts'
import type { Config, Pool } from '../policy/config.ts'
import { copyBudget } from '../policy/mirror.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'
import type { BudgetSpan } from '../policy/pool-budget.ts'
import { addedPools, type ShownPool, shownPool } from '../wire/admin/pool.ts'
import type { KnownCopies } from '../wire/admin/pool-copies.ts'
import type { KnownShare } from '../wire/admin/pool-shares.ts'

/** Pools as one process sees them. */
export interface PoolsHere {
  readonly config: Config
  readonly settings: Settings
  readonly clock: Clock
  readonly pools: Pools
  /** The canaries of the gateway; absent in a worker, which does not know what others counted. */
  readonly canaries?: Pick<Canaries, 'recordOf'>
  readonly mirrors?: Pick<Mirrors, 'newestOf'>
}

/** Pools as a gateway sees them. */
export interface PoolsNow extends PoolsHere {
  readonly store: Pick<Store, 'budgets'>
  /** How the other processes of this gateway know its pools; absent where there are none. */
  readonly poolsOfOthers?: () => Promise<readonly (readonly ShownPool[])[]>
}

/** Adds up a pool's state over all processes of this gateway. */
export async function poolNow(app: PoolsNow, pool: Pool): Promise<ShownPool> {
  const { maxNanoUsdPerHour: most } = settingsOf(app, pool)
  const hour = most === undefined ? undefined : await spentOf(app, { pool: pool.name })
  const days = await Promise.all(
    mirrorsTo(app, pool).map(async ({ model, mirror }) =>
      mirror.maxNanoUsdPerDay === undefined ? undefined : await spentOf(app, copyBudget(model.name)),
    ),
  )
  const others = (await app.poolsOfOthers?.()) ?? []
  return addedPools(
    shownHere(app, pool, { hour, days }),
    others.flatMap(each => each.find(other => other.pool === pool.name) ?? []),
  )
}

/** The pools as this process knows them. */
export const poolsHere = (app: PoolsHere): readonly ShownPool[] =>
  [...app.config.pools.values()].map(pool => shownHere(app, pool))

/** The cost that counts against the budgets of a pool, undefined where it has none or the store does not answer. */
interface Spent {
  readonly hour?: NanoUsd | undefined
  /** The cost in a day of each mirror, in the order of the models. */
  readonly days?: readonly (NanoUsd | undefined)[]
}

function shownHere(app: PoolsHere, pool: Pool, { hour, days = [] }: Spent = {}): ShownPool {
  const settings = settingsOf(app, pool)
  const served = [...app.config.models.values()].filter(({ serve }) => serve.includes(pool))
  const known = {
    ...{ pool, settings, state: app.pools.of(pool.name) },
    models: served.map(({ name }) => name),
    hasChats: served.some(({ kind }) => kind === 'chat'),
    shares: sharesOf(app, pool),
    copies: copiesOf(app, pool, days),
  }
  return shownPool({ ...known, ...(hour !== undefined && { spent: hour }) }, app.clock.now())
}

/** The shares of traffic that a pool has. */
const sharesOf = ({ config, canaries }: Pick<PoolsHere, 'config' | 'canaries'>, pool: Pool): readonly KnownShare[] =>
  [...config.models.values()].flatMap(({ name: model, traffic = [] }) =>
    traffic.flatMap(share => (share.pool === pool ? [{ model, share, ...canaries?.recordOf(model, pool.name) }] : [])),
  )

/** The mirrors of models that a pool is. */
const mirrorsTo = ({ config }: Pick<PoolsHere, 'config'>, pool: Pool): readonly KnownCopies[] =>
  [...config.models.values()].flatMap(model =>
    model.kind === 'chat' && model.mirror?.to === pool ? [{ model, mirror: model.mirror }] : [],
  )

const copiesOf = (app: PoolsHere, pool: Pool, days: NonNullable<Spent['days']>): readonly KnownCopies[] =>
  mirrorsTo(app, pool).map((copies, index) => {
    const newest = app.mirrors?.newestOf(copies.model.name, pool.name)
    const spent = days[index]
    return { ...copies, ...(newest && { newest }), ...(spent !== undefined && { spent }) }
  })

/** Undefined while the store does not answer: what this process knows by itself is shown in any case. */
const spentOf = (
  { store }: Pick<PoolsNow, 'store'>,
  { pool, span }: { readonly pool: string; readonly span?: BudgetSpan },
): Promise<NanoUsd | undefined> =>
  store.budgets.read(pool, span).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  })

/** The pool's connection settings in the files. */
export function settingsOf({ settings }: Pick<PoolsHere, 'settings'>, { name }: Pool): BackendSettings {
  const found = settings.backends.get(name)
  if (!found) throw new Error(`pool ${name} has no settings`)
  return found
}
