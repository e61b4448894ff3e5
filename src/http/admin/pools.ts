import { askAll } from '../../gateway/fleet/peers.ts'
import { comparePools } from '../../gateway/mirror/comparison.ts'
import type { Replica } from '../../gateway/pools/replica.ts'
import type { PoolState } from '../../gateway/pools/state.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { shownComparison } from '../../wire/admin/comparison.ts'
import { fleetPools, POOLS } from '../../wire/admin/fleet-pools.ts'
import { type ShownResult, shownResult } from '../../wire/admin/pool-probe.ts'
import type { AnswerOf, BodyOf } from '../../wire/admin-api/call.ts'
import * as calls from '../../wire/admin-api/pools.ts'
import { readAs } from '../../wire/schema/read.ts'
import { poolNow, settingsOf } from '../shown-pools.ts'
import { type Asked, answering } from './declared.ts'
import { askedGateways } from './fleet/asked-gateways.ts'
import type { OperatorApp } from './operator-app.ts'
import type { AdminEndpoint } from './operator-family.ts'
import { periodIn } from './period.ts'

/** Dependencies of an endpoint that shows a pool. */
type PoolApp = Pick<
  OperatorApp,
  'config' | 'settings' | 'clock' | 'pools' | 'store' | 'canaries' | 'mirrors' | 'poolsOfOthers'
>
type ListApp = PoolApp & Pick<OperatorApp, 'fleet' | 'peers'>
type DrainApp = PoolApp & Pick<OperatorApp, 'fleet' | 'alarm' | 'audited'>
type ProbeApp = PoolApp & Pick<OperatorApp, 'probes'>

/** GET /admin/pools: as this gateway knows them, or with `gateway` as those of the fleet do. */
async function listPools(
  app: ListApp,
  { query: { gateway } }: Asked<typeof calls.listPools>,
): Promise<AnswerOf<typeof calls.listPools> | Denied> {
  const asked = await askedGateways(app, gateway)
  if ('denial' in asked) return asked
  const own = asked.here ? await Promise.all([...app.config.pools.values()].map(pool => poolNow(app, pool))) : []
  if (gateway === undefined) return { object: 'list', data: own }
  const question = { method: 'GET', path: calls.listPools.path, patience: PATIENCE } as const
  const { answers, unreached } = await askAll(asked.others(), app.peers.ask, question)
  const known = [
    ...(asked.here ? [{ gateway: app.fleet.self.name, pools: own }] : []),
    ...answers.map(([{ name }, body]) => ({ gateway: name, pools: readAs(POOLS, body).data })),
  ]
  return fleetPools(known, unreached)
}

/** So long another gateway may take to answer. */
const PATIENCE: Millis = 5000

/** GET /admin/pools/compare: by the rows of copies in the ledger. */
async function compare(
  { config, store, clock }: PoolApp,
  { query: { pool, to, ...asked } }: Asked<typeof calls.comparePools>,
): Promise<AnswerOf<typeof calls.comparePools> | Denied> {
  const now = clock.now()
  const period = periodIn(asked, now, config.calendar)
  if ('denial' in period) return period
  for (const [field, name] of Object.entries({ pool, to })) {
    const there = [...config.pools.keys()]
    if (!there.includes(name)) return invalid(field, `no such pool \`${name}\`; there are ${there.join(', ')}`)
  }
  const query = {
    pool,
    to,
    since: period.since ?? now - DAY,
    ...(period.until !== undefined && { until: period.until }),
  }
  return shownComparison({ pool, to }, await comparePools(store.ledger, query))
}

const DAY: Millis = 86_400_000

/** Sends no new requests to a pool or a replica, or sends them again; running ones go on. */
const drain =
  (drained: boolean) =>
  async (
    app: DrainApp,
    { body, by }: Pick<Asked<typeof calls.drainPool>, 'body' | 'by'>,
  ): Promise<AnswerOf<typeof calls.drainPool> | Denied> => {
    const place = placeNamed(app, body)
    if ('denial' in place) return place
    if ((place.replica ?? place.state).drained !== drained) await setDrained(app, place, { drained, by })
    return { ...(await poolNow(app, place.pool)), note: NOTE }
  }

interface Draining {
  readonly drained: boolean
  readonly by: string
}

/** For all gateways: this one follows at once, others when they ask the store next. */
async function setDrained(app: DrainApp, place: PoolPlace, { drained, by }: Draining): Promise<void> {
  const { pool, replica } = place
  // Before other gateways hear that the pool is used again: they would stop it for what it did before.
  if (!drained && !replica) await app.canaries.begin(pool.name)
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

const NOTE = 'This applies to all gateways on the store, and survives restarts, until it is undrained.'

/** Asks replicas now: one, those of a pool, or all. */
async function probe(
  app: ProbeApp,
  { body: { pool, replica } }: Asked<typeof calls.probePools>,
): Promise<AnswerOf<typeof calls.probePools> | Denied> {
  const named = { ...(replica !== undefined && { replica }) }
  const asked = pool === undefined ? [...app.config.pools.values()] : placeNamed(app, { pool, ...named })
  if ('denial' in asked) return asked
  const places = 'pool' in asked ? [asked] : asked.map(each => ({ pool: each, state: app.pools.of(each.name) }))
  const data = await Promise.all(places.flatMap(place => askAt(app, place)))
  return { object: 'list', ok: data.every(({ ok }) => ok), data }
}

function askAt(app: ProbeApp, { pool, state, replica: only }: PoolPlace): Promise<ShownResult>[] {
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

/** The place that `pool` and `replica` of a body name: a replica by its URL, or by its number in the configuration. */
function placeNamed({ config, pools }: PoolApp, body: BodyOf<typeof calls.drainPool>): PoolPlace | Denied {
  const pool = config.pools.get(body.pool)
  if (!pool) return invalid('pool', `no such pool \`${body.pool}\`; there are ${[...config.pools.keys()].join(', ')}`)
  const state = pools.of(pool.name)
  if (body.replica === undefined) return { pool, state }
  const replicas = state.replicas(pool)
  const named = body.replica
  const replica =
    typeof named === 'number' ? replicas[named - 1] : replicas.find(({ url }) => url === withoutSlash(named))
  if (replica) return { pool, state, replica }
  const there = replicas.map(({ url }, index) => `${index + 1} (${url})`).join(', ')
  return invalid('replica', `no such replica \`${named}\` in ${pool.name}; there are ${there}`)
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** The operators' calls on pools. Each process knows its own; drained places are in the store, for all. */
export const poolEndpoints: readonly AdminEndpoint[] = [
  answering(calls.listPools, listPools),
  answering(calls.comparePools, compare),
  answering(calls.drainPool, drain(true)),
  answering(calls.undrainPool, drain(false)),
  answering(calls.probePools, probe),
]
