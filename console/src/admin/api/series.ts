import type { ShownPoolSeries, ShownSeries } from '../../../../src/wire/admin/series.ts'
import { ask } from '../../shared/api.ts'

/** How much of the past is shown, and in steps of how many minutes. */
export const SPANS = { hour: { minutes: 60, step: 1 }, day: { minutes: 1440, step: 5 } } as const
export type Span = keyof typeof SPANS

/** The time series of all models, of one model or of one pool. */
export function readSeries(span: Span, of: { readonly model?: string; readonly pool?: string }): Promise<ShownSeries> {
  const { minutes, step } = SPANS[span]
  return ask(`/admin/series?${new URLSearchParams({ minutes: String(minutes), step: String(step), ...of })}`)
}

/** Attempts of the last hour at each pool of the fleet, in steps of two minutes. */
export const readPoolSeries = () => ask<ShownPoolSeries>('/admin/series/pools?minutes=60&step=2')
