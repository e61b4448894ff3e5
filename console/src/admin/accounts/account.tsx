import { useRef, useState } from 'preact/hooks'
import type { ApiProblem } from '../../shared/api.ts'
import { Copy } from '../../shared/copy.tsx'
import { dotted } from '../../shared/dotted.ts'
import { exactUsd, usd } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { toast } from '../../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { Header, Loaded, Problem } from '../../shared/states.tsx'
import { Time } from '../../shared/time/time.tsx'
import { apply, type Change, readAccount, type WholeAccount } from '../api/accounts.ts'
import { listAudit } from '../api/audit.ts'
import { listPast } from '../api/requests.ts'
import { may } from '../api/who.ts'
import { AuditTable } from '../audit-table.tsx'
import { Origin } from '../command.tsx'
import { FreshKey, type FreshTexts, FreshValue } from '../fresh-key.tsx'
import { RequestTable } from '../request-table.tsx'
import { RoleNote } from '../role-note.tsx'
import { quoted } from '../shell.ts'
import * as text from '../texts/account.tsx'
import * as invitationText from '../texts/invitation.tsx'
import { AccountHours } from './account-hours.tsx'
import { AccountKeys } from './account-keys.tsx'
import { AccountLimits } from './account-limits.tsx'
import { isFrozen, overageText, SOURCES, Spent } from './account-table.tsx'
import { type Asked, ChangeDialog } from './dialogs.tsx'

/** Everything of one account, and what an operator may change of it. */
export function Account({ id }: { readonly id: string }) {
  const whole = useResource(() => readAccount(id), 10_000)
  const requests = useResource(() => listPast({ account: id, since: '30d' }, 8), 10_000)
  const audit = useResource(() => listAudit({ account: id }, 20))
  const [asked, ask] = useState<Asked>()
  const [problem, setProblem] = useState<ApiProblem>()
  const [fresh, setFresh] = useState<string>()
  const [invitation, invite] = useState<string>()
  const panel = useRef(0)

  /** Whatever came of it, what is shown is as it is now. */
  const change = async (wanted: Change) => {
    setProblem(undefined)
    try {
      const { value, link, invitation } = await apply(wanted)
      if (invitation !== undefined) invite(link ?? invitation)
      if (value !== undefined) {
        panel.current++
        setFresh(value)
      }
      toast(wanted.done)
    } catch (error) {
      setProblem(problemFrom(error))
      // It stands above, and what was asked for perhaps far below.
      scrollTo(0, 0)
    }
    void whole.refresh()
    void audit.refresh()
  }
  const { account } = whole.data ?? {}
  return (
    <>
      <Header title={account?.label ?? text.account} aside={account && <Actions account={account} onAsk={ask} />}>
        <span class="row">
          <code>{id}</code>
          <Copy value={id} what={text.id} quiet />
          <Link to="accounts">{text.allAccounts}</Link>
          <Link to="invoices" query={{ account: id }}>
            {text.invoices}
          </Link>
          <Link to="accounts" query={{ id, ask: 'request' }}>
            {text.wouldThisBeServed}
          </Link>
        </span>
      </Header>
      <RoleNote />
      {problem && <Problem problem={problem} />}
      {invitation !== undefined && (
        <FreshValue value={invitation} texts={INVITATION} onDone={() => invite(undefined)} />
      )}
      {fresh !== undefined && <FreshKey key={panel.current} value={fresh} onDone={() => setFresh(undefined)} />}
      <Loaded of={whole}>
        {data => (
          <>
            <Facts whole={data} />
            <AccountHours id={id} />
            <AccountLimits whole={data} onAsk={ask} />
            <AccountKeys keys={data.keys} isDevice={data.account.kind === 'guest'} onAsk={ask} />
          </>
        )}
      </Loaded>
      <section>
        <div class="split end-line">
          <h2>{text.lastRequests}</h2>
          <Link to="requests" query={{ account: id, since: '30d' }}>
            {text.allOf30Days}
          </Link>
        </div>
        <Loaded of={requests}>
          {page =>
            page.data.length === 0 ? (
              <p class="muted">{text.noneIn30Days}</p>
            ) : (
              <RequestTable pages={[page]} hasAccount={false} />
            )
          }
        </Loaded>
      </section>
      <section>
        <h2>{text.changes}</h2>
        <Loaded of={audit}>
          {({ data }) =>
            data.length === 0 ? (
              <p class="muted">{text.nothingWasChangedYet}</p>
            ) : (
              <AuditTable rows={data} hasAccount={false} />
            )
          }
        </Loaded>
      </section>
      <Origin command={`svcctl accounts show ${quoted(id)}`} />
      {asked && account && (
        <ChangeDialog asked={asked} account={account} onChange={change} onClose={() => ask(undefined)} />
      )}
    </>
  )
}

