import { seriesOf } from '../../gateway/series/series.ts'
import { invalid } from '../../policy/denial.ts'
import { type ShownSeries, shownPoint } from '../../wire/admin/series.ts'
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
export async function showSeries({ store, clock, recordSeries }: SeriesApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['minutes', 'step', 'model', 'pool'])
  if ('denial' in query) return call.deny(query.denial)
  const minutes = wholeIn(query.minutes ?? '60', MOST_MINUTES)
  if (minutes === undefined) return call.deny(invalid('minutes', `must be a number from 1 to ${MOST_MINUTES}`).denial)
  const step = wholeIn(query.step ?? '1', MOST_STEP)
  if (step === undefined) return call.deny(invalid('step', `must be a number of minutes from 1 to ${MOST_STEP}`).denial)
  const { model, pool } = query
  if (model !== undefined && pool !== undefined)
    return call.deny(invalid('pool', 'goes without model: latencies and counts are kept by model and by pool').denial)
  await recordSeries()
  const until = Math.floor(clock.now() / MINUTE) + 1
  // Steps begin at whole multiples, so that the points of two answers are the same.
  const from = Math.floor((until - minutes) / step) * step
  const records = await store.series.read(from)
  const of = { ...(model !== undefined && { model }), ...(pool !== undefined && { pool }) }
  const { points, total, models, pools } = seriesOf(records, { from, until, step }, of)
  const { at: _, ...sums } = shownPoint(total)
  const shown: ShownSeries = {
    object: 'series',
    from: new Date(from * MINUTE).toISOString(),
    until: new Date(until * MINUTE).toISOString(),
    step_seconds: step * 60,
    total: sums,
    models,
    pools,
    data: points.map(shownPoint),
  }
  call.json(200, shown, UNCACHED)
}

const MINUTE = 60_000
const MOST_MINUTES = 24 * 60
const MOST_STEP = 60
