import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { boot } from '../shared/boot.ts'
import { day, exactUsd } from '../shared/fmt.ts'
import { hrefOf } from '../shared/router.ts'
import { Header, Loaded } from '../shared/states.tsx'
import { account, refreshAccount } from './account.ts'
import { Contact, PlanProblem } from './plan-problem.tsx'

/** The money of the billing window in words: where errors of a spent quota lead. */
export function Billing() {
  return (
    <>
      <Header title="Billing">What your account may spend in this window, and what is left of it.</Header>
      <Loaded of={{ ...account.value, refresh: refreshAccount }}>{data => <Window account={data} />}</Loaded>
    </>
  )
}

function Window({ account: shown }: { readonly account: OwnAccount }) {
  const { window, limits } = shown
  return (
    <>
      <PlanProblem account={shown} />
      {limits && (
        <dl class="box pad terms">
          <dt>Allotted by the plan</dt>
          <dd>{exactUsd(limits.monthly_usd)}</dd>
          <dt>Granted beside it</dt>
          <dd>{exactUsd(window.granted_usd)}</dd>
          <dt>Used</dt>
          <dd>{exactUsd(window.used_usd)}</dd>
          <dt>Held by requests under way</dt>
          <dd>{exactUsd(window.held_usd)}</dd>
          <dt>Past the quota</dt>
          <dd>{overageText(limits.overage)}</dd>
          <dt>Begins anew</dt>
          <dd>{day(window.end)}, 00:00 UTC</dd>
        </dl>
      )}
      <section>
        <h2>When it is spent</h2>
        <p>
          Requests are refused with status 402 until the window begins anew, or until there is more quota. What that
          error says is among the <a href={hrefOf('errors')}>errors</a>.
        </p>
        <More />
      </section>
    </>
  )
}

function overageText(overage: NonNullable<OwnAccount['limits']>['overage']): string {
  if (typeof overage === 'object') return `served, up to ${exactUsd(overage.cap_usd)} more`
  return overage === 'on' ? 'served' : 'refused'
}

/** Where there is more: a page for that, unless it is this one. */
function More() {
  if (boot.topup === null || boot.topup === boot.console_url + BILLING) return <Contact />
  return (
    <p>
      <a href={boot.topup}>Get more</a>
    </p>
  )
}

const BILLING = '/billing'
