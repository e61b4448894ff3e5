import type { ShownLimitUse } from '../../../../src/wire/admin/limit-use.ts'
import { count, usd } from '../../shared/fmt.ts'
import { Meter } from '../../shared/meter.tsx'
import { Table } from '../../shared/table.tsx'
import { Time } from '../../shared/time/time.tsx'
import { type LimitRule, limitText, partsText, type WholeAccount } from '../api/accounts.ts'
import { may } from '../api/who.ts'
import * as text from '../texts/limits.tsx'
import type { Asked } from './dialogs.tsx'

interface LimitsProps {
  readonly whole: WholeAccount
  readonly onAsk: (asked: Asked) => void
}

/** All that may refuse its requests, and how much of each is used; those of an operator can be taken back. */
export const AccountLimits = ({ whole: { account, standing, keys }, onAsk }: LimitsProps) => (
  <section>
    <div class="split end-line">
      <h2>{text.limits}</h2>
      {account.kind === 'developer' && may('admin') && (
        <button type="button" onClick={() => onAsk({ what: 'limit' })}>
          {text.setLimit}
        </button>
      )}
    </div>
    <Table
      label={text.limits}
      columns={[
        { title: text.limit },
        { title: text.used },
        { title: text.beginsAnew, narrow: true },
        { title: text.actions, hidden: true },
      ]}
    >
      <tbody>
        {standing.limits.map(use => {
          const own = account.limits.find(limit => nameOf(limit) === nameOf(ruleOf(use)) && use.key === null)
          const key = keys.find(({ id }) => id === use.key)
          return (
            <tr key={`${nameOf(ruleOf(use))} ${use.key}`}>
              <td>
                {nameOf(ruleOf(use))}
                {(own || use.key !== null) && (
                  <p class="small muted">
                    {own ? text.setByAnOperator : <bdi>{text.ofTheKey(key?.name ?? key?.key ?? use.key)}</bdi>}
                  </p>
                )}
              </td>
              <td class="spent">
                <Use use={use} />
              </td>
              <td class="narrow muted">{use.resets_at === null ? '–' : <Time at={use.resets_at} />}</td>
              <td class="actions">
                {own && may('admin') && (
                  <button type="button" onClick={() => onAsk({ what: 'unlimit', limit: own })}>
                    {text.remove}
                  </button>
                )}
              </td>
            </tr>
          )
        })}
        {account.limits
          .filter(limit => standing.limits.every(use => nameOf(limit) !== nameOf(ruleOf(use))))
          .map(limit => (
            <tr key={limitText(limit)}>
              <td>
                {nameOf(limit)}
                <p class="small muted">{text.setByAnOperator}</p>
              </td>
              <td class="muted">{text.eachHas(mostText(limit))}</td>
              <td class="narrow">–</td>
              <td class="actions">
                {may('admin') && (
                  <button type="button" onClick={() => onAsk({ what: 'unlimit', limit })}>
                    {text.remove}
                  </button>
                )}
              </td>
            </tr>
          ))}
      </tbody>
    </Table>
  </section>
)

/** `US dollars per month`. */
const nameOf = ({ measure, ...parts }: Omit<LimitRule, 'most'>): string => text.measures[measure] + partsText(parts)

/** `tokens per minute of key` */
export const nameOfUse = (use: ShownLimitUse): string => nameOf(ruleOf(use))

const ruleOf = ({ measure, per, of, model }: ShownLimitUse): Omit<LimitRule, 'most'> => ({
  measure,
  ...(per !== null && { per }),
  ...(of !== 'account' && { of }),
  ...(model !== null && { model }),
})

/** How much of a limit is used, in words and as a meter. */
export function Use({ use }: { readonly use: ShownLimitUse }) {
  const { measure, used, held, limit } = use
  if (used === null) return <span class="muted">{text.eachHas(amountText(measure, Number(limit)))}</span>
  const words = text.of(amountText(measure, Number(used)), amountText(measure, Number(limit)))
  return (
    <>
      {words}
      <Meter label={nameOfUse(use)} used={Number(used)} held={Number(held ?? 0)} most={Number(limit)} text={words} />
    </>
  )
}

/** US dollars, or a count, of a measure. */
const amountText = (measure: LimitRule['measure'], amount: number): string => (measure === 'usd' ? usd : count)(amount)

/** The most of a limit that an operator set: of US dollars it is in billionths. */
const mostText = ({ measure, most }: LimitRule): string => amountText(measure, measure === 'usd' ? most / 1e9 : most)