interface ActionsProps {
  readonly account: WholeAccount['account']
  readonly onAsk: (asked: Asked) => void
}

/** Devices have the plan of all of them, so that nothing but a freeze is to be decided of one. */
const Actions = ({ account, onAsk }: ActionsProps) => (
  <div class="row">
    {account.kind === 'developer' && may('admin') && (
      <>
        <button type="button" onClick={() => onAsk({ what: 'plan' })}>
          {text.setPlan}
        </button>
        <button type="button" onClick={() => onAsk({ what: 'org' })}>
          {text.askOrg}
        </button>
        {isOpened(account) && (
          <button type="button" onClick={() => onAsk({ what: 'invite' })}>
            {text.askInvite}
          </button>
        )}
      </>
    )}
    {account.kind === 'developer' && may('support') && (
      <button type="button" onClick={() => onAsk({ what: 'grant' })}>
        {text.grant}
      </button>
    )}
    {account.kind === 'developer' && may('admin') && (
      <button type="button" onClick={() => onAsk({ what: 'overage' })}>
        {text.askOverage}
      </button>
    )}
    {may('admin') && (
      <button
        type="button"
        class={account.frozen ? '' : 'danger'}
        onClick={() => onAsk({ what: account.frozen ? 'thaw' : 'freeze' })}
      >
        {account.frozen ? text.thaw : text.freeze}
      </button>
    )}
  </div>
)

const INVITATION: FreshTexts = {
  title: invitationText.title,
  shownOnce: invitationText.shownOnce,
  what: invitationText.what,
  notCopied: invitationText.notCopied,
  saved: invitationText.saved,
}

/** Whether an operator opened it: one that began with a sign-in has the hash of that in its id, and needs no other. */
const isOpened = ({ account }: WholeAccount['account']): boolean => !/^acct_[0-9a-f]{40}$/.test(account)

function Facts({ whole: { account, standing } }: { readonly whole: WholeAccount }) {
  const { plan, plan_source, overage, overage_source, granted_usd, org, window } = account
  return (
    <>
      {isFrozen(account) && (
        <p class="note bad">
          {text.nothingIsServed(account.frozen ? text.thisAccountIsFrozen : text.allOfIsFrozen(org ?? ''))}
        </p>
      )}
      {account.invited_until !== null && <p class="note info">{text.isInvited(<Time at={account.invited_until} />)}</p>}
      {plan === null || standing.limit_usd === null ? <p class="note bad">{text.theFilesDeclare}</p> : null}
      <section aria-label={text.whatItMayUse}>
        <div class="box cells">
          <div>
            <p class="muted">{text.plan}</p>
            <p class="figure">
              <bdi>{plan ?? text.none}</bdi>
            </p>
            <p class="small muted">{SOURCES[plan_source]}</p>
          </div>
          <div>
            <p class="muted">{text.spentThisWindow}</p>
            <div class="figure">
              <Spent account={account} />
            </div>
            <p class="small muted">
              {dotted([
                ...(Number(granted_usd) > 0 ? [text.ofItGranted(exactUsd(granted_usd))] : []),
                ...(Number(account.held_usd) > 0 ? [text.reserved(usd(Number(account.held_usd)))] : []),
                text.resets(<Time at={window.end} />),
              ])}
            </p>
          </div>
          <div>
            <p class="muted">{text.overageTitle}</p>
            <p class="figure">{overageText(overage)}</p>
            <p class="small muted">{overage_source === 'operator' ? text.setByAnOperator : text.asItsPlanSays}</p>
          </div>
          <div>
            <p class="muted">{text.orgTitle}</p>
            <p class="figure">
              {org === null ? (
                text.none
              ) : (
                <Link to="accounts" query={{ org }}>
                  <bdi>{org}</bdi>
                </Link>
              )}
            </p>
            <p class="small muted">{text.accountSince(<Time at={account.created * 1000} />)}</p>
          </div>
        </div>
      </section>
    </>
  )
}
