import type { FleetPools } from '../../../../src/wire/admin/fleet-pools.ts'
import type { ShownProbe } from '../../../../src/wire/admin/pool-probe.ts'
import { ask } from '../../shared/api.ts'

/** A pool, or one of its replicas. */
export interface Place {
  readonly pool: string
  readonly replica?: number
  /** The replica's URL: gateways with other files may number replicas otherwise. */
  readonly url?: string
}

const bodyOf = ({ pool, url }: Place) => ({ pool, ...(url !== undefined && { replica: url }) })

/** As `all` gateways of the fleet know them, added up, or as one of them does. */
export const listPools = (gateway: string) => ask<FleetPools>(`/admin/pools?${new URLSearchParams({ gateway })}`)

/** Sends no new requests there. */
export const drain = (place: Place) => ask('/admin/pools/drain', bodyOf(place))

/** Sends requests there again. */
export const undrain = (place: Place) => ask('/admin/pools/undrain', bodyOf(place))

/** Asks replicas how they are, now. */
export const probe = (place: Place) =>
  ask<{ readonly ok: boolean; readonly data: readonly (ShownProbe & { readonly url: string })[] }>(
    '/admin/pools/probe',
    bodyOf(place),
  )
