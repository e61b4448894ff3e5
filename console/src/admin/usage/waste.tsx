import type { WasteRecord } from '../../../../src/wire/admin/usage-report.ts'
import { Bars } from '../../shared/bars.tsx'
import { exactUsd, number, smallUsd } from '../../shared/fmt.ts'
import { Table } from '../../shared/table.tsx'
import { MOST_PARTS, timesSince, type UsageOfRange } from '../api/usage.ts'
import * as text from '../texts/usage.tsx'

/** The operator's cost for failed attempts, by day or hour and pool. */
export const Waste = ({ usage: { bars, groups } }: { readonly usage: UsageOfRange }) =>
  groups.waste.length === 0 ? null : (
    <section>
      <h2>{text.failedAttemptsByPool}</h2>
      <Bars label={text.whatFailedAttemptsCost} {...barsOf(groups.waste, bars)} amount={smallUsd} />
      <WasteTable rows={groups.waste} />
    </section>
  )

/** A series for each pool, the dearest first, and the others last. */
function barsOf(pools: readonly WasteRecord[], { waste, since, zone = 'UTC' }: UsageOfRange['bars']) {
  const names = pools.slice(0, MOST_PARTS).map(({ pool }) => pool)
  const others = pools.length - names.length
  const costs = new Map<string, number>()
  for (const { day = '', hour = day, pool, cost_nano_usd } of waste) {
    const name = `${hour} ${names.includes(pool) ? pool : ''}`
    costs.set(name, (costs.get(name) ?? 0) + cost_nano_usd / 1e9)
  }
  const bars = timesSince(since ?? waste[0]?.day ?? '', zone).map(at => ({
    at,
    parts: [...names, ...(others > 0 ? [''] : [])].map(name => costs.get(`${at} ${name}`) ?? 0),
  }))
  return { series: [...names, ...(others > 0 ? [text.others(others)] : [])], bars }
}

const WasteTable = ({ rows }: { readonly rows: readonly WasteRecord[] }) => (
  <Table
    label={text.whatFailedAttemptsCostByPool}
    columns={[
      { title: text.pool },
      { title: text.attempts, num: true },
      { title: text.input, num: true, narrow: true },
      { title: text.output, num: true, narrow: true },
      { title: text.cost, num: true },
    ]}
  >
    <tbody>
      {rows.map(({ pool, attempts, input_tokens, output_tokens, usd }) => (
        <tr key={pool}>
          <td>
            <bdi>{pool}</bdi>
          </td>
          <td class="num">{number(attempts)}</td>
          <td class="num narrow">{number(input_tokens)}</td>
          <td class="num narrow">{number(output_tokens)}</td>
          <td class="num">{exactUsd(usd)}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)
