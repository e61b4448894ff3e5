import { counted } from '../../config/format/problem-text.ts'
import {
  CAUSES,
  type Cause,
  type ComparedCell,
  type NanoSum,
  type ReconciledBill,
} from '../../policy/billing/bill/bill.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { dollars, usdText } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { alignPoints, type Column, foldedText, table, tableText } from '../kit/table.ts'

/** A bill beside the ledger, and what was compared. */
export interface Reconciled extends ReconciledBill {
  readonly format: string
  readonly pools: readonly string[]
  readonly first: string
  readonly last: string
  /** Names of the bill that no pool runs. */
  readonly unknownModels: readonly string[]
  /** Lines of other services. */
  readonly leftOut: number
  /** Requests that were charged at the last checkpoint of a gateway that died. */
  readonly orphans: number
  /** Millionths of the bill. */
  readonly tolerance: number
}

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  price_drift: 'price drift',
  cache_kinds: 'cache kinds',
  late_usage: 'late usage',
  failed_attempts: 'failed attempts',
  past_the_gateway: 'traffic past the gateway',
  time_zone: 'time zone',
  estimates: 'estimated usage',
  no_tokens: 'credits and charges without tokens',
}

const usdOf = (amount: NanoSum): string => usdText(nanoUsd(Number(amount)))

/** `-$0.50`, with the sign in front. */
const signed = (amount: NanoSum): string => (amount < 0n ? `-${dollars(usdOf(-amount))}` : dollars(usdOf(amount)))

const causesOf = (amounts: Partial<Record<Cause, NanoSum>>) =>
  Object.fromEntries(CAUSES.flatMap(cause => (amounts[cause] === undefined ? [] : [[cause, usdOf(amounts[cause])]])))

/** One day, model and kind for programs; amounts are exact decimals of US dollars. */
export const shownCell = (cell: ComparedCell) => ({
  ...{ day: cell.day, model: cell.model, kind: cell.kind ?? null },
  ...{ billed_tokens: cell.billedTokens, recorded_tokens: cell.recordedTokens },
  ...{ billed_usd: usdOf(cell.billed), recorded_usd: usdOf(cell.recorded) },
  difference_usd: usdOf(cell.billed - cell.recorded),
  ...{ causes: causesOf(cell.causes), unexplained_usd: usdOf(cell.unexplained) },
})

/** The sums for programs. */
export const shownBill = (bill: Reconciled) => ({
  ...{ format: bill.format, pools: bill.pools, first_day: bill.first, last_day: bill.last, zone: bill.zone ?? 'UTC' },
  ...{ billed_usd: usdOf(bill.billed), recorded_usd: usdOf(bill.recorded) },
  difference_usd: usdOf(bill.billed - bill.recorded),
  ...{ causes: causesOf(bill.causes), causes_gross: causesOf(bill.gross), unexplained_usd: usdOf(bill.unexplained) },
  unexplained_gross_usd: usdOf(bill.unexplainedGross),
  ...{ tolerance: bill.tolerance / 1e6, unknown_models: bill.unknownModels, lines_left_out: bill.leftOut },
  orphans: bill.orphans,
  derived_prices: bill.derived.map(({ model, kind, price, by }) => ({
    model,
    kind,
    usd_per_1m: Number(price) / 1e6,
    by,
  })),
})

const MOST_CELLS = 30

