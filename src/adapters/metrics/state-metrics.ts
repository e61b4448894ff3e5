import { Counter, Gauge, type GaugeConfiguration, type Registry } from 'prom-client'
import type { Settings } from '../../config/settings.ts'
import type { Archiving } from '../../gateway/archive/archiver.ts'
import type { Canaries } from '../../gateway/canary/canaries.ts'
import type { Fleet } from '../../gateway/fleet/fleet.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import type { PoolState } from '../../gateway/pools/state.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { KeptTotal } from '../../gateway/responses/kept-total.ts'
import type { StoreHealth } from '../../gateway/store-health.ts'
import type { Config, EpochMs, SlotShare } from '../../policy/config.ts'
import { type EngineReport, isFresh } from '../../policy/replica-load.ts'
import { figuresOf, type SideFigures } from '../../policy/traffic/canary.ts'
import { driftOf } from '../../wire/admin/fleet.ts'

/** The state of a process that is read when metrics are. */
export interface ProcessState {
  readonly clock: Clock
  readonly pools: Pools
  /** The configuration that serves now. */
  readonly current: () => { readonly config: Config; readonly settings: Settings; readonly loadedAt: EpochMs }
  /** Lines of the decision log and of the log that could not be written. */
  readonly dropped: () => { readonly decisions: number; readonly log: number }
  /** How many requests were admitted and not yet settled. */
  readonly underWay: () => number
}

/** The state of a whole gateway, which one of its processes shows. */
export interface GatewayState extends Pick<ProcessState, 'current'> {
  readonly reloads: { readonly ok: number; readonly failed: number; readonly lastError?: object }
  readonly fleet: Pick<Fleet, 'members'>
  readonly storeHealth: Pick<StoreHealth, 'isWritable'>
  readonly canaries: Pick<Canaries, 'recordOf'>
  readonly keptTotal: Pick<KeptTotal, 'read'>
  /** The most bytes of kept responses; undefined where none are kept. */
  readonly keptBytes: () => number | undefined
  /** The state of archiving; undefined where no rows leave for an archive. */
  readonly archiving: () => Archiving | undefined
}

/** Series of the state of a whole gateway. */
export function gatewayMetrics(registry: Registry, ports: GatewayState): void {
  configMetrics(registry, ports)
  fleetMetrics(registry, ports)
  storeMetrics(registry, ports)
  responseMetrics(registry, ports)
  archiveMetrics(registry, ports)
  trafficMetrics(registry, ports)
}

/** Series of the present state, rather than of events. Pools that left the configuration are no longer shown. */
export function stateMetrics(registry: Registry, ports: ProcessState): void {
  upstreamMetrics(registry, ports)
  queueMetrics(registry, ports)
  slotMetrics(registry, ports)
  shareMetrics(registry, ports)
  const registers = [registry]
  new Gauge({
    name: 'svc_requests_under_way',
    help: 'Requests that are admitted and not yet settled.',
    registers,
    collect() {
      this.set(ports.underWay())
    },
  })
  new Counter({
    name: 'svc_dropped_lines_total',
    help: 'Lines dropped because they could not be written in time.',
    labelNames: ['of'],
    registers,
    collect() {
      this.reset()
      for (const [of, lines] of Object.entries(ports.dropped())) this.inc({ of }, lines)
    },
  })
}

