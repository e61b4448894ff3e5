import type { PoolsApi } from '../../operator/gateway-calls.ts'
import { counted } from '../../policy/counted.ts'
import type { ShownComparison } from '../../wire/admin/comparison.ts'
import type { Common, PeriodOptions } from '../kit/options.ts'
import { periodOf } from '../kit/options.ts'
import { tableText } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'

/** The options of `svcctl pools compare`. */
export interface CompareOptions extends Common, PeriodOptions {}

/** Writes how two pools answered the same requests. */
export async function compare(operator: PoolsApi, pool: string, to: string, options: CompareOptions): Promise<void> {
  const compared = await operator.compare({ pool, to, ...periodOf(options) })
  if (options.json) return writeJson(compared)
  if (compared.requests === 0) {
    const left = compared.left > 0 ? ` ${counted(compared.left, 'pair')} ended early.` : ''
    console.error(`No complete pairs of answers from ${pool} and ${to} in this period.${left}`)
    return
  }
  await writeOut([`${comparisonText(compared)}\n`])
  if (compared.left > 0)
    console.error(
      `▲ ${counted(compared.left, 'more pair')} left out: a client left, or a request took the slot of the copy`,
    )
}

/** Both pools side by side, a figure a line. */
export function comparisonText({ requests, original, copy }: ShownComparison): string {
  const sides = [original, copy]
  const row = (name: string, cell: (side: ShownComparison['copy']) => string) => [name, ...sides.map(cell)]
  const ms = (time: number | null) => (time === null ? '-' : `${time} ms`)
  const finishes = [...new Set(sides.flatMap(side => Object.keys(side.finish_reasons)))]
  return tableText(
    [{ title: 'REQUESTS' }, ...sides.map(({ pool }) => ({ title: pool, number: true as const }))],
    [
      row('answered', () => String(requests)),
      row('errors', ({ errors }) => `${errors} (${Math.round((errors / requests) * 1000) / 10}%)`),
      row('first token p50', side => ms(side.first_token_p50_ms)),
      row('first token p95', side => ms(side.first_token_p95_ms)),
      row('tokens a second', side => String(side.tokens_per_second ?? '-')),
      row('tokens in', side => String(side.input_tokens)),
      row('tokens out', side => String(side.output_tokens)),
      ...finishes.map(reason => row(`finish: ${reason}`, side => String(side.finish_reasons[reason] ?? 0))),
      ...(sides.some(({ json }) => json > 0) ? [row('valid JSON', side => `${side.json_valid} of ${side.json}`)] : []),
    ],
  )
}