export function reconciledText(bill: Reconciled): string {
  const { format, first, last, pools, zone } = bill
  const head = `${format}, ${first} to ${last}, compared with the ledger of ${pools.join(', ')}`
  const days =
    zone === undefined ? 'Days are UTC.' : `The days of the bill are those of ${zone}; the days of the ledger are UTC.`
  const sums = table([
    ['Bill', signed(bill.billed)],
    ['Ledger', signed(bill.recorded)],
    ['Difference', signed(bill.billed - bill.recorded)],
  ])
  const parts = [foldedText(`${head}\n${days}`), sums, causesTable(bill), cellsTable(bill.cells), notes(bill)]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

function causesTable({ causes, gross, unexplained, unexplainedGross }: ReconciledBill): string {
  const named = CAUSES.filter(cause => gross[cause] !== 0n)
  const rows = named.map(cause => [CAUSE_WORDS[cause], usdOf(causes[cause]), usdOf(gross[cause])])
  const all = [...rows, ['unexplained', usdOf(unexplained), usdOf(unexplainedGross)]]
  return tableText(CAUSE_COLUMNS, alignPoints(alignPoints(all, 1), 2))
}

const CAUSE_COLUMNS: readonly Column[] = [
  { title: 'CAUSE', whole: true },
  { title: 'USD', number: true, whole: true },
  { title: 'WITHOUT SIGNS', number: true, gives: 1 },
]

/** The days, models and kinds that differ most. */
function cellsTable(cells: readonly ComparedCell[]): string {
  const size = ({ causes, unexplained }: ComparedCell) =>
    [...Object.values(causes), unexplained].reduce((sum, each) => sum + (each < 0n ? -each : each), 0n)
  const different = cells.filter(cell => size(cell) > 0n)
  if (different.length === 0) return 'All days, models and kinds agree.'
  const greatest = different.toSorted((a, b) => Number(size(b) - size(a))).slice(0, MOST_CELLS)
  const rows = greatest
    .toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    .map(cell => [
      ...[cell.day, cell.model, cell.kind ?? ''],
      ...[String(cell.billedTokens), String(cell.recordedTokens), usdOf(cell.billed - cell.recorded)],
      [
        ...CAUSES.filter(cause => cell.causes[cause]).map(cause => CAUSE_WORDS[cause]),
        ...(cell.unexplained ? ['unexplained'] : []),
      ].join(', '),
    ])
  const more = different.length - greatest.length
  const rest = more > 0 ? `\n\n${counted(more, 'smaller difference')} more: --format csv lists all.` : ''
  return `${tableText(CELL_COLUMNS, alignPoints(rows, 5))}${rest}`
}

const CELL_COLUMNS: readonly Column[] = [
  { title: 'DAY', whole: true },
  { title: 'MODEL', least: 10 },
  { title: 'KIND' },
  { title: 'TOKENS BILLED', number: true, gives: 2 },
  { title: 'IN LEDGER', number: true, gives: 3 },
  { title: 'USD', number: true, whole: true },
  { title: 'CAUSES', least: 12, gives: 4 },
]

function notes({ unknownModels, derived, leftOut, orphans, cells }: Reconciled): string {
  const lines = [
    ...driftLines(cells),
    ...unknownModels.map(
      name => `▲ no pool runs ${name}: counted as traffic past the gateway. If one does, add --model ${name}=MODEL`,
    ),
    ...(orphans === 0
      ? []
      : [
          `▲ a gateway died: ${counted(orphans, 'request')} charged as of the last checkpoint. What it had not recorded counts as estimated usage, then as traffic past the gateway.`,
        ]),
    ...(derived.length === 0 ? [] : ['The export has no tokens: they are its amounts divided by a price.']),
    ...derived
      .filter(({ by }) => by !== 'configured')
      .map(
        ({ model, kind, price, by }) =>
          `${model} ${kind}: $${Number(price) / 1e6} for 1M, ${by === 'listed' ? 'as the provider lists it' : 'as most days show'}`,
      ),
    ...(leftOut === 0 ? [] : [`${counted(leftOut, 'line')} of other services left out.`]),
  ]
  return lines.length === 0 ? '' : foldedText(lines.map(oneLine).join('\n'))
}

/** The billed price of each model and kind whose price drifted, beside the configured one. */
function driftLines(cells: readonly ComparedCell[]): readonly string[] {
  const drifts = new Map<string, { tokens: number; billed: NanoSum; drift: NanoSum }>()
  for (const { model, kind, billedTokens, billed, causes } of cells) {
    const { price_drift: drift } = causes
    if (drift === undefined || billedTokens === 0) continue
    const sum = drifts.get(`${model} ${kind}`) ?? { tokens: 0, billed: 0n, drift: 0n }
    drifts.set(`${model} ${kind}`, {
      tokens: sum.tokens + billedTokens,
      billed: sum.billed + billed,
      drift: sum.drift + drift,
    })
  }
  const usdPer1m = (amount: NanoSum, tokens: number) => Number((Number(amount) / tokens / 1000).toPrecision(6))
  return [...drifts].map(([name, { tokens, billed, drift }]) => {
    const [now, configured] = [usdPer1m(billed, tokens), usdPer1m(billed - drift, tokens)]
    return `${name}: billed at $${now} for 1M, configured $${configured}`
  })
}
