import type { EpochMs, Millis } from '../../policy/config.ts'

/** A point as `GET /admin/series` answers. */
export interface ShownPoint {
  readonly at: string
  readonly requests: number
  readonly served: number
  readonly refused: number
  readonly failed: number
  readonly left: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_nano_usd: number
  /** Null where there was nothing to measure. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly first_token_p50_ms: number | null
  readonly first_token_p95_ms: number | null
}

export interface ShownSeries {
  readonly object: 'series'
  readonly from: string
  readonly until: string
  /** When it was read: what is left of the last step. */
  readonly as_of: string
  readonly step_seconds: number
  readonly total: Omit<ShownPoint, 'at'>
  readonly models: readonly ShownSeriesName[]
  readonly pools: readonly ShownSeriesName[]
  /** A point for each step, oldest first. The last one is not over. */
  readonly data: readonly ShownPoint[]
}

/** Attempts at each pool over time, as `GET /admin/series/pools` answers. */
export interface ShownPoolSeries extends Omit<ShownSeries, 'object' | 'total' | 'models' | 'pools' | 'data'> {
  readonly object: 'list'
  /** Those with attempts, the most first. */
  readonly data: readonly ShownPool[]
}

interface ShownPool {
  readonly pool: string
  readonly total: PoolSums
  /** One for each step, oldest first. The last one is not over. */
  readonly points: readonly Pick<ShownPoint, 'at' | 'requests' | 'failed'>[]
}

/** Attempts, those that failed, and how long they and their first tokens took. */
type PoolSums = Pick<
  ShownPoint,
  'requests' | 'failed' | 'p50_ms' | 'p95_ms' | 'first_token_p50_ms' | 'first_token_p95_ms'
>

export interface ShownSeriesName {
  readonly name: string
  /** Of a pool, attempts. */
  readonly requests: number
  readonly failed: number
}

/** What happened in some time. A pool has attempts in place of requests, and neither tokens nor spend. */
export interface SeriesPoint {
  readonly at: EpochMs
  readonly requests: number
  readonly served: number
  /** By a limit, a plan or a wrong request: status 4xx. */
  readonly refused: number
  /** Status 5xx; of a pool, attempts that failed. */
  readonly failed: number
  /** The client left before its answer. */
  readonly left: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly nanoUsd: number
  /** Estimated from buckets, as Prometheus does it; undefined where there was nothing to measure. */
  readonly p50: Millis | undefined
  readonly p95: Millis | undefined
  readonly firstP50: Millis | undefined
  readonly firstP95: Millis | undefined
}

export function shownPoint({
  at,
  inputTokens,
  outputTokens,
  nanoUsd,
  p50,
  p95,
  firstP50,
  firstP95,
  ...counts
}: SeriesPoint): ShownPoint {
  return {
    at: new Date(at).toISOString(),
    ...counts,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_nano_usd: nanoUsd,
    p50_ms: p50 ?? null,
    p95_ms: p95 ?? null,
    first_token_p50_ms: firstP50 ?? null,
    first_token_p95_ms: firstP95 ?? null,
  }
}

/** The points of a pool, for a chart as small as a word. */
export function shownPoolSeries(pool: string, points: readonly SeriesPoint[], total: SeriesPoint): ShownPool {
  const { requests, failed, p50_ms, p95_ms, first_token_p50_ms, first_token_p95_ms } = shownPoint(total)
  return {
    pool,
    total: { requests, failed, p50_ms, p95_ms, first_token_p50_ms, first_token_p95_ms },
    points: points.map(point => ({
      at: new Date(point.at).toISOString(),
      requests: point.requests,
      failed: point.failed,
    })),
  }
}
