import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OwnUsage } from '../../../../src/wire/account/own-usage.ts'
import { ask } from '../../shared/api.ts'
import { Bars } from '../../shared/bars.tsx'
import { Choice } from '../../shared/choice.tsx'
import { csv } from '../../shared/csv.ts'
import { count, nanoUsdText, smallUsd } from '../../shared/fmt.ts'
import { useResource } from '../../shared/resource.ts'
import { save } from '../../shared/save.ts'
import { Loaded } from '../../shared/states.tsx'
import { account } from '../account.ts'
import { FirstSteps } from '../first-steps.tsx'
import { lookedWith } from '../look-with-key.tsx'
import { NothingYet } from '../nothing-yet.tsx'
import { useKeyNames } from '../requests/key-names.ts'
import * as text from '../texts/usage.tsx'
import { barsOf, byDayAndModel, byKey, byLabel, byModel, type Unit } from './usage-sums.ts'
import { UsageTable } from './usage-table.tsx'

/** The account's usage in 30 days or in this month, by day and by model. */
export function Usage() {
  const [period, choosePeriod] = useState<Period>('days')
  return (
    <UsageOf
      key={period}
      period={period}
      choice={<Choice label={text.period} options={text.periods} chosen={period} onChoose={choosePeriod} />}
    />
  )
}

type Period = 'days' | 'month'
/** The gateway's clock and zone say which days those are. */
const PERIODS = { days: 'days=30', month: 'month=this' } as const

interface UsageOfProps {
  readonly period: Period
  /** Where the period is chosen. */
  readonly choice: ComponentChildren
}

function UsageOf({ period, choice }: UsageOfProps) {
  const usage = useResource<OwnUsage>(() => ask(`/billing/usage?${PERIODS[period]}&by_label=true`), 60_000)
  // A problem of both is shown once, by the account above.
  const shown = account.value.problem ? { ...usage, problem: undefined } : usage
  return (
    <Loaded of={shown}>
      {data =>
        data.data.length === 0 ? (
          <None period={period} choice={choice} onRequest={() => void usage.refresh()} />
        ) : (
          <Shown usage={data} period={period} choice={choice} />
        )
      }
    </Loaded>
  )
}

/** People with a sign-in are led on; a key alone creates no others. */
function None({ period, choice, onRequest }: UsageOfProps & { readonly onRequest: () => void }) {
  if (period === 'days' && lookedWith.value === undefined) return <FirstSteps onRequest={onRequest} />
  return (
    <NothingYet fact={text.none[period]} words={text.noneYet}>
      {period === 'month' && choice}
    </NothingYet>
  )
}

function Shown({ usage, period, choice }: UsageOfProps & { readonly usage: OwnUsage }) {
  const [unit, choose] = useState<Unit>('spend')
  const [isTable, showTable] = useState(false)
  const models = byModel(usage)
  const named = models.slice(0, models.length > MOST_SERIES ? MOST_SERIES - 1 : MOST_SERIES).map(({ model }) => model)
  const series = models.length > named.length ? [...named, text.others] : named
  return (
    <>
      <section>
        <div class="split end-line">
          <h2>{text.titles[unit][period]}</h2>
          <div class="row">
            {choice}
            {!isTable && <Choice label={text.unit} options={text.units} chosen={unit} onChoose={choose} />}
            <button type="button" class="link" aria-pressed={isTable} onClick={() => showTable(!isTable)}>
              {isTable ? text.chart : text.table}
            </button>
            <button type="button" class="link" onClick={() => save(text.file(usage.since, usage.until), csvOf(usage))}>
              {text.saveAsCsv}
            </button>
          </div>
        </div>
        {isTable ? (
          <UsageTable label={text.ofDays} rows={byDayAndModel(usage)} hasDays />
        ) : (
          <Bars
            label={text.byDay(text.titles[unit][period])}
            series={series}
            bars={barsOf(usage, named, series.length, unit)}
            {...(unit === 'spend' ? { amount: smallUsd } : { amount: count, least: 2 })}
          />
        )}
      </section>
      <section>
        <h2>{text.byModel}</h2>
        <UsageTable label={text.ofModels} rows={models} />
      </section>
      {lookedWith.value === undefined && <ByKey usage={usage} />}
      {byLabel(usage).map(({ label, rows }) => (
        <section key={label}>
          <h2>{text.byLabel(label)}</h2>
          <UsageTable label={text.byLabel(label)} of={{ title: label, nameOf: ({ model }) => model }} rows={rows} />
        </section>
      ))}
    </>
  )
}

/** Which key spent it. */
function ByKey({ usage }: { readonly usage: OwnUsage }) {
  const nameOf = useKeyNames()
  return (
    <section>
      <h2>{text.byKey}</h2>
      <UsageTable label={text.ofKeys} of={{ title: text.key, nameOf: ({ key }) => nameOf(key) }} rows={byKey(usage)} />
    </section>
  )
}

/** One series per colour. */
const MOST_SERIES = 6

/** The table by days, in names that do not change with the language. */
const csvOf = (usage: OwnUsage): string =>
  csv([
    ['day', 'model', 'requests', 'input_tokens', 'output_tokens', 'usd'],
    ...byDayAndModel(usage).map(({ day, model, requests, input, output, nanoUsd }) => [
      day,
      model,
      requests,
      input,
      output,
      nanoUsdText(nanoUsd),
    ]),
  ])
