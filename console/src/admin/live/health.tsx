import type { ShownFleet } from '../../../../src/wire/admin/fleet.ts'
import type { FleetPools } from '../../../../src/wire/admin/fleet-pools.ts'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { State } from '../../shared/state.tsx'
import { readFleet } from '../api/fleet.ts'
import { incidents, openIncidents } from '../api/incidents.ts'
import { listPools } from '../api/pools.ts'
import { readSeries } from '../api/series.ts'
import { who } from '../api/who.ts'
import { stateOfPool } from '../pool-state.ts'
import * as text from '../texts/outlook.tsx'

interface Trouble {
  readonly words: string
  readonly tone: 'warn' | 'bad'
  /** The page that says more. */
  readonly to: string
  readonly query?: Readonly<Record<string, string>>
}

/** Whether everything is all right: what is wrong in the fleet, or what was looked at. */
export function Health() {
  const pools = useResource(() => listPools('all'), LOOK_MS)
  const fleet = useResource(readFleet, LOOK_MS)
  const series = useResource(() => readSeries('hour', {}), LOOK_MS)
  const isKnown = pools.data && fleet.data && series.data
  const isAnswering = !pools.problem && !fleet.problem && !series.problem
  const troubles = [
    ...storeTroubles(),
    ...incidentTroubles(),
    ...(pools.data ? poolTroubles(pools.data) : []),
    ...(fleet.data ? fleetTroubles(fleet.data) : []),
    ...(series.data ? failureTroubles(series.data.data.slice(-FAILURE_MINUTES)) : []),
  ]
  return (
    <section class="health box" aria-label={text.health} role="status">
      {!isAnswering && <State tone="bad">{text.healthUnknown}</State>}
      {isAnswering && isKnown && troubles.length === 0 && (
        <State tone="ok">{text.allWell(pools.data.data.length, fleet.data.data.length)}</State>
      )}
      {troubles.map(({ words, tone, to, query }) => (
        <State key={words} tone={tone}>
          <Link to={to} {...(query && { query })}>
            <bdi>{words}</bdi>
          </Link>
        </State>
      ))}
    </section>
  )
}

const storeTroubles = (): readonly Trouble[] =>
  who.value.data?.store_state === 'unavailable' ? [{ words: text.storeIsAway, tone: 'bad', to: 'incidents' }] : []

function incidentTroubles(): readonly Trouble[] {
  const open = openIncidents.value
  if (open === 0) return []
  const isUrgent = incidents.value.data?.data.some(({ state, severity }) => state === 'open' && severity === 'page')
  return [{ words: text.incidentsAreOpen(open), tone: isUrgent ? 'bad' : 'warn', to: 'incidents' }]
}

function poolTroubles({ data, unreached }: FleetPools): readonly Trouble[] {
  const ofPools = data.flatMap((pool): readonly Trouble[] => {
    const { word, tone } = stateOfPool(pool)
    return tone === 'ok' ? [] : [{ words: `${pool.pool}: ${word}`, tone: tone === 'bad' ? 'bad' : 'warn', to: 'pools' }]
  })
  const missing = unreached.map(
    ({ gateway }): Trouble => ({ words: text.gatewayIsSilent(gateway), tone: 'bad', to: 'fleet' }),
  )
  return [...ofPools, ...missing]
}

const fleetTroubles = ({ drift }: ShownFleet): readonly Trouble[] =>
  drift.map(({ of }) => ({ words: text.gatewaysDiffer[of], tone: 'warn', to: 'fleet' }))

function failureTroubles(
  points: readonly { readonly requests: number; readonly failed: number }[],
): readonly Trouble[] {
  const requests = points.reduce((sum, point) => sum + point.requests, 0)
  const failed = points.reduce((sum, point) => sum + point.failed, 0)
  if (failed === 0) return []
  const tone = failed / requests >= BAD_SHARE ? 'bad' : 'warn'
  return [
    { words: text.failedRequests(failed, requests, FAILURE_MINUTES), tone, to: 'requests', query: { status: '5xx' } },
  ]
}

const LOOK_MS = 5000
const FAILURE_MINUTES = 5
/** A fraction of all requests. */
const BAD_SHARE = 0.05
