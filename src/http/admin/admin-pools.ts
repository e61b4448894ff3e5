import { askAll } from '../../gateway/fleet/peers.ts'
import type { PoolState, Replica } from '../../gateway/pools/pools.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { fleetPools } from '../../wire/admin/fleet-pools.ts'
import { readShownPools, type ShownResult, shownResult } from '../../wire/admin/pool.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, readSmall } from '../listener/request-input.ts'
import { poolNow, settingsOf } from '../shown-pools.ts'
import { UNCACHED } from '../uncached.ts'
import { NAME } from './admin-op.ts'
import { askedGateways } from './fleet/asked-gateways.ts'
import type { OperatorApp } from './operator-app.ts'
import type { AdminEndpoint } from './operator-family.ts'

/** Dependencies of the pool endpoints. */
type PoolsApp = Pick<
  OperatorApp,
  | 'config'
  | 'settings'
  | 'clock'
  | 'pools'
  | 'store'
  | 'poolsOfOthers'
  | 'fleet'
  | 'peers'
  | 'alarm'
  | 'audited'
  | 'probes'
>

const properties = { pool: NAME, replica: { type: ['string', 'integer'], minimum: 1, minLength: 1 } }
const checkOne = validator({ type: 'object', required: ['pool'], properties, additionalProperties: false })
const checkSome = validator({
  type: 'object',
  properties,
  dependentRequired: { replica: ['pool'] },
  additionalProperties: false,
})

/** GET /admin/pools: as this gateway knows them, or with `gateway` as those of the fleet do. */
async function listPools(app: PoolsApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['gateway'])
  if ('denial' in query) return call.deny(query.denial)
  const asked = await askedGateways(app, query.gateway)
  if ('denial' in asked) return call.deny(asked.denial)
  const own = asked.here ? await Promise.all([...app.config.pools.values()].map(pool => poolNow(app, pool))) : []
  if (query.gateway === undefined) return call.json(200, { object: 'list', data: own }, UNCACHED)
  const question = { method: 'GET', path: '/admin/pools', patience: PATIENCE } as const
  const { answers, unreached } = await askAll(asked.others(), app.peers.ask, question)
  const known = [
    ...(asked.here ? [{ gateway: app.fleet.self.name, pools: own }] : []),
    ...answers.map(([{ name }, body]) => ({ gateway: name, pools: readShownPools(body) })),
  ]
  call.json(200, fleetPools(known, unreached), UNCACHED)
}

/** So long another gateway may take to answer. */
const PATIENCE: Millis = 5000

/** Sends no new requests to a pool or a replica, or sends them again; running ones go on. */
const drain =
  (drained: boolean) =>
  async (app: PoolsApp, call: HttpCall, by: string): Promise<void> => {
    const body = await readSmall(call, checkOne)
    const place = 'denial' in body ? body : placeNamed(app, body.body)
    if ('denial' in place) return call.deny(place.denial)
    if ((place.replica ?? place.state).drained !== drained) await setDrained(app, place, { drained, by })
    call.json(200, { ...(await poolNow(app, place.pool)), note: NOTE }, UNCACHED)
  }

interface Draining {
  readonly drained: boolean
  readonly by: string
}

/** For all gateways: this one follows at once, others when they ask the store next. */
async function setDrained(app: PoolsApp, place: PoolPlace, { drained, by }: Draining): Promise<void> {
  const { pool, replica } = place
  await app.store.fleet.setDrained({ pool: pool.name, ...(replica && { replica: replica.url }) }, drained)
  await app.fleet.announce()
  app.alarm(`an operator ${drained ? 'drained' : 'undrained'} ${textOf(place)}`, { by })
  const what = replica ? `${pool.name} ${replica.url}` : pool.name
  await app.audited(
    drained ? { by, action: 'drain', before: '', after: what } : { by, action: 'undrain', before: what, after: '' },
  )
}

const textOf = ({ pool, replica }: PoolPlace): string =>
  replica ? `the replica ${replica.url} of pool ${pool.name}` : `the pool ${pool.name}`

const NOTE = 'It holds for all gateways on the store, and over restarts, until it is undrained.'

/** Asks replicas now: one, those of a pool, or all. */
async function probe(app: PoolsApp, call: HttpCall): Promise<void> {
  const body = await readSmall(call, checkSome, '{}')
  if ('denial' in body) return call.deny(body.denial)
  const asked = body.body.pool === undefined ? [...app.config.pools.values()] : placeNamed(app, body.body)
  if ('denial' in asked) return call.deny(asked.denial)
  const places = 'pool' in asked ? [asked] : asked.map(pool => ({ pool, state: app.pools.of(pool.name) }))
  const data = await Promise.all(places.flatMap(place => askAt(app, place)))
  call.json(200, { object: 'list', ok: data.every(({ ok }) => ok), data }, UNCACHED)
}

function askAt(app: PoolsApp, { pool, state, replica: only }: PoolPlace): Promise<ShownResult>[] {
  const all = [...state.replicas(pool).entries()]
  return all
    .filter(([, replica]) => only === undefined || replica === only)
    .map(async ([index, replica]) => {
      const probed = await app.probes.probeNow(pool, replica, settingsOf(app, pool))
      return shownResult(pool, { number: index + 1, url: replica.url }, probed)
    })
}

/** A pool, or one replica of it. */
interface PoolPlace {
  readonly pool: Pool
  readonly state: PoolState
  readonly replica?: Replica
}

/** What `pool` and `replica` of a body name: a replica by its URL, or by its number in the configuration. */
function placeNamed({ config, pools }: PoolsApp, body: JsonObject): PoolPlace | Denied {
  const pool = config.pools.get(String(body.pool))
  if (!pool) return invalid('pool', `no such pool \`${body.pool}\`; there are ${[...config.pools.keys()].join(', ')}`)
  const state = pools.of(pool.name)
  if (body.replica === undefined) return { pool, state }
  const replicas = state.replicas(pool)
  const named = body.replica
  const replica =
    typeof named === 'number' ? replicas[named - 1] : replicas.find(({ url }) => url === withoutSlash(String(named)))
  if (replica) return { pool, state, replica }
  const there = replicas.map(({ url }, index) => `${index + 1} (${url})`).join(', ')
  return invalid('replica', `no such replica \`${named}\` in ${pool.name}; there are ${there}`)
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** What operators see and do of pools. Each process knows its own; what is drained is in the store, for all. */
export const poolEndpoints: readonly AdminEndpoint[] = [
  { method: 'GET', path: '/admin/pools', who: 'operator', needs: 'viewer', run: listPools },
  { method: 'POST', path: '/admin/pools/drain', who: 'operator', needs: 'admin', run: drain(true) },
  { method: 'POST', path: '/admin/pools/undrain', who: 'operator', needs: 'admin', run: drain(false) },
  { method: 'POST', path: '/admin/pools/probe', who: 'operator', needs: 'admin', run: probe },
]
