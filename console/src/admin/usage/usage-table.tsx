import type { UsageRecord } from '../../../../src/wire/admin/usage-report.ts'
import { csv } from '../../shared/csv.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { save } from '../../shared/save.ts'
import { Table } from '../../shared/table.tsx'
import { nameOf, type Split } from '../api/usage.ts'
import { AccountLink } from '../audit-table.tsx'
import { Label } from '../label.tsx'
import * as text from '../texts/usage.tsx'

interface UsageTableProps {
  readonly rows: readonly UsageRecord[]
  readonly split: Split
  /** The name of the file that it is saved as, without its ending. */
  readonly file: string
}

/** The parts over the whole time, the dearest first. */
export const UsageTable = ({ rows, split, file }: UsageTableProps) => (
  <section>
    <div class="split end-line">
      <h2>{text.by(split)}</h2>
      <button type="button" onClick={() => save(`${file}.csv`, csvOfRows(rows, split))}>
        {text.saveAsCsv}
      </button>
    </div>
    <Table
      label={text.usageBy(split)}
      columns={[
        { title: split.replace(/^./, first => first.toUpperCase()) },
        { title: text.requests, num: true },
        { title: text.input, num: true, narrow: true },
        { title: text.cached, num: true, narrow: true },
        { title: text.saved, num: true, narrow: true },
        { title: text.output, num: true, narrow: true },
        { title: text.spend, num: true },
      ]}
    >
      <tbody>
        {rows.map(row => (
          <tr key={`${row.group} ${row.others}`}>
            <td>
              {split === 'account' && row.others === undefined ? (
                <AccountLink account={row.group} label={row.label ?? ''} />
              ) : (
                <Label text={nameOf(row)} />
              )}
            </td>
            <td class="num">{number(row.requests)}</td>
            <td class="num narrow">{number(row.input_tokens)}</td>
            <td class="num narrow">{number(row.cached_tokens)}</td>
            <td class="num narrow">{row.saved_usd === undefined ? '–' : exactUsd(row.saved_usd)}</td>
            <td class="num narrow">{number(row.output_tokens)}</td>
            <td class="num">{exactUsd(row.usd)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  </section>
)

/** The rows of the table, with exact amounts. */
const csvOfRows = (rows: readonly UsageRecord[], split: Split): string =>
  csv([
    [split, 'label', 'requests', 'input_tokens', 'cached_tokens', 'output_tokens', 'usd', 'saved_usd'],
    ...rows.map(({ group, label = '', requests, input_tokens, cached_tokens, output_tokens, usd, saved_usd = '' }) => [
      ...[group, label, requests, input_tokens, cached_tokens, output_tokens, usd, saved_usd],
    ]),
  ])
