import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ShownCopies } from '../../../src/wire/admin/pool-copies.ts'
import type { ShownReplica } from '../../../src/wire/admin/pool-replica.ts'
import type { ShownCanary } from '../../../src/wire/admin/pool-shares.ts'
import type { ShownPoolSeries } from '../../../src/wire/admin/series.ts'
import type { ApiProblem } from '../shared/api.ts'
import { dotted } from '../shared/dotted.ts'
import { useFind } from '../shared/find.tsx'
import { usd } from '../shared/fmt.ts'
import { problemFrom, useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Header, Loaded, Problem } from '../shared/states.tsx'
import { type Column, Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { listPools, type Place } from './api/pools.ts'
import { readPoolSeries } from './api/series.ts'
import { may } from './api/who.ts'
import { Origin } from './command.tsx'
import { useGateway } from './gateway-choice.tsx'
import { commandOf, nameOf, PoolDialog, probeNow } from './pool-dialogs.tsx'
import { hourText, PoolHour } from './pool-hour.tsx'
import { type StateWord, stateOfPool, stateOfReplica } from './pool-state.ts'
import { RoleNote } from './role-note.tsx'
import * as text from './texts/pools.tsx'

/** The gateways' view of their backends, with an operator's actions. */
export function Pools() {
  const { chosen, field: gateways, isFleet, option } = useGateway()
  return <View key={chosen} {...{ chosen, gateways, isFleet, option }} />
}

interface ViewProps {
  readonly chosen: string
  readonly gateways: ComponentChildren
  readonly isFleet: boolean
  readonly option: string
}

function View({ chosen, gateways, isFleet, option }: ViewProps) {
  const pools = useResource(() => listPools(chosen), 2000)
  const hour = useResource(readPoolSeries, 10_000)
  const { field, word } = useFind(text.findAPool)
  const [asked, ask] = useState<Asked>()
  const [problem, setProblem] = useState<ApiProblem>()
  const done = (error?: unknown) => {
    setProblem(error === undefined ? undefined : problemFrom(error))
    void pools.refresh()
  }
  const act: Act = (what, place) => {
    if (what === 'probe') void probeNow(place).then(() => done(), done)
    else ask({ what, place })
  }
  return (
    <>
      <Header
        title={text.pools}
        aside={
          <div class="row controls">
            {field}
            {gateways}
          </div>
        }
      >
        {isFleet ? text.whatGatewaysKnow : text.whatThisGatewayKnows}
      </Header>
      <RoleNote />
      {problem && <Problem problem={problem} />}
      <Loaded of={pools}>
        {({ data, gateways: answered, unreached }) => {
          const found = data.filter(pool => JSON.stringify(pool).toLowerCase().includes(word))
          return (
            <>
              {unreached.map(({ gateway, problem: why }) => (
                <p key={gateway} class="note" role="status">
                  {text.notAsked(gateway, why)}
                </p>
              ))}
              {found.length === 0 ? (
                <p class="muted">{text.noPoolIsCalled}</p>
              ) : (
                <PoolTable
                  pools={found}
                  gateways={answered.length}
                  hour={hour.data?.data}
                  isOne={option !== ''}
                  act={act}
                />
              )}
              {asked && <PoolDialog {...asked} pools={data} onClose={() => ask(undefined)} onDone={done} />}
            </>
          )
        }}
      </Loaded>
      <Origin command={`svcctl pools${option}`} />
    </>
  )
}

interface Asked {
  readonly what: 'drain' | 'undrain'
  readonly place: Place
}

type Act = (what: 'drain' | 'undrain' | 'probe', place: Place) => void

interface PoolTableProps {
  readonly pools: readonly ShownPool[]
  /** So many know what is shown. */
  readonly gateways: number
  /** All gateways' counts of the last hour; undefined until they are known. */
  readonly hour: ShownPoolSeries['data'] | undefined
  /** Whether the other columns show one gateway of several. */
  readonly isOne: boolean
  readonly act: Act
}

function PoolTable({ pools, gateways, hour, isOne, act }: PoolTableProps) {
  const hasBudget = pools.some(({ max_usd_per_hour }) => max_usd_per_hour !== null)
  const hasLoad = pools.some(({ replicas }) => replicas.some(({ load }) => load !== undefined))
  const hasCached = pools.some(looksForPrompts)
  const columns: readonly Column[] = [
    { title: text.pool },
    { title: text.state },
    { title: isOne ? text.lastHourOfFleet : text.lastHour, narrow: true },
    { title: text.inFlight, num: true, narrow: true },
    { title: text.waiting, num: true, narrow: true },
    ...(hasLoad ? LOAD_COLUMNS : []),
    ...(hasCached ? [{ title: text.cached, num: true, narrow: true } as const] : []),
    { title: text.last10S, num: true, narrow: true },
    ...(hasBudget ? [{ title: text.spendHour, num: true, narrow: true } as const] : []),
    { title: text.actions, hidden: true },
  ]
  return (
    <Table label={text.pools} columns={columns}>
      {pools.map(pool => (
        <Pool
          key={pool.pool}
          pool={pool}
          gateways={gateways}
          series={hour?.find(each => each.pool === pool.pool)}
          isHourKnown={hour !== undefined}
          hasBudget={hasBudget}
          hasLoad={hasLoad}
          hasCached={hasCached}
          columns={columns.length}
          act={act}
        />
      ))}
    </Table>
  )
}

/** Columns for the load that the engine of each replica reports. */
const LOAD_COLUMNS: readonly Column[] = [
  { title: text.engineRunning, num: true, narrow: true },
  { title: text.engineWaiting, num: true, narrow: true },
  { title: text.kvCache, num: true, narrow: true },
]

interface PoolProps extends Pick<PoolTableProps, 'gateways' | 'act'> {
  readonly pool: ShownPool
  readonly series: ShownPoolSeries['data'][number] | undefined
  readonly isHourKnown: boolean
  /** Whether a pool of the table has a most to spend in an hour. */
  readonly hasBudget: boolean
  /** Whether a pool of the table has engines that report their load. */
  readonly hasLoad: boolean
  /** Whether a pool of the table finds prompts in the caches of its backends. */
  readonly hasCached: boolean
  /** How many columns the table has. */
  readonly columns: number
}

function Pool({ pool, gateways, series, isHourKnown, hasBudget, hasLoad, hasCached, columns, act }: PoolProps) {
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup">
          <bdi>{pool.pool}</bdi> <span class="muted">{pool.site}</span>
          <p class="small muted">
            <bdi>{servedBy(pool)}</bdi> <code>{pool.declared}</code>
          </p>
          {isShared(pool) && (
            <p class="small muted" title={text.takesNoSalt}>
              {text.notIsolated}
            </p>
          )}
          <p class="folded">{[...factsOf(pool), ...(series ? [hourText(series)] : [])].join(' · ')}</p>
        </th>
        <td>
          <Health state={stateOfPool(pool)} />
          {pool.busy !== undefined && <p class="small muted anywhere">{pool.busy}</p>}
        </td>
        <td class="narrow muted">{series ? <PoolHour series={series} /> : isHourKnown && text.noAttempts}</td>
        <td class="num narrow held">{ofMost(pool)}</td>
        <td class="num narrow">{pool.queue ? text.waitingOf(pool.waiting, pool.queue.max) : pool.waiting}</td>
        {hasLoad && <td colSpan={LOAD_COLUMNS.length} class="narrow" />}
        {hasCached && <td class="num narrow">{cachedShare(pool.caching, pool)}</td>}
        <td class="num narrow">{lastTen(pool)}</td>
        {hasBudget && <td class="num narrow">{hourOf(pool) ?? '–'}</td>}
        <td class="actions">
          <Actions place={{ pool: pool.pool }} isDrained={pool.drained} act={act} />
        </td>
      </tr>
      {pool.shares?.map(
        ({ model, canary }) =>
          canary && (
            <tr key={model} class="member">
              <td colSpan={columns}>
                <Canary model={model} {...canary} />
              </td>
            </tr>
          ),
      )}
      {pool.copies && (
        <tr class="member">
          <td colSpan={columns}>
            {pool.copies.map(copies => (
              <Copies key={copies.model} {...copies} />
            ))}
          </td>
        </tr>
      )}
      {pool.queue?.shares && (
        <tr class="member">
          <td colSpan={columns} class="small muted">
            {pool.queue.shares.map(({ owner, guaranteed, in_flight, waiting }) => (
              <p key={owner}>{text.slotShare(owner, guaranteed, in_flight, waiting)}</p>
            ))}
          </td>
        </tr>
      )}
      {pool.replicas.map(replica => (
        <Replica key={replica.url} {...{ replica, pool, gateways, hasBudget, hasLoad, hasCached, act }} />
      ))}
    </tbody>
  )
}

