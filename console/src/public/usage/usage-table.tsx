import { centsOf } from '../../shared/cents.ts'
import { exactNanoUsd, number, shortDay, usd } from '../../shared/fmt.ts'
import * as text from '../texts/usage.tsx'
import { total, type UsageFigures, type UsageSum } from './usage-sums.ts'

interface UsageTableProps {
  readonly label: string
  /** The head of the first column, and the name of a row there. */
  readonly of?: { readonly title: string; readonly nameOf: (row: UsageSum) => string }
  readonly rows: readonly UsageSum[]
  /** Whether rows are of days. */
  readonly hasDays?: true
}

/** Figures and their sum: exact by days, to the cent by models and keys. */
export function UsageTable({ label, of = MODELS, rows, hasDays }: UsageTableProps) {
  const cents = centsOf(rows.map(({ nanoUsd }) => nanoUsd))
  const sum = total(rows)
  const names = [of.title, text.requests, text.input, text.output, text.cost]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="box scroll table figures" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {hasDays && <th scope="col">{text.day}</th>}
            {names.map((name, at) => (
              <th key={name} scope="col" class={at === 0 ? '' : kindOf(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${row.day} ${row.model} ${row.key}`}>
              {hasDays && <td class="day">{shortDay(row.day)}</td>}
              <td class="anywhere">
                <bdi>{of === MODELS ? <code>{row.model}</code> : of.nameOf(row)}</bdi>
              </td>
              <Amounts sum={row} cost={hasDays ? exactNanoUsd(row.nanoUsd) : centsText(row.nanoUsd, cents[at])} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={hasDays ? 2 : 1}>{text.sum}</td>
            <Amounts sum={sum} cost={hasDays ? exactNanoUsd(sum.nanoUsd) : usd(sum.nanoUsd / 1e9)} />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

const MODELS = { title: text.model, nameOf: ({ model }: UsageSum) => model }

interface AmountsProps {
  readonly sum: UsageFigures
  readonly cost: string
}

const Amounts = ({ sum, cost }: AmountsProps) => (
  <>
    <td class="num">{number(sum.requests)}</td>
    <td class="num narrow">{number(sum.input)}</td>
    <td class="num narrow">{number(sum.output)}</td>
    <td class="num" title={exactNanoUsd(sum.nanoUsd)}>
      {cost}
    </td>
  </>
)

/** Where there is little room, the columns that the others can be read without go. */
const kindOf = (name: string): string => (name === text.input || name === text.output ? 'num narrow' : 'num')

/** Amounts that round to zero are shown as less than a cent. */
const centsText = (nanoUsd: number, cents = 0): string =>
  usd(cents === 0 ? Math.min(nanoUsd / 1e9, 0.001) : cents / 100)
