import type { ShownPool, ShownReplica } from '../../../src/wire/admin/pool.ts'
import { useFind } from '../shared/find.tsx'
import { exactUsd, wait } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { Header, Loaded } from '../shared/states.tsx'
import { listPools } from './api/pools.ts'
import { Origin } from './command.tsx'
import { Table } from './table.tsx'

/** What this process knows of its backends. */
export function Pools() {
  const pools = useResource(listPools, 2000)
  const { field, word } = useFind('Find a pool')
  return (
    <>
      <Header title="Pools" aside={field}>
        What this gateway process knows of its backends. Another process has its own view.
      </Header>
      <Loaded of={pools}>
        {({ data }) => {
          const found = data.filter(pool => JSON.stringify(pool).toLowerCase().includes(word))
          return found.length === 0 ? <p class="muted">No pool is called so.</p> : <PoolTable pools={found} />
        }}
      </Loaded>
      <Origin command="svcctl pools list" />
    </>
  )
}

const PoolTable = ({ pools }: { readonly pools: readonly ShownPool[] }) => (
  <Table
    label="Pools"
    columns={[
      { title: 'Pool' },
      { title: 'State' },
      { title: 'Serves', narrow: true },
      { title: 'In flight', num: true, narrow: true },
      { title: 'Waiting', num: true, narrow: true },
      { title: 'Last 10 s', num: true, narrow: true },
      { title: 'This hour', num: true, narrow: true },
    ]}
  >
    {pools.map(pool => (
      <Pool key={pool.pool} pool={pool} />
    ))}
  </Table>
)

function Pool({ pool }: { readonly pool: ShownPool }) {
  const { word, tone } = stateOfPool(pool)
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup">
          <bdi>{pool.pool}</bdi> <span class="muted">{pool.site}</span>
          <p class="folded">{factsOf(pool).join(' · ')}</p>
        </th>
        <td>
          <span class={`dot ${tone}`}>{word}</span>
        </td>
        <td class="narrow muted">{pool.models.join(', ')}</td>
        <td class="num narrow">{ofMost(pool)}</td>
        <td class="num narrow">{pool.waiting}</td>
        <td class="num narrow">{lastTen(pool)}</td>
        <td class="num narrow">{hourOf(pool) ?? '–'}</td>
      </tr>
      {pool.replicas.map(replica => (
        <Replica key={replica.url} replica={replica} />
      ))}
    </tbody>
  )
}

function Replica({ replica }: { readonly replica: ShownReplica }) {
  const { word, tone } = stateOfReplica(replica)
  return (
    <tr class="member">
      <td>
        <code>{replica.url}</code>
      </td>
      <td>
        <span class={`dot ${tone}`}>{word}</span>
      </td>
      <td class="narrow muted">{probeOf(replica)}</td>
      <td class="num narrow">{replica.in_flight}</td>
      <td colSpan={3} class="narrow" />
    </tr>
  )
}

interface StateWord {
  readonly word: string
  readonly tone: 'ok' | 'warn' | 'bad' | ''
}

function stateOfPool({ drained, replicas }: ShownPool): StateWord {
  if (drained) return { word: 'Drained', tone: '' }
  const fit = replicas.filter(replica => stateOfReplica(replica).tone === 'ok')
  if (fit.length === replicas.length) return { word: 'Fit', tone: 'ok' }
  const serves = replicas.some(({ state }) => state === 'closed' || state === 'half-open')
  return serves ? { word: 'Degraded', tone: 'warn' } : { word: 'Down', tone: 'bad' }
}

/** A probe that failed is a warning while requests still go there: nothing has failed by it yet. */
function stateOfReplica({ state, last_probe, retry_in_ms }: ShownReplica): StateWord {
  const again = retry_in_ms ? ` ${wait(retry_in_ms)}` : ''
  switch (state) {
    case 'drained':
      return { word: 'Drained', tone: '' }
    case 'open':
      return { word: `Left out${again}`, tone: 'bad' }
    case 'cooling':
      return { word: `Paused${again}`, tone: 'warn' }
    case 'half-open':
      return { word: 'On trial', tone: 'warn' }
    case 'closed':
      return last_probe?.ok === false ? { word: 'Probe failed', tone: 'warn' } : { word: 'Fit', tone: 'ok' }
  }
}

function probeOf({ last_probe, failures }: ShownReplica): string {
  const failed = failures > 0 ? `${failures} failed in a row` : ''
  if (!last_probe) return failed
  const { ok, ms, error, status } = last_probe
  const probe = ok ? `answered in ${Math.round(ms)} ms` : (error ?? `answered ${status}`)
  return [probe, failed].filter(Boolean).join(', ')
}

const ofMost = ({ in_flight, max_concurrent }: ShownPool): string =>
  max_concurrent === null ? String(in_flight) : `${in_flight} / ${max_concurrent}`

const lastTen = ({ requests_10s, retries_10s }: ShownPool): string =>
  retries_10s > 0 ? `${requests_10s}, ${retries_10s} again` : String(requests_10s)

const hourOf = ({ hour_usd, max_usd_per_hour }: ShownPool): string | undefined =>
  max_usd_per_hour === null
    ? undefined
    : `${hour_usd === null ? 'unknown' : exactUsd(hour_usd)} / ${exactUsd(max_usd_per_hour)}`

/** What the columns say, where there is no room for them. */
const factsOf = (pool: ShownPool): readonly string[] => [
  `${ofMost(pool)} in flight`,
  ...(pool.waiting > 0 ? [`${pool.waiting} waiting`] : []),
  ...(hourOf(pool) === undefined ? [] : [`hour ${hourOf(pool)}`]),
  pool.models.join(', '),
]