/** A canary with the figures of both sides. */
function Canary({ model, state, why, against, stop_when, canary, control }: ShownCanary & { readonly model: string }) {
  return (
    <p class="small muted anywhere" title={text.stopsWhen(stop_when)}>
      {dotted([
        state === 'stopped' ? text.canaryStopped(model, why ?? '') : text.canaryRuns(model),
        text.side(text.canary, sideOf(canary)),
        text.side(against, sideOf(control)),
      ])}
    </p>
  )
}

/** The copies that a pool gets as the mirror of a model. */
function Copies({ model, sample, from, day_usd: spent, max_usd_per_day: most, newest }: ShownCopies) {
  return (
    <p class="small muted anywhere">
      {dotted([
        text.copiesOf(sample, model, from.join(', ')),
        ...(most === null ? [] : [text.inADay(ofBudget(spent, most))]),
        ...(newest ? [text.newestCopy(<Time at={Date.parse(newest.at)} />, newest.text)] : []),
      ])}
    </p>
  )
}

const sideOf = ({ requests, errors, first_token_p95_ms: p95 }: ShownCanary['canary']): string =>
  [text.failedOf(errors, requests), ...(p95 === null ? [] : [text.firstTokenP95(p95)])].join(', ')

/** The models of a pool, each with the share that it has of them. */
const servedBy = ({ models, shares = [] }: ShownPool): string =>
  models
    .map(model => {
      const share = shares.find(each => each.model === model)?.share
      return share === undefined ? model : text.shareOf(share, model)
    })
    .join(', ')

