import type { EpochMs, Millis } from '../../policy/config.ts'
import type { SeriesPoint } from '../../wire/admin/series.ts'
import type { Minute, SeriesRecord } from '../store/series-store.ts'
import { DURATIONS, FIRST_TOKENS, quantileOf } from './buckets.ts'
import {
  add,
  bucketsOf,
  type Counts,
  MODEL_FIELDS,
  MODEL_LENGTH,
  NOTHING,
  POOL_FIELDS,
  POOL_LENGTH,
  readCounts,
} from './counts.ts'

/** The source of the numbers: one model, one pool, or all models if both are absent. */
export type SeriesOf = { readonly model?: string; readonly pool?: string }

export interface Series {
  /** A point for each step, also where nothing happened, oldest first. */
  readonly points: readonly SeriesPoint[]
  readonly total: SeriesPoint
  /** All that were counted in this time, those with the most requests first. */
  readonly models: readonly SeriesName[]
  /** With attempts as requests. */
  readonly pools: readonly SeriesName[]
}

export interface SeriesName {
  readonly name: string
  readonly requests: number
  readonly failed: number
}

export interface SeriesSpan {
  readonly from: Minute
  /** The first minute after it. */
  readonly until: Minute
  /** Minutes of one point. */
  readonly step: number
}

/** Adds up what the gateways of a store counted. */
export function seriesOf(records: readonly SeriesRecord[], span: SeriesSpan, of: SeriesOf = {}): Series {
  const steps = stepsOf(records, span)
  const all = steps.reduce(add, NOTHING)
  return {
    ...pointsOf(steps, all, span, of),
    models: namesOf(
      all.models,
      counts => sum(counts.slice(0, MODEL_FIELDS.indexOf('input'))),
      MODEL_FIELDS.indexOf('failed'),
    ),
    pools: namesOf(all.pools, counts => sum(counts.slice(0, POOL_FIELDS.length)), POOL_FIELDS.indexOf('failed')),
  }
}

/** Attempts at one pool over time. */
export interface PoolSeries extends Pick<Series, 'points' | 'total'> {
  readonly pool: string
}

/** The series of each pool with attempts in this time, those with the most first. */
export function poolSeriesOf(records: readonly SeriesRecord[], span: SeriesSpan): readonly PoolSeries[] {
  const steps = stepsOf(records, span)
  const all = steps.reduce(add, NOTHING)
  return [...all.pools.keys()]
    .map(pool => ({ pool, ...pointsOf(steps, all, span, { pool }) }))
    .filter(({ total }) => total.requests > 0)
    .sort((a, b) => b.total.requests - a.total.requests || (a.pool < b.pool ? -1 : 1))
}

const pointsOf = (steps: readonly Counts[], all: Counts, { from, step }: SeriesSpan, of: SeriesOf) => ({
  points: steps.map((counts, index) => pointOf(counts, from + index * step, of)),
  total: pointOf(all, from, of),
})

/** All gateways' counts in each step. */
function stepsOf(records: readonly SeriesRecord[], { from, until, step }: SeriesSpan): readonly Counts[] {
  const steps = Array.from({ length: Math.ceil((until - from) / step) }, () => NOTHING)
  for (const { minute, counts } of records) {
    if (minute < from || minute >= until) continue
    const index = Math.floor((minute - from) / step)
    steps[index] = add(steps[index] ?? NOTHING, readCounts(counts))
  }
  return steps
}

function pointOf(counts: Counts, minute: Minute, { model, pool }: SeriesOf): SeriesPoint {
  const at = minute * MINUTE
  if (pool !== undefined) return poolPoint(at, counts.pools.get(pool) ?? new Array<number>(POOL_LENGTH).fill(0))
  const cells = model === undefined ? [...counts.models.values()] : [counts.models.get(model) ?? []]
  const cell = Array.from({ length: MODEL_LENGTH }, (_, index) => sum(cells.map(each => each[index] ?? 0)))
  const [served = 0, refused = 0, failed = 0, left = 0, inputTokens = 0, outputTokens = 0, nanoUsd = 0] = cell
  const requests = served + refused + failed + left
  return {
    at,
    requests,
    served,
    refused,
    failed,
    left,
    inputTokens,
    outputTokens,
    nanoUsd,
    ...times(cell, MODEL_FIELDS.length),
  }
}

function poolPoint(at: EpochMs, cell: readonly number[]): SeriesPoint {
  const [served = 0, failed = 0] = cell
  const none = { refused: 0, left: 0, inputTokens: 0, outputTokens: 0, nanoUsd: 0 }
  return { at, requests: served + failed, served, failed, ...none, ...times(cell, POOL_FIELDS.length) }
}

function times(cell: readonly number[], fields: number): Pick<SeriesPoint, 'p50' | 'p95' | 'firstP50' | 'firstP95'> {
  const [durations, firstTokens] = bucketsOf(cell, fields)
  const ms = (share: number, counts: readonly number[], bounds: readonly number[]) => {
    const seconds = quantileOf(share, counts, bounds)
    return seconds === undefined ? undefined : seconds * 1000
  }
  return {
    p50: ms(0.5, durations, DURATIONS),
    p95: ms(0.95, durations, DURATIONS),
    firstP50: ms(0.5, firstTokens, FIRST_TOKENS),
    firstP95: ms(0.95, firstTokens, FIRST_TOKENS),
  }
}

function namesOf(
  cells: ReadonlyMap<string, readonly number[]>,
  requestsIn: (counts: readonly number[]) => number,
  failed: number,
): readonly SeriesName[] {
  return Array.from(cells, ([name, counts]) => ({ name, requests: requestsIn(counts), failed: counts[failed] ?? 0 }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1))
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const MINUTE: Millis = 60_000
