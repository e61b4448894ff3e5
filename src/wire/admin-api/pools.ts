import { POOLS } from '../admin/fleet-pools.ts'
import { CHANGED_POOL, PROBE_RESULTS } from '../admin/pool.ts'
import { closed, forms, optional, text, whole } from '../schema/schema.ts'
import { call } from './call.ts'
import { GATEWAY, name } from './fields.ts'

const POOL_NAME = name('A pool of the files.')
const REPLICA = optional(
  forms(text('A replica, by its URL or by its number from 1.', { least: 1 }), whole(undefined, { least: 1 })),
)

const PLACE = closed({ pool: POOL_NAME, replica: REPLICA })

export const listPools = call({
  method: 'GET',
  path: '/admin/pools',
  needs: 'viewer',
  summary: 'Lists pools and replicas as this gateway knows them, or with `gateway` as those of the fleet do.',
  query: { gateway: GATEWAY },
  answer: POOLS,
})

export const drainPool = call({
  method: 'POST',
  path: '/admin/pools/drain',
  needs: 'admin',
  summary: 'Sends no new requests to a pool or a replica, from all gateways on the store; running ones go on.',
  body: PLACE,
  answer: CHANGED_POOL,
})

export const undrainPool = call({
  method: 'POST',
  path: '/admin/pools/undrain',
  needs: 'admin',
  summary: 'Sends requests to a pool or a replica again.',
  body: PLACE,
  answer: CHANGED_POOL,
})

export const probePools = call({
  method: 'POST',
  path: '/admin/pools/probe',
  needs: 'admin',
  summary: 'Probes a replica, those of a pool, or all, now.',
  body: closed({ pool: optional(POOL_NAME), replica: REPLICA }, { replica: ['pool'] }),
  answer: PROBE_RESULTS,
})