interface ReplicaProps extends Pick<PoolProps, 'gateways' | 'hasBudget' | 'hasLoad' | 'hasCached' | 'act'> {
  readonly replica: ShownReplica
  readonly pool: ShownPool
}

function Replica({ replica, pool, gateways, hasBudget, hasLoad, hasCached, act }: ReplicaProps) {
  // Where there is one alone, the pool is what is drained.
  const hasActions = pool.replicas.length > 1 && !pool.drained
  const probe = probeOf(replica)
  return (
    <tr class="member">
      <td>
        <code>{replica.url}</code>
        {probe !== '' && <p class="folded">{probe}</p>}
        {replica.load && <p class="folded">{loadText(replica.load)}</p>}
        {replica.caching && looksForPrompts(pool) && (
          <p class="folded">{text.promptsCached(cachedShare(replica.caching, pool))}</p>
        )}
      </td>
      <td>
        <Health state={stateOfReplica(replica)} />
        {replica.seen_by && (
          <p class="small muted anywhere" title={replica.seen_by.join(', ')}>
            {text.seenBy(replica.seen_by, gateways)}
          </p>
        )}
      </td>
      <td class="narrow muted anywhere">{probe}</td>
      <td class="num narrow">{replica.in_flight}</td>
      {(hasLoad || hasCached) && <td class="narrow" />}
      {hasLoad && <LoadCells load={replica.load} />}
      {hasCached && <td class="num narrow">{cachedShare(replica.caching, pool)}</td>}
      <td colSpan={(hasBudget ? 3 : 2) - (hasLoad || hasCached ? 1 : 0)} class="narrow" />
      <td class="actions">
        {hasActions && (
          <Actions
            place={{ pool: pool.pool, replica: replica.replica, url: replica.url }}
            isDrained={replica.state === 'drained'}
            act={act}
          />
        )}
      </td>
    </tr>
  )
}

