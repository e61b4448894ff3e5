import { poolSeriesOf, seriesOf } from '../../gateway/series/series.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type ShownPoolSeries, type ShownSeries, shownPoint, shownPoolSeries } from '../../wire/admin/series.ts'
import type * as calls from '../../wire/admin-api/usage.ts'
import type { Asked } from './declared.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the series endpoint. */
type SeriesApp = Pick<OperatorApp, 'store' | 'clock' | 'recordSeries'>

/**
 * GET /admin/series: requests by outcome, latencies, tokens and spend of all gateways over time; of one model or pool where
 * one is named. This gateway is up to date, others as of 10 s ago at most.
 */
export async function showSeries(
  app: SeriesApp,
  { query: { model, pool, ...span } }: Asked<typeof calls.showSeries>,
): Promise<ShownSeries | Denied> {
  if (model !== undefined && pool !== undefined)
    return invalid('pool', 'cannot be combined with model: latencies and counts are kept per model or per pool')
  const read = await readRecords(app, span)
  const of = { ...(model !== undefined && { model }), ...(pool !== undefined && { pool }) }
  const { points, total, models, pools } = seriesOf(read.records, read.span, of)
  const { at: _, ...sums } = shownPoint(total)
  const data = points.map(shownPoint)
  return { object: 'series', ...read.shown, total: sums, models, pools, data }
}

/** GET /admin/series/pools: attempts at each pool over time, of all gateways. */
export async function showPoolSeries(
  app: SeriesApp,
  { query }: Asked<typeof calls.showPoolSeries>,
): Promise<ShownPoolSeries> {
  const read = await readRecords(app, query)
  const pools = poolSeriesOf(read.records, read.span)
  const data = pools.map(({ pool, points, total }) => shownPoolSeries(pool, points, total))
  return { object: 'list', ...read.shown, data }
}

/** The minutes that a query asks for, and what all gateways counted in them. */
async function readRecords(
  { store, clock, recordSeries }: SeriesApp,
  { minutes, step }: { readonly minutes: number; readonly step: number },
) {
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
