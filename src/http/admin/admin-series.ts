import { poolSeriesOf, seriesOf } from '../../gateway/series/series.ts'
import { invalid } from '../../policy/denial.ts'
import { type ShownPoolSeries, type ShownSeries, shownPoint, shownPoolSeries } from '../../wire/admin/series.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the series endpoint. */
type SeriesApp = Pick<OperatorApp, 'store' | 'clock' | 'recordSeries'>

/**
 * GET /admin/series: requests by outcome, latencies, tokens and spend of all gateways over time; of one model or pool where
 * one is named. This gateway is up to date, others as of 10 s ago at most.
 */
export async function showSeries(app: SeriesApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['minutes', 'step', 'model', 'pool'])
  if ('denial' in query) return call.deny(query.denial)
  const { model, pool } = query
  if (model !== undefined && pool !== undefined)
    return call.deny(invalid('pool', 'goes without model: latencies and counts are kept by model and by pool').denial)
  const read = await readRecords(app, query)
  if ('denial' in read) return call.deny(read.denial)
  const of = { ...(model !== undefined && { model }), ...(pool !== undefined && { pool }) }
  const { points, total, models, pools } = seriesOf(read.records, read.span, of)
  const { at: _, ...sums } = shownPoint(total)
  const data = points.map(shownPoint)
  const shown: ShownSeries = { object: 'series', ...read.shown, total: sums, models, pools, data }
  call.json(200, shown, UNCACHED)
}

/** GET /admin/series/pools: attempts at each pool over time, of all gateways. */
export async function showPoolSeries(app: SeriesApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['minutes', 'step'])
  const read = 'denial' in query ? query : await readRecords(app, query)
  if ('denial' in read) return call.deny(read.denial)
  const pools = poolSeriesOf(read.records, read.span)
  const data = pools.map(({ pool, points, total }) => shownPoolSeries(pool, points, total))
  const shown: ShownPoolSeries = { object: 'list', ...read.shown, data }
  call.json(200, shown, UNCACHED)
}

/** The minutes that a query asks for, and what all gateways counted in them. */
async function readRecords(
  { store, clock, recordSeries }: SeriesApp,
  query: { readonly minutes?: string; readonly step?: string },
) {
  const minutes = wholeIn(query.minutes ?? '60', MOST_MINUTES)
  if (minutes === undefined) return invalid('minutes', `must be a number from 1 to ${MOST_MINUTES}`)
  const step = wholeIn(query.step ?? '1', MOST_STEP)
  if (step === undefined) return invalid('step', `must be a number of minutes from 1 to ${MOST_STEP}`)
  await recordSeries()
  const now = clock.now()
  const until = Math.floor(now / MINUTE) + 1
  // Steps begin at whole multiples, so that the points of two answers are the same.
  const from = Math.floor((until - minutes) / step) * step
  const isoOf = (at: number) => new Date(at).toISOString()
  return {
    span: { from, until, step },
    records: await store.series.read(from),
    shown: {
      from: isoOf(from * MINUTE),
      until: isoOf(until * MINUTE),
      as_of: isoOf(now),
      step_seconds: step * 60,
    },
  }
}

const MINUTE = 60_000
const MOST_MINUTES = 24 * 60
const MOST_STEP = 60
