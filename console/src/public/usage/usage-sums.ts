import type { OwnUsage } from '../../../../src/wire/account/own-usage.ts'
import type { Bar } from '../../shared/bars.tsx'

/** The units of usage. */
export type Unit = 'spend' | 'tokens' | 'requests'

/** Integers, so that sums are exact. */
export interface UsageSum {
  readonly day: string
  readonly model: string
  /** The id of a key; null for sign-ins. Sums of several keys have the last one's. */
  readonly key: string | null
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly nanoUsd: number
}

/** Sums per model, most expensive first. */
export const byModel = (usage: OwnUsage): readonly UsageSum[] => sums(usage, ({ model }) => model).sort(dearestFirst)

/** Sums per key, most expensive first. */
export const byKey = (usage: OwnUsage): readonly UsageSum[] => sums(usage, ({ key }) => key ?? '').sort(dearestFirst)

const dearestFirst = (a: UsageSum, b: UsageSum): number => b.nanoUsd - a.nanoUsd || b.requests - a.requests

/** Sums per day and model, newest first. */
export const byDayAndModel = (usage: OwnUsage): readonly UsageSum[] =>
  sums(usage, ({ day, model }) => `${day} ${model}`).sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0))

/** Sums per value of each label; the name of a value is in place of a model's. */
export const byLabel = ({ by_label = [] }: OwnUsage) =>
  by_label.map(({ label, values }) => ({
    label,
    rows: values.map(
      ({ name: model, requests, input_tokens: input, output_tokens: output, cost_nano_usd: nanoUsd }): UsageSum => ({
        ...{ day: '', model, key: null, requests, input, output, nanoUsd },
      }),
    ),
  }))

/** The figures of a sum. */
export type UsageFigures = Omit<UsageSum, 'day' | 'model' | 'key'>

export function total(rows: readonly UsageSum[]): UsageFigures {
  const sum = (count: (row: UsageSum) => number) => rows.reduce((all, row) => all + count(row), 0)
  return {
    requests: sum(row => row.requests),
    input: sum(row => row.input),
    output: sum(row => row.output),
    nanoUsd: sum(row => row.nanoUsd),
  }
}

/** A bar for each day, also for those without a request; what is of no series is of the last one. */
export function barsOf(usage: OwnUsage, named: readonly string[], series: number, unit: Unit): readonly Bar[] {
  const bars = Array.from({ length: usage.days }, (_, at) => ({
    at: new Date(Date.parse(usage.since) + at * DAY_MS).toISOString().slice(0, 10),
    parts: Array.from({ length: series }, () => 0),
  }))
  const found = new Map(bars.map(bar => [bar.at, bar]))
  for (const row of byDayAndModel(usage)) {
    const parts = found.get(row.day)?.parts
    const at = named.includes(row.model) ? named.indexOf(row.model) : series - 1
    if (parts) parts[at] = (parts[at] ?? 0) + AMOUNTS[unit](row)
  }
  return bars
}

const DAY_MS = 86_400_000

const AMOUNTS: Readonly<Record<Unit, (row: UsageSum) => number>> = {
  spend: ({ nanoUsd }) => nanoUsd / 1e9,
  tokens: ({ input, output }) => input + output,
  requests: ({ requests }) => requests,
}

function sums({ data }: OwnUsage, nameOf: (row: OwnUsage['data'][number]) => string): UsageSum[] {
  const found = new Map<string, UsageSum>()
  for (const row of data) {
    const { day, model, key, requests, input_tokens, output_tokens, cost_nano_usd } = row
    const name = nameOf(row)
    const sum = found.get(name) ?? { requests: 0, input: 0, output: 0, nanoUsd: 0 }
    found.set(name, {
      day,
      model,
      key,
      requests: sum.requests + requests,
      input: sum.input + input_tokens,
      output: sum.output + output_tokens,
      nanoUsd: sum.nanoUsd + cost_nano_usd,
    })
  }
  return [...found.values()]
}
