import { COMPARISON } from '../admin/comparison.ts'
import { POOLS } from '../admin/fleet-pools.ts'
import { CHANGED_POOL } from '../admin/pool.ts'
import { PROBE_RESULTS } from '../admin/pool-probe.ts'
import { closed, forms, optional, text, whole } from '../schema/schema.ts'
import { call } from './call.ts'
import { GATEWAY, name, PERIOD } from './fields.ts'

const POOL_NAME = name('A pool of the files.')
const REPLICA = optional(
  forms(text('A replica, by its URL or by its number from 1.', { least: 1 }), whole(undefined, { least: 1 })),
)

const PLACE = closed({ pool: POOL_NAME, replica: REPLICA })

export const listPools = call({
  method: 'GET',
  path: '/admin/pools',
  needs: 'viewer',
  summary: 'Lists pools and replicas as this gateway sees them, or as other gateways of the fleet do with `gateway`.',
  query: { gateway: GATEWAY },
  answer: POOLS,
})

export const comparePools = call({
  method: 'GET',
  path: '/admin/pools/compare',
  needs: 'viewer',
  summary: "Compares a pool's answers with those of another pool to copies of the same requests (`mirror` of a model).",
  query: {
    pool: name('The pool that served the requests.'),
    to: name('The pool that got the copies.'),
    ...PERIOD,
  },
  answer: COMPARISON,
})

export const drainPool = call({
  method: 'POST',
  path: '/admin/pools/drain',
  needs: 'admin',
  summary: 'Drains a pool or a replica: no gateway on the store sends new requests to it, and running ones continue.',
  body: PLACE,
  answer: CHANGED_POOL,
})

export const undrainPool = call({
  method: 'POST',
  path: '/admin/pools/undrain',
  needs: 'admin',
  summary: 'Undrains a pool or a replica.',
  body: PLACE,
  answer: CHANGED_POOL,
})

export const probePools = call({
  method: 'POST',
  path: '/admin/pools/probe',
  needs: 'admin',
  summary: "Probes one replica, a pool's replicas, or all replicas now.",
  body: closed({ pool: optional(POOL_NAME), replica: REPLICA }, { replica: ['pool'] }),
  answer: PROBE_RESULTS,
})
