import { useState } from 'preact/hooks'
import type { UsageRecord, UsageReport } from '../../../../src/wire/admin/usage-report.ts'
import { type Bar, Bars } from '../../shared/bars.tsx'
import { Choice } from '../../shared/choice.tsx'
import { count, smallUsd } from '../../shared/fmt.ts'
import { keyOf, MOST_PARTS, nameOf, type Split, timesSince } from '../api/usage.ts'
import * as text from '../texts/usage.tsx'

interface Measure {
  readonly of: (row: UsageRecord) => number
  readonly amount: (value: number) => string
  /** The least top of a scale: whole numbers have no halves of one. */
  readonly least?: number
}

const MEASURES = {
  spend: { of: ({ cost_nano_usd }) => cost_nano_usd / 1e9, amount: smallUsd },
  requests: { of: ({ requests }) => requests, amount: count, least: 2 },
  tokens: { of: ({ input_tokens, output_tokens }) => input_tokens + output_tokens, amount: count, least: 2 },
} as const satisfies Readonly<Record<string, Measure>>

const OPTIONS = [
  ['spend', text.spend],
  ['requests', text.requests],
  ['tokens', text.tokens],
] as const

interface UsageChartProps {
  readonly title: string
  /** The bars, by day or hour and by the split. */
  readonly usage: UsageReport
  readonly split: Split
}

/** Usage of days or hours as bars, in spend, requests or tokens. */
export function UsageChart({ title, usage, split }: UsageChartProps) {
  const [chosen, choose] = useState<keyof typeof MEASURES>('spend')
  const { of, ...scale }: Measure = MEASURES[chosen]
  return (
    <section>
      <div class="split end-line">
        <h2>{title}</h2>
        <Choice label={text.measure} options={OPTIONS} chosen={chosen} onChoose={choose} />
      </div>
      <Bars label={text.chartLabel(title, chosen, split)} {...barsOf(usage, of)} {...scale} />
    </section>
  )
}

/** A series for each part, the dearest first, and the others last. */
function barsOf({ data, since, zone = 'UTC' }: UsageReport, of: Measure['of']) {
  const costs = new Map<string, number>()
  for (const row of data) costs.set(keyOf(row), (costs.get(keyOf(row)) ?? 0) + row.cost_nano_usd)
  const named = [...costs.keys()].filter(Boolean).sort((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0))
  const shown = named.slice(0, MOST_PARTS)
  const others = named.length - shown.length + (data.find(row => row.others !== undefined)?.others ?? 0)
  const series = shown.map(key => nameOf(data.find(row => keyOf(row) === key) as UsageRecord))
  const times = timesSince(since ?? data[0]?.group ?? '', zone)
  const bars = new Map(times.map(at => [at, Array.from({ length: shown.length + Number(others > 0) }, () => 0)]))
  for (const row of data) {
    const parts = bars.get(row.group)
    const place = shown.indexOf(keyOf(row))
    const at = place === -1 ? shown.length : place
    if (parts) parts[at] = (parts[at] ?? 0) + of(row)
  }
  return {
    series: [...series, ...(others > 0 ? [text.others(others)] : [])],
    bars: Array.from(bars, ([at, parts]): Bar => ({ at, parts })),
  }
}
