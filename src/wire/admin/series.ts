import type { EpochMs, Millis } from '../../policy/config.ts'
import { fixed, list, moment, number, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

const SUMS = {
  requests: whole('Requests; attempts for a pool.'),
  served: whole(),
  refused: whole(),
  failed: whole(),
  left: whole('The client left before its answer.'),
  input_tokens: whole(),
  output_tokens: whole(),
  cost_nano_usd: whole(),
  p50_ms: orNull(number('Null, like the next ones, if there was nothing to measure.')),
  p95_ms: orNull(number()),
  first_token_p50_ms: orNull(number()),
  first_token_p95_ms: orNull(number()),
}

/** A point as `GET /admin/series` answers. */
const POINT = record({ at: moment(), ...SUMS }, 'SeriesPoint')

export interface ShownPoint extends TypeOf<typeof POINT> {}

const SERIES_NAME = record(
  { name: text(), requests: whole('Requests; attempts for a pool.'), failed: whole() },
  'SeriesName',
)

export const SERIES = record({
  object: fixed('series'),
  from: moment(),
  until: moment(),
  as_of: moment('When it was read: what is left of the last step.'),
  step_seconds: whole(),
  total: record(SUMS, 'SeriesSums'),
  models: list(SERIES_NAME),
  pools: list(SERIES_NAME),
  data: list(POINT, 'One point per step, oldest first. The last step is incomplete.'),
})

export interface ShownSeries extends TypeOf<typeof SERIES> {}

const POOL_SERIES_ROW = record(
  {
    pool: text(),
    total: record({
      requests: whole('Attempts.'),
      failed: whole(),
      p50_ms: orNull(number()),
      p95_ms: orNull(number()),
      first_token_p50_ms: orNull(number()),
      first_token_p95_ms: orNull(number()),
    }),
    points: list(
      record({ at: moment(), requests: whole(), failed: whole() }),
      'One per step, oldest first. The last step is incomplete.',
    ),
  },
  'PoolSeries',
)

type ShownPool = TypeOf<typeof POOL_SERIES_ROW>

/** Attempts at each pool over time. */
export const POOL_SERIES = record({
  object: fixed('list'),
  from: moment(),
  until: moment(),
  as_of: moment('When it was read: what is left of the last step.'),
  step_seconds: whole(),
  data: list(POOL_SERIES_ROW, 'Pools with attempts, most attempts first.'),
})

export interface ShownPoolSeries extends TypeOf<typeof POOL_SERIES> {}

/** The counts of a span of time. A pool has attempts in place of requests, and neither tokens nor spend. */
export interface SeriesPoint {
  readonly at: EpochMs
  readonly requests: number
  readonly served: number
  /** Refused by a limit or a plan, or invalid: status 4xx. */
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
