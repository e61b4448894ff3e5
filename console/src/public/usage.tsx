import type { OwnUsage } from '../../../src/wire/account/own-usage.ts'
import { ask } from '../shared/api.ts'
import { type Bar, Bars } from '../shared/bars.tsx'
import { count, smallUsd, usd } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { Empty, Loaded } from '../shared/states.tsx'
import { texts } from './texts.tsx'

/** What the account spent in 30 days, by day and by model. */
export function Usage() {
  const usage = useResource<OwnUsage>(() => ask('/billing/usage?days=30'), 60_000)
  return (
    <Loaded of={usage}>
      {data =>
        data.data.length === 0 ? (
          <Empty fact={text.none}>
            <p class="muted">{text.noneYet}</p>
          </Empty>
        ) : (
          <Spend usage={data} />
        )
      }
    </Loaded>
  )
}

function Spend({ usage }: { readonly usage: OwnUsage }) {
  const models = byModel(usage)
  const named = models.slice(0, models.length > MOST_SERIES ? MOST_SERIES - 1 : MOST_SERIES).map(({ model }) => model)
  const series = models.length > named.length ? [...named, text.others] : named
  return (
    <>
      <section>
        <h2>{text.spend}</h2>
        <Bars label={text.spendByDay} series={series} bars={barsOf(usage, named, series.length)} amount={smallUsd} />
      </section>
      <section>
        <h2>{text.byModel}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section class="box scroll table" aria-label={text.ofModels} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {[text.model, text.requests, text.input, text.output, text.cost].map((name, at) => (
                  <th key={name} scope="col" class={at === 0 ? '' : 'num'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {models.map(({ model, requests, input, output, nanoUsd }) => (
                <tr key={model}>
                  <td>
                    <code>{model}</code>
                  </td>
                  <td class="num">{count(requests)}</td>
                  <td class="num">{count(input)}</td>
                  <td class="num">{count(output)}</td>
                  <td class="num">{usd(nanoUsd / 1e9)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </section>
    </>
  )
}

const MOST_SERIES = 6

interface ModelSum {
  readonly model: string
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly nanoUsd: number
}

/** Integers are added up, the dearest model first. */
function byModel({ data }: OwnUsage): readonly ModelSum[] {
  const sums = new Map<string, ModelSum>()
  for (const { model, requests, input_tokens, output_tokens, cost_nano_usd } of data) {
    const sum = sums.get(model) ?? { model, requests: 0, input: 0, output: 0, nanoUsd: 0 }
    sums.set(model, {
      model,
      requests: sum.requests + requests,
      input: sum.input + input_tokens,
      output: sum.output + output_tokens,
      nanoUsd: sum.nanoUsd + cost_nano_usd,
    })
  }
  return [...sums.values()].sort((a, b) => b.nanoUsd - a.nanoUsd)
}

/** A bar for each day, also for those without a request. */
function barsOf({ since, days, data }: OwnUsage, named: readonly string[], series: number): readonly Bar[] {
  const bars = Array.from({ length: days }, (_, at) => ({
    day: new Date(Date.parse(since) + at * DAY_MS).toISOString().slice(0, 10),
    parts: Array.from({ length: series }, () => 0),
  }))
  const found = new Map(bars.map(bar => [bar.day, bar]))
  for (const { day, model, cost_nano_usd } of data) {
    const parts = found.get(day)?.parts
    const at = named.includes(model) ? named.indexOf(model) : series - 1
    if (parts) parts[at] = (parts[at] ?? 0) + cost_nano_usd / 1e9
  }
  return bars
}

const DAY_MS = 86_400_000

const text = texts.usage
