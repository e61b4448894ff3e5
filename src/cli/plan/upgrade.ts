import type { Loaded } from '../../config/settings.ts'
import { type FactChange, factChanges, factsInForce, hasChats } from '../../policy/pool-facts.ts'
import { version } from '../../server/version.ts'
import type { ServedProfiles } from '../../wire/admin/pool-facts.ts'

/** The changes that this version's provider profiles make to the files that a gateway serves, once it runs this version. */
export interface Upgrade {
  /** The version of the gateway, and this one. Builds may differ within one version. */
  readonly from: string
  readonly to: string
  readonly changes: readonly FactChange[]
  /** Pools whose model or addresses differ between this shell and the gateway. */
  readonly uncompared: readonly string[]
}

/** Compares the facts by which a gateway speaks to its pools with those of this version, for the same files. */
export function upgradeOf({ version: from, pools }: ServedProfiles, { config, settings }: Loaded): Upgrade {
  const pairs = [...config.pools.values()].flatMap(pool => {
    const served = pools.get(pool.name)
    const backend = settings.backends.get(pool.name)
    return served && backend && hasChats(pool, config.models) ? [{ pool, served, backend }] : []
  })
  const isAlike = ({ pool, served }: (typeof pairs)[number]) =>
    pool.model === served.model && String(pool.replicas) === String(served.replicas)
  return {
    from,
    to: version,
    changes: pairs
      .filter(isAlike)
      .flatMap(({ pool, served, backend }) =>
        factChanges(pool, served.facts, factsInForce(pool, backend.firstContentTimeout)),
      ),
    uncompared: pairs.filter(pair => !isAlike(pair)).map(({ pool }) => pool.name),
  }
}
