import type { OwnAccount } from '../../../src/wire/own-account.ts'
import type { LimitRecord } from '../../../src/wire/quota-record.ts'
import { count, day, exactUsd, plural, usd } from '../shared/fmt.ts'
import { Meter } from '../shared/meter.tsx'
import { Header, Loaded } from '../shared/states.tsx'
import { account, refreshAccount } from './account.ts'
import { limitLabel } from './limit-label.ts'
import { PlanProblem } from './plan-problem.tsx'
import { Usage } from './usage.tsx'

/** What the account may use, and what it has used of it. */
export function Overview() {
  return (
    <>
      <Header title="Overview">What your account may use, and what it has used. Days and windows are UTC.</Header>
      <Loaded of={{ ...account.value, refresh: refreshAccount }}>{data => <Meters account={data} />}</Loaded>
      <Usage />
    </>
  )
}

function Meters({ account: shown }: { readonly account: OwnAccount }) {
  const { plan, declared, frozen, models, tools, uses } = shown
  return (
    <>
      <PlanProblem account={shown} />
      {!frozen && declared && (
        <section aria-label="Limits">
          <div class="box cells">
            {inOrder(uses).map(use => (
              <Cell key={limitLabel(use)} use={use} account={shown} />
            ))}
            <div>
              <p class="muted">Plan</p>
              <p class="figure">
                <bdi>{plan}</bdi>
              </p>
              <p class="small muted">
                {plural(models.length, 'model')}, {plural(tools.length, 'hosted tool')}
              </p>
            </div>
          </div>
        </section>
      )}
    </>
  )
}

/** Money first, as what runs out for longest. */
const inOrder = (uses: readonly LimitRecord[]): readonly LimitRecord[] => {
  const isQuota = (use: LimitRecord) => use.measure === 'usd'
  return [...uses.filter(isQuota), ...uses.filter(use => !isQuota(use))]
}

interface CellProps {
  readonly use: LimitRecord
  readonly account: OwnAccount
}

function Cell({ use, account: shown }: CellProps) {
  const { measure, limit, used, held } = use
  const amount = measure === 'usd' ? usd : count
  const label = limitLabel(use)
  const text = `${amount(used ?? 0)} of ${amount(limit)}`
  return (
    <div>
      <p class="muted">{label}</p>
      <p class="figure">
        {used === null ? '–' : amount(used)} <small>of {amount(limit)}</small>
      </p>
      {used === null ? (
        <p class="small muted">each user that requests name has a count of their own</p>
      ) : (
        <>
          <Meter label={label} used={used} held={held ?? 0} most={endOf(use, shown)} text={text} />
          <p class="small muted">{notesOf(use, shown).join(' · ')}</p>
        </>
      )}
    </div>
  )
}

const isMonthlyQuota = ({ measure, per, of, model }: LimitRecord): boolean =>
  measure === 'usd' && per === 'month' && of === 'account' && model === null

/** Where the meter ends: past the quota, where the plan has a cap on overage. */
function endOf(use: LimitRecord, { limits }: OwnAccount): number {
  const overage = limits?.overage
  return isMonthlyQuota(use) && typeof overage === 'object' ? use.limit + Number(overage.cap_usd) : use.limit
}

function notesOf(use: LimitRecord, { limits, under_way }: OwnAccount): readonly string[] {
  const { measure, per, held, resetAt } = use
  const reserved = held ? [`${measure === 'usd' ? usd(held) : count(held)} held`] : []
  if (isMonthlyQuota(use)) {
    const overage = limits?.overage
    const then = typeof overage === 'object' ? [`then up to ${exactUsd(overage.cap_usd)} more`] : []
    return [...reserved, ...(overage === 'on' ? ['then overage'] : then), ...resets(resetAt)]
  }
  if (measure === 'requests' && per === 'minute') return [...reserved, `${under_way} under way`]
  if (measure === 'tokens' && per === 'minute') return [...reserved, 'prompt and completion']
  return [...reserved, ...(per === 'minute' || per === 'second' ? [] : resets(resetAt))]
}

const resets = (at: string | null): readonly string[] => (at === null ? [] : [`resets ${day(at)}`])
