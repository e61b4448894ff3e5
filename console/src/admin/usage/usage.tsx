import type { UsageRecord } from '../../../../src/wire/admin/usage-report.ts'
import { count, number, usd } from '../../shared/fmt.ts'
import { query, refine } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded } from '../../shared/states.tsx'
import { HOURS, readDays, readHours, SPLITS, type Split, type UsageOfRange } from '../api/usage.ts'
import { Origin } from '../command.tsx'
import * as text from '../texts/usage.tsx'
import { UsageChart } from './usage-chart.tsx'
import { UsageTable } from './usage-table.tsx'
import { Waste } from './waste.tsx'

/** The clients' usage, by day or hour and in parts, and the cost of failed attempts. */
export function Usage() {
  const split = SPLITS.find(each => each === query.value.get('split')) ?? 'model'
  const [name, , period] = RANGES.find(([each]) => each === query.value.get('days')) ?? RANGES[2]
  const isByHour = name === 'hours'
  return (
    <>
      <Header
        title={text.usage}
        aside={
          <div class="filters">
            <select aria-label={text.days} value={name} onChange={event => refine({ days: event.currentTarget.value })}>
              {RANGES.map(([each, words]) => (
                <option key={each} value={each}>
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
        {isByHour ? text.whatAllAccountsUsedByHour : text.whatAllAccountsUsed}
      </Header>
      <Report key={`${split} ${name}`} {...{ split, name, period, isByHour }} />
      <Origin command={`svcctl usage --${period.replace('=', ' ')} --by ${isByHour ? 'hour,' : ''}${split}`} />
    </>
  )
}

/** Each with the period that the gateway is asked for: whole days by its zone, today among them. */
const RANGES = [
  ['hours', text.last48Hours, `since=${HOURS}`],
  ['7', text.last7Days, 'since=6d'],
  ['30', text.last30Days, 'since=29d'],
  ['90', text.last90Days, 'since=89d'],
  ['month', text.thisMonth, 'month=this'],
] as const

interface ReportProps {
  readonly split: Split
  readonly name: string
  readonly period: string
  readonly isByHour: boolean
}

function Report({ split, name, period, isByHour }: ReportProps) {
  const usage = useResource(() => (isByHour ? readHours(split) : readDays(period, split)), 60_000)
  return (
    <Loaded of={usage}>
      {found =>
        found.groups.data.length === 0 && found.groups.waste.length === 0 ? (
          <Empty fact={text.nothingWasUsed}>
            <p class="muted">{text.servedRequestsAppear}</p>
          </Empty>
        ) : (
          <>
            <HoursLeftOut usage={found} />
            <Sums usage={found} />
            <UsageChart title={isByHour ? text.byHour : text.byDay} usage={found.bars} split={split} />
            <UsageTable rows={found.groups.data} split={split} file={`usage-by-${split}-${name}`} />
            <Waste usage={found} />
          </>
        )
      }
    </Loaded>
  )
}

/** Says so where a busy gateway has more rows than one report reads. */
const HoursLeftOut = ({ usage: { bars } }: { readonly usage: UsageOfRange }) =>
  bars.hours_left_out === undefined ? null : (
    <p class="note" role="status">
      {text.hoursLeftOut(bars.hours_left_out)}
    </p>
  )

function Sums({ usage: { groups } }: { readonly usage: UsageOfRange }) {
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