/** Figures that no longer count are left out. */
function LoadCells({ load }: { readonly load: ShownReplica['load'] | undefined }) {
  if (!load || load.stale)
    return (
      <td colSpan={LOAD_COLUMNS.length} class="num narrow muted">
        {load === undefined ? '–' : text.notRead}
      </td>
    )
  return (
    <>
      <td class="num narrow">{load.running}</td>
      <td class="num narrow">{load.waiting}</td>
      <td class="num narrow">{usageText(load.kv_usage)}</td>
    </>
  )
}

/** Where nothing was found or expected, nobody looked for it, or the backends do not report it. */
const looksForPrompts = ({ caching }: ShownPool): boolean =>
  caching !== undefined && caching.cached_tokens + caching.expected_tokens > 0

/** The share of the prompt tokens that were read from caches, rounded down, so that 100% is all of them. */
function cachedShare(caching: ShownReplica['caching'], pool: ShownPool): string {
  if (!caching || caching.prompt_tokens === 0 || !looksForPrompts(pool)) return '–'
  return text.percent(String(Math.floor((100 * caching.cached_tokens) / caching.prompt_tokens)))
}

/** Whether accounts find each other's prompts in the caches of the backends, and the files do not say that they may. */
const isShared = ({ caching }: ShownPool): boolean =>
  caching !== undefined && !caching.isolated && caching.caches !== 'pool'

const usageText = (share: number | null): string =>
  share === null ? '–' : text.percent(String(Math.round(share * 100)))

const loadText = ({ running, waiting, kv_usage, stale }: NonNullable<ShownReplica['load']>): string =>
  stale
    ? text.notRead
    : [text.engineLoad(running, waiting), ...(kv_usage === null ? [] : [text.kvCacheInUse(usageText(kv_usage))])].join(
        ', ',
      )

const Health = ({ state: { word, tone } }: { readonly state: StateWord }) => <State tone={tone}>{word}</State>

interface ActionsProps {
  readonly place: Place
  readonly isDrained: boolean
  readonly act: Act
}

function Actions({ place, isDrained, act }: ActionsProps) {
  const what = isDrained ? 'undrain' : 'drain'
  if (!may('admin')) return null
  return (
    <div>
      <button type="button" title={commandOf('probe', place)} onClick={() => act('probe', place)}>
        {text.probe}
        <span class="hidden"> {nameOf(place)}</span>
      </button>
      <button type="button" onClick={() => act(what, place)}>
        {isDrained ? text.askToUndrain : text.askToDrain}
        <span class="hidden"> {nameOf(place)}</span>
      </button>
    </div>
  )
}

function probeOf({ last_probe, failures }: ShownReplica): string {
  const failed = failures > 0 ? text.failureCount(failures) : ''
  if (!last_probe) return failed
  const { ok, ms, error, status } = last_probe
  const probe = ok ? text.probeAnswered(Math.round(ms)) : (error ?? text.answered(status ?? 0))
  return [probe, failed].filter(Boolean).join(', ')
}

function ofMost({ in_flight, in_flight_over_store: held, max_concurrent }: ShownPool): string {
  if (max_concurrent === null) return String(in_flight)
  return held === undefined ? `${in_flight} / ${max_concurrent}` : text.ofAllGateways(in_flight, held, max_concurrent)
}

const lastTen = ({ requests_10s, retries_10s }: ShownPool): string =>
  retries_10s > 0 ? text.again(requests_10s, retries_10s) : String(requests_10s)

const hourOf = ({ hour_usd, max_usd_per_hour }: ShownPool): string | undefined =>
  max_usd_per_hour === null ? undefined : ofBudget(hour_usd, max_usd_per_hour)

const ofBudget = (spent: string | null, most: string): string =>
  `${spent === null ? text.unknown : usd(Number(spent))} / ${usd(Number(most))}`

/** The facts of the columns, where there is no room for them. */
const factsOf = (pool: ShownPool): readonly string[] => [
  text.ofThemInFlight(ofMost(pool)),
  ...(pool.waiting > 0 ? [text.ofThemWaiting(pool.waiting)] : []),
  ...(hourOf(pool) === undefined ? [] : [text.hour(hourOf(pool) ?? '')]),
  ...(looksForPrompts(pool) ? [text.promptsCached(cachedShare(pool.caching, pool))] : []),
]
