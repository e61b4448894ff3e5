import { useState } from 'preact/hooks'
import type { ShownPoint, ShownSeries } from '../../../../src/wire/admin/series.ts'
import { count, smallUsd, wait } from '../../shared/fmt.ts'
import { query, refine } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Loaded } from '../../shared/states.tsx'
import { readSeries, type Span } from '../api/series.ts'
import { latencyText, msText } from '../latency.ts'
import * as text from '../texts/outlook.tsx'
import { Chart } from './chart.tsx'

/** Requests, latencies, tokens and spend of the last hour or day: of all, or of the model or pool that the address names. */
export function Series() {
  const span: Span = query.value.get('span') === 'day' ? 'day' : 'hour'
  const [model, pool] = [query.value.get('model'), query.value.get('pool')]
  return <SeriesOf key={`${span} ${model} ${pool}`} span={span} model={model} pool={pool} />
}

interface SeriesProps {
  readonly span: Span
  readonly model: string | null
  readonly pool: string | null
}

function SeriesOf({ span, model, pool }: SeriesProps) {
  const of = pool !== null ? { pool } : { ...(model !== null && { model }) }
  const series = useResource(() => readSeries(span, of), LOOK_MS)
  return (
    <section class="stack" aria-label={text.series}>
      <div class="row controls">
        <select
          aria-label={text.span}
          value={span}
          onChange={({ currentTarget: { value } }) => refine({ span: value === 'day' ? value : undefined })}
        >
          <option value="hour">{text.lastHour}</option>
          <option value="day">{text.lastDay}</option>
        </select>
        <Choice of={series.data} model={model} pool={pool} />
      </div>
      <Loaded of={series}>{data => <Charts series={data} isPool={pool !== null} />}</Loaded>
    </section>
  )
}

/** Which model or pool: those with traffic, and the one that the address names. */
function Choice({ of, model, pool }: Pick<SeriesProps, 'model' | 'pool'> & { readonly of: ShownSeries | undefined }) {
  const models = namesOf(of?.models, model)
  const pools = namesOf(of?.pools, pool)
  const chosen = pool !== null ? `pool ${pool}` : model !== null ? `model ${model}` : ''
  const choose = (value: string) => {
    const [kind, name] = [value.slice(0, value.indexOf(' ')), value.slice(value.indexOf(' ') + 1)]
    refine({ model: kind === 'model' ? name : undefined, pool: kind === 'pool' ? name : undefined })
  }
  return (
    <select aria-label={text.modelOrPool} value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
      <option value="">{text.allModels}</option>
      {[...models.map(name => ['model', name] as const), ...pools.map(name => ['pool', name] as const)].map(
        ([kind, name]) => (
          <option key={`${kind} ${name}`} value={`${kind} ${name}`}>
            {text.kinds[kind]} {name}
          </option>
        ),
      )}
    </select>
  )
}

const namesOf = (known: ShownSeries['models'] = [], chosen: string | null): readonly string[] => [
  ...new Set([...known.map(({ name }) => name), ...(chosen === null ? [] : [chosen])]),
]

function Charts({ series, isPool }: { readonly series: ShownSeries; readonly isPool: boolean }) {
  const [pointed, point] = useState<number>()
  const { data, step_seconds: step, total } = series
  const perMinute = (value: number) => (value * 60) / step
  // The last step is not over: it would look as if traffic broke off.
  const points = data.slice(0, -1)
  const blank = points.some(({ requests }) => requests > 0) ? '' : blankText(series, isPool)
  const shared = { points, pointed, point, blank }
  const lines = (p50: TimeField, p95: TimeField) => [
    { name: text.p50, tone: 'series-1', of: (each: ShownPoint) => each[p50] },
    { name: text.p95, tone: 'series-2', of: (each: ShownPoint) => each[p95] },
  ]
  return (
    <div class="charts">
      <Chart
        {...shared}
        title={isPool ? text.attemptsAMinute : text.requestsAMinuteTitle}
        headline={text.inAll(count(total.requests))}
        isStacked
        lines={[
          { name: text.served, tone: 'series-1', of: ({ served }) => perMinute(served) },
          { name: text.refused, tone: 'series-5', of: ({ refused }) => perMinute(refused) },
          { name: text.failed, tone: 'bad', of: ({ failed }) => perMinute(failed) },
          { name: text.left, tone: 'series-6', of: ({ left }) => perMinute(left) },
        ]}
        amount={count}
      />
      <Chart
        {...shared}
        title={text.latency}
        headline={text.p95Is(latencyText(total.p95_ms))}
        lines={lines('p50_ms', 'p95_ms')}
        amount={msText}
      />
      <Chart
        {...shared}
        title={text.firstToken}
        headline={text.p95Is(latencyText(total.first_token_p95_ms))}
        lines={lines('first_token_p50_ms', 'first_token_p95_ms')}
        blank={blank || text.noStreams}
        amount={msText}
      />
      {!isPool && (
        <Chart
          {...shared}
          title={text.tokensAMinute}
          headline={text.inAll(count(total.input_tokens + total.output_tokens))}
          isStacked
          lines={[
            { name: text.inputTokens, tone: 'series-3', of: each => perMinute(each.input_tokens) },
            { name: text.outputTokens, tone: 'series-4', of: each => perMinute(each.output_tokens) },
          ]}
          amount={count}
        />
      )}
      {!isPool && (
        <Chart
          {...shared}
          title={text.spendAnHour}
          headline={text.inAll(smallUsd(total.cost_nano_usd / 1e9))}
          isStacked
          lines={[{ name: text.spend, tone: 'series-1', of: each => (each.cost_nano_usd * 3600) / step / 1e9 }]}
          amount={smallUsd}
        />
      )}
    </div>
  )
}

/** Why charts are blank: there was no request, or the first step is not over. */
function blankText({ data, as_of, step_seconds: step }: ShownSeries, isPool: boolean): string {
  const running = data.at(-1)
  if (!running || running.requests === 0) return isPool ? text.noAttempts : text.noRequests
  return text.firstPointIn(wait(Date.parse(running.at) + step * 1000 - Date.parse(as_of)))
}

type TimeField = 'p50_ms' | 'p95_ms' | 'first_token_p50_ms' | 'first_token_p95_ms'

const LOOK_MS = 10_000
