import { useState } from 'preact/hooks'
import type { ShownAudit } from '../../../src/wire/admin/audit.ts'
import type { ApiProblem } from '../shared/api.ts'
import { query, refine } from '../shared/frame/router.ts'
import { problemFrom, useResource } from '../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../shared/states.tsx'
import { type AuditQuery, listAudit } from './api/audit.ts'
import { AuditTable } from './audit-table.tsx'
import { Origin } from './command.tsx'
import { quoted } from './shell.ts'
import * as text from './texts/audit.tsx'

/** Who changed keys, accounts, pools and the files that serve. */
export function Audit() {
  const [account, action, by] = ['account', 'action', 'by'].map(name => query.value.get(name) ?? '')
  const wanted = { ...(account && { account }), ...(action && { action }), ...(by && { by }) }
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    refine(Object.fromEntries([...fields].map(([name, value]) => [name, String(value).trim()])))
  }
  return (
    <>
      <Header
        title={text.audit}
        aside={
          <form class="filters" onSubmit={search}>
            <input
              type="search"
              name="account"
              aria-label={text.account}
              placeholder={text.findAccount}
              defaultValue={account}
            />
            <input name="by" aria-label={text.by} placeholder={text.by} defaultValue={by} />
            <select
              name="action"
              aria-label={text.change}
              value={action}
              onChange={event => event.currentTarget.form?.requestSubmit()}
            >
              <option value="">{text.allChanges}</option>
              {ACTIONS.map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
            <button type="submit">{text.find}</button>
          </form>
        }
      >
        {text.whoChangedKeysAccounts}
      </Header>
      <Changes key={JSON.stringify(wanted)} query={wanted} />
      <Origin command={`svcctl audit${account ? ` --account ${quoted(account)}` : ''}`} />
    </>
  )
}

/** Pages of changes below each other. */
function Changes({ query: wanted }: { readonly query: AuditQuery }) {
  const first = useResource(() => listAudit(wanted))
  const [older, setOlder] = useState<{ readonly rows: readonly ShownAudit[]; readonly next: string | null }>()
  const [problem, setProblem] = useState<ApiProblem>()
  const goOn = async (before: string) => {
    try {
      const page = await listAudit({ ...wanted, before })
      setOlder({ rows: [...(older?.rows ?? []), ...page.data], next: page.next })
      setProblem(undefined)
    } catch (error) {
      setProblem(problemFrom(error))
    }
  }
  return (
    <Loaded of={first}>
      {({ data, next }) => {
        const before = older ? older.next : next
        if (data.length === 0) return <NoChange isFiltered={Object.keys(wanted).length > 0} />
        return (
          <>
            <AuditTable rows={[...data, ...(older?.rows ?? [])]} />
            {problem && <Problem problem={problem} />}
            {before !== null && (
              <div class="row">
                <button type="button" onClick={() => void goOn(before)}>
                  {text.older}
                </button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const NoChange = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <Empty fact={isFiltered ? text.noSuchChange : text.noChangeYet}>
    <p class="muted">{isFiltered ? text.nothingWasChangedSo : text.whatBeginsTheAudit}</p>
  </Empty>
)

const ACTIONS = [
  ...['mint', 'rotate', 'revoke', 'set-plan', 'set-overage', 'grant', 'set-limit', 'unset-limit', 'freeze', 'thaw'],
  ...[
    'set-org',
    'invite',
    'uninvite',
    'join',
    'leave',
    'set-notices',
    'apply',
    'rollback',
    'reload',
    'drain',
    'undrain',
    'refuse',
  ],
]
