import type { ShownPoolSeries } from '../../../src/wire/admin/series.ts'
import { count } from '../shared/fmt.ts'
import { State } from '../shared/state.tsx'
import { latencyText } from './latency.ts'
import * as text from './texts/pools.tsx'

type PoolSeries = ShownPoolSeries['data'][number]

/** The last hour of a pool, at all gateways: attempts over time, how many failed, and p50 and p95 of how long they took. */
export function PoolHour({ series }: { readonly series: PoolSeries }) {
  const { requests, failed, p50_ms, p95_ms, first_token_p50_ms, first_token_p95_ms } = series.total
  const tone = failed / requests >= BAD_SHARE ? 'bad' : failed > 0 ? 'warn' : 'ok'
  return (
    <span class="hour">
      <Sparkline series={series} />
      <span>
        <State tone={tone}>{text.failedShare(shareText(failed / requests))}</State>
        <p class="small" title={text.firstTokens(latencyText(first_token_p50_ms), latencyText(first_token_p95_ms))}>
          {text.latency(latencyText(p50_ms), latencyText(p95_ms))}
        </p>
      </span>
    </span>
  )
}

/** A pool's hour in words, where there is no room for columns. */
export const hourText = ({ total: { requests, failed, p95_ms } }: PoolSeries): string =>
  text.hourOf(count(requests), shareText(failed / requests), latencyText(p95_ms))

/** Bars of attempts, those that failed on top. */
function Sparkline({ series: { total, points } }: { readonly series: PoolSeries }) {
  // The last step is not over.
  const steps = points.slice(0, -1)
  const most = Math.max(1, ...steps.map(({ requests }) => requests))
  const height = (value: number) => (value / most) * HEIGHT
  const bar = (at: number, below: number, value: number) =>
    value > 0 ? `M${at},${HEIGHT - height(below)}v${-height(value)}h.8v${height(value)}z` : ''
  const label = text.attemptsOfTheHour(count(total.requests), count(total.failed))
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${steps.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="series-1" d={steps.map(({ requests, failed }, at) => bar(at, 0, requests - failed)).join('')} />
      <path class="failed" d={steps.map(({ requests, failed }, at) => bar(at, requests - failed, failed)).join('')} />
    </svg>
  )
}

const HEIGHT = 20
/** A fraction of attempts. */
const BAD_SHARE = 0.05

/** `0.4%`; never 0 where some failed. */
function shareText(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.1) return text.percent('<0.1')
  return text.percent(count(percent))
}
