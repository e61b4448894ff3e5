import {
  readShownPool,
  readShownPools,
  readShownResults,
  type ShownPool,
  type ShownResult,
} from '../wire/admin/pool.ts'
import type { AdminEndpoint } from './operator-api.ts'
import { askGateway } from './remote.ts'

/** A pool, or one of its replicas by its URL or its number from 1. */
export interface PoolPlace {
  readonly pool?: string
  readonly replica?: string | number
}

/** What operators may do with the pools of a running gateway: no store knows of them. Rejects with CommandFailed. */
export interface PoolsApi {
  list(): Promise<readonly ShownPool[]>
  /** The pool as it is then. */
  drain(place: PoolPlace): Promise<ShownPool>
  undrain(place: PoolPlace): Promise<ShownPool>
  /** Of all replicas, unless a place is given. */
  probe(place: PoolPlace): Promise<readonly ShownResult[]>
}

export function poolsOf({ admin, token }: AdminEndpoint): PoolsApi {
  const post = (path: string, body: object) => askGateway(`${admin}/admin/pools/${path}`, token, 'POST', body)
  return {
    list: async () => readShownPools(await askGateway(`${admin}/admin/pools`, token, 'GET')),
    drain: async place => readShownPool(await post('drain', place)),
    undrain: async place => readShownPool(await post('undrain', place)),
    probe: async place => readShownResults(await post('probe', place)),
  }
}
