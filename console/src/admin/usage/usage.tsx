import { useState } from 'preact/hooks'
import type { UsageRecord } from '../../../../src/wire/admin/usage-report.ts'
import { type Bar, Bars } from '../../shared/bars.tsx'
import { Choice } from '../../shared/choice.tsx'
import { count, number, smallUsd, usd } from '../../shared/fmt.ts'
import { query, refine } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded } from '../../shared/states.tsx'
import { daysSince, nameOf, readUsage, SPLITS, type Split, type UsageOfDays } from '../api/usage.ts'
import { Origin } from '../command.tsx'
import * as text from '../texts/usage.tsx'
import { UsageTable } from './usage-table.tsx'
import { Waste } from './waste.tsx'

/** What clients used, by day and in parts, and what failed attempts cost. */
export function Usage() {
  const split = SPLITS.find(each => each === query.value.get('split')) ?? 'model'
  const range = RANGES.find(([name]) => name === query.value.get('days')) ?? RANGES[1]
  const today = new Date()
  const days = range[0] === 'month' ? today.getUTCDate() : Number(range[0])
  const month = today.toISOString().slice(0, 7)
  return (
    <>
      <Header
        title={text.usage}
        aside={
          <div class="filters">
            <select
              aria-label={text.days}
              value={range[0]}
              onChange={event => refine({ days: event.currentTarget.value })}
            >
              {RANGES.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
            <select
              aria-label={text.splitBy}
              value={split}
              onChange={event => refine({ split: event.currentTarget.value })}
            >
              {SPLITS.map(each => (
                <option key={each} value={each}>
                  {text.byPart(each)}
                </option>
              ))}
            </select>
          </div>
        }
      >
        {text.whatAllAccountsUsed}
      </Header>
      <Report key={`${split} ${range[0]}`} split={split} days={days} />
      <Origin
        command={`svcctl usage ${range[0] === 'month' ? `--month ${month}` : `--since ${days}d`} --by ${split}`}
      />
    </>
  )
}

const RANGES = [
  ['7', text.last7Days],
  ['30', text.last30Days],
  ['90', text.last90Days],
  ['month', text.thisMonth],
] as const

function Report({ split, days }: { readonly split: Split; readonly days: number }) {
  const usage = useResource(() => readUsage(days, split), 60_000)
  return (
    <Loaded of={usage}>
      {found =>
        found.groups.data.length === 0 && found.groups.waste.length === 0 ? (
          <Empty fact={text.noRequestYet}>
            <p class="muted">{text.nothingWasUsed(days)}</p>
          </Empty>
        ) : (
          <>
            <Sums usage={found} />
            <Chart usage={found} split={split} days={days} />
            <UsageTable rows={found.groups.data} split={split} days={days} />
            <Waste usage={found} />
          </>
        )
      }
    </Loaded>
  )
}

function Sums({ usage: { groups } }: { readonly usage: UsageOfDays }) {
  const sum = (of: (row: UsageRecord) => number) => groups.data.reduce((all, row) => all + of(row), 0)
  const [input, output] = [sum(row => row.input_tokens), sum(row => row.output_tokens)]
  const wasted = groups.waste.reduce((all, row) => all + row.cost_nano_usd, 0)
  const spend = sum(row => row.cost_nano_usd)
  return (
    <section aria-label={text.sums}>
      <div class="box cells">
        <Cell label={text.spend} figure={usd(spend / 1e9)} note={text.whatClientsWereCharged} />
        <Cell label={text.requests} figure={number(sum(row => row.requests))} note={text.thatWereServed} />
        <Cell label={text.tokens} figure={count(input + output)} note={text.inOut(count(input), count(output))} />
        <Cell label={text.failedAttempts} figure={usd(wasted / 1e9)} note={text.whatTheyCostYou} />
      </div>
    </section>
  )
}

const Cell = ({ label, figure, note }: { readonly label: string; readonly figure: string; readonly note: string }) => (
  <div>
    <p class="muted">{label}</p>
    <p class="figure">{figure}</p>
    <p class="small muted">{note}</p>
  </div>
)

interface Measure {
  readonly of: (row: UsageRecord) => number
  readonly amount: (value: number) => string
  /** Of a scale: whole numbers have no halves of one. */
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

interface ChartProps {
  readonly usage: UsageOfDays
  readonly split: Split
  readonly days: number
}

function Chart({ usage, split, days }: ChartProps) {
  const [chosen, choose] = useState<keyof typeof MEASURES>('spend')
  const { of, ...scale }: Measure = MEASURES[chosen]
  return (
    <section>
      <div class="split end-line">
        <h2>{text.byDay}</h2>
        <Choice label={text.measure} options={OPTIONS} chosen={chosen} onChoose={choose} />
      </div>
      <Bars label={text.byDayAndOfDays(chosen, split, days)} {...barsOf(usage, of)} {...scale} />
    </section>
  )
}

/** A series for each part, the dearest first, and the others last. */
function barsOf({ days: { data, since } }: UsageOfDays, of: Measure['of']) {
  const costs = new Map<string, number>()
  for (const row of data) costs.set(keyOf(row), (costs.get(keyOf(row)) ?? 0) + row.cost_nano_usd)
  const keys = [...costs.keys()].sort(
    (a, b) => Number(a === '') - Number(b === '') || (costs.get(b) ?? 0) - (costs.get(a) ?? 0),
  )
  const series = keys.map(key => nameOf(data.find(row => keyOf(row) === key) as UsageRecord))
  const amounts = new Map(data.map(row => [`${row.group} ${keyOf(row)}`, of(row)]))
  const bars: readonly Bar[] = daysSince(since ?? data[0]?.group ?? '').map(day => ({
    day,
    parts: keys.map(key => amounts.get(`${day} ${key}`) ?? 0),
  }))
  return { series, bars }
}

/** Tells parts from each other; empty for the others. */
const keyOf = ({ groups, others }: UsageRecord): string => (others === undefined ? (groups?.at(-1) ?? '') : '')