/** Series of the pools with a share of a model's conversations; of canaries, both sides as they are compared. */
function trafficMetrics(registry: Registry, { current, canaries }: GatewayState): void {
  const registers = [registry]
  const shares = () =>
    [...current().config.models.values()].flatMap(({ name: model, traffic = [] }) =>
      traffic.map(share => ({ labels: { model, pool: share.pool.name }, share })),
    )
  const compared = () =>
    shares().flatMap(({ labels, share }) => {
      const record = canaries.recordOf(labels.model, labels.pool)
      return share.canary && record ? [{ labels, record }] : []
    })
  new Gauge({
    name: 'svc_traffic_share_ratio',
    help: 'Share of the conversations of a model that come to a pool first, from 0 to 1.',
    labelNames: ['model', 'pool'],
    registers,
    collect() {
      this.reset()
      for (const { labels, share } of shares()) this.set(labels, share.millionths / 1e6)
    },
  })
  new Gauge({
    name: 'svc_canary_stopped',
    help: 'Whether a canary broke a rule, so that its pool was drained.',
    labelNames: ['model', 'pool'],
    registers,
    collect() {
      this.reset()
      for (const { labels, record } of compared()) this.set(labels, record.stopped ? 1 : 0)
    },
  })
  addGauges(CANARY_GAUGES, { labelNames: ['model', 'pool', 'side'], registers }, () =>
    compared().flatMap(({ labels, record }) =>
      (['canary', 'control'] as const).map(side => ({
        labels: { ...labels, side },
        figures: figuresOf(record.counts[side]),
      })),
    ),
  )
}

/** A gauge, and its value by the figures of a series. */
interface GaugeRow<Figures> {
  readonly name: string
  readonly help: string
  /** Undefined where the series has no value. */
  readonly read: (figures: Figures) => number | undefined
}

/** Registers a gauge for each row, with the same series. */
function addGauges<Figures, Label extends string>(
  rows: readonly GaugeRow<Figures>[],
  options: Pick<GaugeConfiguration<Label>, 'labelNames' | 'registers' | 'aggregator'>,
  series: () => readonly { readonly labels: Readonly<Record<Label, string>>; readonly figures: Figures }[],
): void {
  for (const { name, help, read } of rows)
    new Gauge({
      ...options,
      name,
      help,
      collect() {
        this.reset()
        for (const { labels, figures } of series()) {
          const value = read(figures)
          if (value !== undefined) this.set(labels, value)
        }
      },
    })
}

const CANARY_GAUGES: readonly GaugeRow<SideFigures>[] = [
  {
    name: 'svc_canary_requests',
    help: 'Newest requests of a canary, and of the pool that it is compared with, over all gateways.',
    read: ({ requests }) => requests,
  },
  { name: 'svc_canary_errors', help: 'Those of them that failed there.', read: ({ errors }) => errors },
  {
    name: 'svc_canary_first_token_p95_seconds',
    help: 'The p95 of the waits of their streams for the first token.',
    read: ({ firstTokenP95Ms }) => (firstTokenP95Ms === undefined ? undefined : firstTokenP95Ms / 1000),
  },
]

/** Without an archive these have no series. */
function archiveMetrics(registry: Registry, { archiving }: GatewayState): void {
  const registers = [registry]
  new Gauge({
    name: 'svc_archive_waiting_rows',
    help: 'Rows due for the archive that are not in it yet.',
    labelNames: ['to'],
    registers,
    collect() {
      this.reset()
      const state = archiving()
      if (state) this.set({ to: state.to }, state.waiting.rows)
    },
  })
  new Gauge({
    name: 'svc_archive_lag_seconds',
    help: 'How overdue the oldest of these rows is.',
    labelNames: ['to'],
    registers,
    collect() {
      this.reset()
      const state = archiving()
      if (state) this.set({ to: state.to }, state.lagMs / 1000)
    },
  })
  new Counter({
    name: 'svc_archived_rows_total',
    help: 'Rows that this process moved from the store to the archive.',
    labelNames: ['to'],
    registers,
    collect() {
      this.reset()
      const state = archiving()
      if (state) this.inc({ to: state.to }, state.archived)
    },
  })
  new Counter({
    name: 'svc_archive_failures_total',
    help: 'Batches that the archive rejected.',
    labelNames: ['to'],
    registers,
    collect() {
      this.reset()
      const state = archiving()
      if (state) this.inc({ to: state.to }, state.failures)
    },
  })
}

function queueMetrics(registry: Registry, { pools, current }: ProcessState): void {
  new Gauge({
    name: 'svc_pool_queue',
    help: 'Requests that wait in the queue of a pool, by the priority of their plans.',
    labelNames: ['pool', 'priority'],
    registers: [registry],
    collect() {
      this.reset()
      const { config, settings } = current()
      for (const { name } of config.pools.values()) {
        if (!settings.backends.get(name)?.queue) continue
        for (const [priority, waiting] of pools.of(name).slots.fair.byPriority)
          this.set({ pool: name, priority: String(priority) }, waiting)
      }
    },
  })
}

