import type { OwnAccount } from '../../../../src/wire/account/own-account.ts'
import { boot } from '../../shared/boot.ts'
import { exactUsd } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { query } from '../../shared/frame/router.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import { Time } from '../../shared/time/time.tsx'
import { account, refreshAccount } from '../account.ts'
import { lookedWith } from '../look-with-key.tsx'
import { Notices } from '../notices.tsx'
import { Contact, PlanProblem } from '../plan-problem.tsx'
import * as text from '../texts/billing.tsx'
import * as frameText from '../texts/frame.tsx'
import { Invoice } from './invoice.tsx'
import { Months } from './months.tsx'

/** The billing window, where errors of a spent quota lead, and the invoices of the account; or one of them. */
export function Billing() {
  const month = query.value.get('id')
  if (month !== null) return <Invoice key={month} month={month} />
  return (
    <>
      <Header title={frameText.titles.billing}>{text.about}</Header>
      <Loaded of={{ ...account.value, refresh: refreshAccount }}>{data => <Window account={data} />}</Loaded>
      <Months />
      {lookedWith.value === undefined && <Notices />}
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
          <dt>{text.allotted}</dt>
          <dd>{exactUsd(limits.monthly_usd)}</dd>
          <dt>{text.granted}</dt>
          <dd>{exactUsd(window.granted_usd)}</dd>
          <dt>{text.used}</dt>
          <dd>{exactUsd(window.used_usd)}</dd>
          <dt>{text.held}</dt>
          <dd>{exactUsd(window.held_usd)}</dd>
          <dt>{text.past}</dt>
          <dd>{overageText(limits.overage)}</dd>
          <dt>{text.anew}</dt>
          <dd>
            <Time at={window.end} isExact />
          </dd>
        </dl>
      )}
      <section>
        <h2>{text.spent}</h2>
        <p>{thenText(limits?.overage)}</p>
        <More />
      </section>
      <p class="muted">
        {text.byModel(words => (
          <Link to="">{words}</Link>
        ))}
      </p>
    </>
  )
}

const errorsLink = (words: string) => <Link to="errors#quota_exceeded">{words}</Link>

function thenText(overage: NonNullable<OwnAccount['limits']>['overage'] | undefined) {
  if (typeof overage === 'object') return text.whatThen.servedUpTo(exactUsd(overage.cap_usd), errorsLink)
  return overage === 'on' ? text.whatThen.served : text.whatThen.refused(errorsLink)
}

function overageText(overage: NonNullable<OwnAccount['limits']>['overage']): string {
  if (typeof overage === 'object') return text.servedUpTo(exactUsd(overage.cap_usd))
  return overage === 'on' ? text.served : text.refused
}

/** Where there is more: a page for that, unless it is this one. */
function More() {
  if (boot.topup === null || boot.topup === boot.console_url + BILLING) return <Contact />
  return (
    <p>
      <a href={boot.topup}>{text.more}</a>
    </p>
  )
}

const BILLING = '/billing'
