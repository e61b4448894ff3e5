import type { ShownPool, ShownProbe } from '../../../../src/wire/admin/pool.ts'
import { ask } from '../../shared/api.ts'

/** A pool, or one of its replicas. */
export interface Place {
  readonly pool: string
  readonly replica?: number
}

export const listPools = () => ask<{ readonly data: readonly ShownPool[] }>('/admin/pools')

/** Sends no new requests there. */
export const drain = (place: Place) => ask('/admin/pools/drain', place)

/** Sends requests there again. */
export const undrain = (place: Place) => ask('/admin/pools/undrain', place)

/** Asks replicas how they are, now. */
export const probe = (place: Place) =>
  ask<{ readonly ok: boolean; readonly data: readonly (ShownProbe & { readonly url: string })[] }>(
    '/admin/pools/probe',
    place,
  )
