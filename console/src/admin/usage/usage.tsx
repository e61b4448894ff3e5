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
        title="Usage"
        aside={
          <div class="filters">
            <select aria-label="Days" value={range[0]} onChange={event => refine({ days: event.currentTarget.value })}>
              {RANGES.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
            <select
              aria-label="Split by"
              value={split}
              onChange={event => refine({ split: event.currentTarget.value })}
            >
              {SPLITS.map(each => (
                <option key={each} value={each}>
                  By {each}
                </option>
              ))}
            </select>
          </div>
        }
      >
        What all accounts used. Days are UTC and whole.
      </Header>
      <Report key={`${split} ${range[0]}`} split={split} days={days} />
      <Origin
        command={`svcctl usage ${range[0] === 'month' ? `--month ${month}` : `--since ${days}d`} --by ${split}`}
      />
    </>
  )
}

const RANGES = [
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['month', 'This month'],
] as const

function Report({ split, days }: { readonly split: Split; readonly days: number }) {
  const usage = useResource(() => readUsage(days, split), 60_000)
  return (
    <Loaded of={usage}>
      {found =>
        found.groups.data.length === 0 && found.groups.waste.length === 0 ? (
          <Empty fact="No request yet">
            <p class="muted">Nothing was used in these {days} days.</p>
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
    <section aria-label="Sums">
      <div class="box cells">
        <Cell label="Spend" figure={usd(spend / 1e9)} note="what clients were charged" />
        <Cell label="Requests" figure={number(sum(row => row.requests))} note="that were served" />
        <Cell label="Tokens" figure={count(input + output)} note={`${count(input)} in, ${count(output)} out`} />
        <Cell label="Failed attempts" figure={usd(wasted / 1e9)} note="what they cost you, and no client" />
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
  ['spend', 'Spend'],
  ['requests', 'Requests'],
  ['tokens', 'Tokens'],
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
        <h2>By day</h2>
        <Choice label="Measure" options={OPTIONS} chosen={chosen} onChoose={choose} />
      </div>
      <Bars
        label={`${chosen} by day and ${split}, of ${days} days; the table below has the sums`}
        {...barsOf(usage, of)}
        {...scale}
      />
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