function shareMetrics(registry: Registry, { pools, current }: ProcessState): void {
  const labelNames = ['pool', 'owner'] as const
  const gauge = (
    name: string,
    help: string,
    of: (share: SlotShare, used: SlotUse) => number,
    aggregator: 'sum' | 'max' = 'sum',
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      aggregator,
      registers: [registry],
      collect() {
        this.reset()
        for (const { name: pool, shares = [] } of current().config.pools.values())
          for (const share of shares)
            this.set({ pool, owner: share.owner }, of(share, pools.of(pool).slots.fair.usedBy(share.owner)))
      },
    })
  // Each process says how many there are in all.
  const guaranteed = 'Slots of a pool that are guaranteed to the owner of a share.'
  gauge('svc_pool_share_slots', guaranteed, ({ slots }) => slots, 'max')
  gauge(
    'svc_pool_share_in_flight',
    'Slots of a pool that requests of the owner of a share hold.',
    (_, { held }) => held,
  )
  gauge(
    'svc_pool_share_queue',
    'Requests of the owner of a share that wait for a slot of the pool.',
    (_, { waiting }) => waiting,
  )
}

interface SlotUse {
  readonly held: number
  readonly waiting: number
}

/** Main, which serves nobody, leases nothing. */
const leasedIn = ({ slots }: PoolState): number => (Number.isFinite(slots.lent) ? slots.lent : 0)

function slotMetrics(registry: Registry, { pools, current }: ProcessState): void {
  new Gauge({
    name: 'svc_pool_slots_leased',
    help: 'Slots of a pool with `max_concurrent_over: store` that this process has from the store.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, slotsOver } of current().config.pools.values())
        if (slotsOver === 'store') this.set({ pool: name }, leasedIn(pools.of(name)))
    },
  })
}

function upstreamMetrics(registry: Registry, { clock, pools, current }: ProcessState): void {
  const labelNames = ['pool', 'replica'] as const
  const byPool = () => {
    const { config, settings } = current()
    return [...config.pools.values()].map(pool => {
      const state = pools.of(pool.name)
      const replicas = state.replicas(pool).map(replica => ({
        labels: { pool: pool.name, replica: replica.url },
        isUp: !state.drained && replica.isUsable(clock.now()),
        inFlight: replica.inFlight,
        report: settings.backends.get(pool.name)?.load && replica.report,
      }))
      return { pool: pool.name, replicas }
    })
  }
  const replicas = () => byPool().flatMap(({ replicas }) => replicas)
  new Gauge({
    name: 'svc_pool_up',
    help: 'Whether requests are sent to any replica of a pool.',
    labelNames: ['pool'],
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.reset()
      for (const { pool, replicas } of byPool()) this.set({ pool }, replicas.some(({ isUp }) => isUp) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'svc_upstream_up',
    help: 'Whether requests are sent to a replica.',
    labelNames,
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, isUp } of replicas()) this.set(labels, isUp ? 1 : 0)
    },
  })
  new Gauge({
    name: 'svc_upstream_in_flight',
    help: 'Requests running at a replica.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, inFlight } of replicas()) this.set(labels, inFlight)
    },
  })
  engineMetrics(registry, clock, replicas)
}

/** Metrics of the load that engines report. */
function engineMetrics(
  registry: Registry,
  clock: ProcessState['clock'],
  replicas: () => readonly ReportingReplica[],
): void {
  const labelNames = ['pool', 'replica'] as const
  const reports = () =>
    replicas().flatMap(({ labels, report }) =>
      report ? [{ labels, report, isFresh: isFresh(report, clock.now()) }] : [],
    )
  // Every process of a gateway knows the same report.
  addGauges(LOAD_GAUGES, { labelNames, aggregator: 'max', registers: [registry] }, () =>
    reports().flatMap(({ labels, report, isFresh }) => (isFresh ? [{ labels, figures: report }] : [])),
  )
  new Gauge({
    name: 'svc_replica_load_age_seconds',
    help: 'How long ago the engine of a replica was asked for the load that it reported last. Above 3 it no longer counts.',
    labelNames,
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, report } of reports()) this.set(labels, Math.max(0, clock.now() - report.at) / 1000)
    },
  })
}

