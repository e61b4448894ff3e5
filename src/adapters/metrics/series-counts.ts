import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Failures } from '../../gateway/incidents.ts'
import { DURATIONS, FIRST_TOKENS } from '../../gateway/series/buckets.ts'
import {
  type Counts,
  MODEL_FIELDS,
  MODEL_LENGTH,
  type ModelField,
  POOL_FIELDS,
  POOL_LENGTH,
  type PoolField,
} from '../../gateway/series/counts.ts'
import type { Counted } from './merged.ts'

/** The counts of a gateway's models and pools in its metrics: the time series are made of the numbers of `/metrics`. */
export function countsOfMetrics(counted: Counted): Counts {
  const models = new Cells(MODEL_LENGTH)
  const pools = new Cells(POOL_LENGTH)
  for (const metric of counted) {
    const read = READERS[metric.name]
    if (!read) continue
    for (const value of metric.values as readonly Sample[]) read(models, pools, value)
  }
  return { models: models.all, pools: pools.all }
}

/** Failures since the gateway started, from the same metrics. */
export function failuresOf(counted: Counted): Failures {
  const { models, pools } = countsOfMetrics(counted)
  let requests = 0
  for (const cells of models.values()) requests += cells[modelField('failed')] ?? 0
  const attempts = new Map<string, number>()
  for (const [pool, cells] of pools) attempts.set(pool, cells[poolField('failed')] ?? 0)
  return { requests, attempts }
}

type Sample = MetricValue<string> & { readonly metricName?: string }
type Reader = (models: Cells, pools: Cells, sample: Sample) => void

/** Readers by metric name. */
const READERS: Readonly<Record<string, Reader | undefined>> = {
  svc_requests_total: (models, _pools, { labels, value }) =>
    models.add(labelOf(labels.model), modelField(outcomeOf(Number(labels.code))), value),
  svc_tokens_total: charged(1),
  svc_tokens_returned_total: charged(-1),
  svc_spend_usd_total: spent(1),
  svc_spend_returned_usd_total: spent(-1),
  svc_upstream_attempts_total: (_models, pools, { labels, value }) => {
    // An attempt that its client left says nothing of the pool.
    if (labels.outcome === 'left') return
    pools.add(labelOf(labels.pool), poolField(labels.outcome === 'ok' ? 'ok' : 'failed'), value)
  },
  svc_request_duration_seconds: observed(DURATIONS, 0),
  svc_time_to_first_token_seconds: observed(FIRST_TOKENS, DURATIONS.length + 1),
}

function charged(sign: 1 | -1): Reader {
  return (models, _pools, { labels, value }) => {
    if (labels.type === 'input' || labels.type === 'output')
      models.add(labelOf(labels.model), modelField(labels.type), sign * value)
  }
}

function spent(sign: 1 | -1): Reader {
  return (models, _pools, { labels, value }) =>
    models.add(labelOf(labels.model), modelField('nanoUsd'), sign * Math.round(value * NANO))
}

/** Buckets say how many are in them and below: each count goes to its own bucket, and is taken from the next one. */
function observed(bounds: readonly number[], offset: number): Reader {
  return (models, pools, { labels, value, metricName }) => {
    if (!metricName?.endsWith('_bucket')) return
    const index = bounds.indexOf(Number(labels.le))
    const bucket = offset + (index === -1 ? bounds.length : index)
    const isLast = index === -1
    const into = (cells: Cells, name: string, first: number) => {
      cells.add(name, first + bucket, value)
      if (!isLast) cells.add(name, first + bucket + 1, -value)
    }
    into(models, labelOf(labels.model), MODEL_FIELDS.length)
    if (labels.pool !== NO_POOL) into(pools, labelOf(labels.pool), POOL_FIELDS.length)
  }
}

/** Numbers by name, all of the same length. */
class Cells {
  readonly #length: number
  readonly #cells = new Map<string, number[]>()

  constructor(length: number) {
    this.#length = length
  }

  get all(): ReadonlyMap<string, readonly number[]> {
    return this.#cells
  }

  add(name: string, index: number, amount: number): void {
    const cell = this.#cells.get(name) ?? new Array<number>(this.#length).fill(0)
    this.#cells.set(name, cell)
    cell[index] = (cell[index] ?? 0) + amount
  }
}

function outcomeOf(status: number): ModelField {
  if (status === 499) return 'left'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'served'
}

const modelField = (field: ModelField): number => MODEL_FIELDS.indexOf(field)
const poolField = (field: PoolField): number => POOL_FIELDS.indexOf(field)
const labelOf = (label: string | number | undefined): string => String(label ?? '')

/** The label of a request that no pool answered. */
export const NO_POOL = 'none'
const NANO = 1e9

/** The metrics of several registries, as JSON. */
export const jsonOf = async (
  registries: readonly { getMetricsAsJSON(): Promise<unknown> }[],
): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]> =>
  (await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))).flat() as MetricObjectWithValues<
    MetricValue<string>
  >[]