interface ReportingReplica {
  readonly labels: { readonly pool: string; readonly replica: string }
  readonly report: EngineReport | false | undefined
}

/** The load of a replica, of pools that declare `load`; absent once the report is 3 s old. */
const LOAD_GAUGES: readonly GaugeRow<EngineReport>[] = [
  {
    name: 'svc_replica_running',
    help: 'Requests that the engine of a replica works on, as it reports them.',
    read: ({ running }) => running,
  },
  {
    name: 'svc_replica_waiting',
    help: 'Requests that wait at the engine of a replica, as it reports them.',
    read: ({ waiting }) => waiting,
  },
  {
    name: 'svc_replica_kv_usage',
    help: 'Share of the KV cache that the engine of a replica uses, from 0 to 1, as it reports it.',
    read: ({ kvUsage }) => kvUsage,
  },
]

function configMetrics(registry: Registry, { current, reloads }: GatewayState): void {
  const registers = [registry]
  new Gauge({
    name: 'svc_config_info',
    help: 'The revision of the configuration in use.',
    labelNames: ['revision'],
    registers,
    collect() {
      this.reset()
      this.set({ revision: current().config.revision }, 1)
    },
  })
  new Gauge({
    name: 'svc_config_reload_success_timestamp_seconds',
    help: 'When the configuration in use was loaded.',
    registers,
    collect() {
      this.set(current().loadedAt / 1000)
    },
  })
  new Gauge({
    name: 'svc_config_last_reload_successful',
    help: 'Whether the last reload found the files equal to the configuration in use.',
    registers,
    collect() {
      this.set(reloads.lastError ? 0 : 1)
    },
  })
  new Counter({
    name: 'svc_config_reloads_total',
    help: 'Reloads since the start.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      this.inc({ outcome: 'ok' }, reloads.ok)
      this.inc({ outcome: 'failed' }, reloads.failed)
    },
  })
}

function storeMetrics(registry: Registry, { storeHealth }: GatewayState): void {
  new Gauge({
    name: 'svc_store_up',
    help: 'Whether the store can be written.',
    registers: [registry],
    async collect() {
      this.set((await storeHealth.isWritable()) ? 1 : 0)
    },
  })
}

/** Where no responses are kept these have no series. */
function responseMetrics(registry: Registry, { keptTotal, keptBytes }: GatewayState): void {
  const registers = [registry]
  new Gauge({
    name: 'svc_kept_responses_bytes',
    help: 'Bytes that kept responses use in the store, the same on all gateways of the store.',
    labelNames: [],
    registers,
    async collect() {
      this.remove()
      const bytes = keptBytes() === undefined ? undefined : await keptTotal.read()
      if (bytes !== undefined) this.set(bytes)
    },
  })
  new Gauge({
    name: 'svc_kept_responses_max_bytes',
    help: 'Bytes that kept responses may use.',
    registers,
    collect() {
      this.remove()
      const most = keptBytes()
      if (most !== undefined) this.set(most)
    },
  })
}

function fleetMetrics(registry: Registry, { fleet }: GatewayState): void {
  const registers = [registry]
  new Gauge({
    name: 'svc_fleet_gateways',
    help: 'Gateways on the store.',
    registers,
    collect() {
      this.set(fleet.members.length)
    },
  })
  new Gauge({
    name: 'svc_fleet_drift',
    help: 'Whether the gateways on the store differ in their revision or version.',
    labelNames: ['of'],
    registers,
    collect() {
      const drift = driftOf(fleet.members)
      for (const of of ['revision', 'version']) this.set({ of }, drift.some(each => each.of === of) ? 1 : 0)
    },
  })
}
