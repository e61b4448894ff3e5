import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ShownAccount } from '../../../../src/wire/admin/account.ts'
import type { ApiProblem } from '../../shared/api.ts'
import { query, refine } from '../../shared/frame/router.ts'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../../shared/states.tsx'
import { type AccountsQuery, findAccounts, listAccounts } from '../api/accounts.ts'
import { readMatrix } from '../api/plans.ts'
import { Origin } from '../command.tsx'
import { quoted } from '../shell.ts'
import * as text from '../texts/accounts.tsx'
import { Account } from './account.tsx'
import { AccountTable } from './account-table.tsx'
import { useNewAccount } from './new-account.tsx'
import { WouldServe } from './would-serve.tsx'

/** Accounts, found by what an operator types, and one of them. */
export function Accounts() {
  const id = query.value.get('id')
  if (id === null) return <List />
  return query.value.has('ask') ? <WouldServe id={id} /> : <Account id={id} />
}

function List() {
  const [typed, type] = useState(query.peek().get('find') ?? '')
  const search = useSettled(typed.trim())
  const { button, panel } = useNewAccount()
  const matrix = useResource(readMatrix)
  const [plan, org, sort] = ['plan', 'org', 'sort'].map(name => query.value.get(name) ?? '')
  const wanted = { ...(plan && { plan }), ...(org && { org }), ...(sort && { sort }) }
  return (
    <>
      <Header
        title={text.accounts}
        aside={
          <div class="filters">
            <input
              type="search"
              aria-label={text.findAnAccount}
              placeholder={text.labelIdOrKey}
              autocomplete="off"
              value={typed}
              onInput={event => type(event.currentTarget.value)}
            />
            <select aria-label={text.plan} value={plan} onChange={event => refine({ plan: event.currentTarget.value })}>
              <option value="">{text.allPlans}</option>
              {(matrix.data?.plans.map(each => each.plan) ?? [plan]).filter(Boolean).map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
            <select
              aria-label={text.order}
              value={sort}
              onChange={event => refine({ sort: event.currentTarget.value })}
            >
              {ORDERS.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
            {button}
          </div>
        }
      >
        {text.whatEachMayUse}
        {org && <>{text.thoseOf(org)}</>}
      </Header>
      {panel}
      {search === '' ? (
        <Pages key={JSON.stringify(wanted)} query={wanted} opening={button} />
      ) : (
        <Found key={search} search={search} query={wanted} />
      )}
      <Origin command={['svcctl accounts list', ...optionsOf({ ...wanted, ...(search && { search }) })].join(' ')} />
    </>
  )
}

const ORDERS = [
  ['', text.byLabel],
  ['spend', text.mostSpentFirst],
  ['created', text.newestFirst],
] as const

/** A key that was typed stays out of the command: it would be in the history of a shell. */
const optionsOf = ({ search, ...others }: AccountsQuery): readonly string[] => [
  ...Object.entries(others).map(([name, value]) => `--${name} ${quoted(value)}`),
  ...(search === undefined || /_[0-9A-Za-z]{20}/.test(search) ? [] : [`--search ${quoted(search)}`]),
]

/** The text typed, once it stays the same for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const SETTLED_MS = 250

interface PagesProps {
  readonly query: AccountsQuery
  /** The button for people who have none yet. */
  readonly opening?: ComponentChildren
}

/** Pages of accounts below each other. */
function Pages({ query: wanted, opening }: PagesProps) {
  const first = useResource(() => listAccounts(wanted))
  const [more, setMore] = useState<{ readonly rows: readonly ShownAccount[]; readonly next: string | null }>()
  const [problem, setProblem] = useState<ApiProblem>()
  const goOn = async (cursor: string) => {
    try {
      const page = await listAccounts({ ...wanted, cursor })
      setMore({ rows: [...(more?.rows ?? []), ...page.data], next: page.next })
    } catch (error) {
      setProblem(problemFrom(error))
    }
  }
  return (
    <Loaded of={first}>
      {({ data, next }) => {
        const cursor = more ? more.next : next
        if (data.length === 0)
          return (
            <Empty fact={wanted.plan || wanted.org ? text.noAccountOfThese : text.noAccount}>
              <p class="muted">{text.accountsBeginWithTheir}</p>
              {opening}
            </Empty>
          )
        return (
          <>
            <AccountTable accounts={[...data, ...(more?.rows ?? [])]} />
            {problem && <Problem problem={problem} />}
            {cursor !== null && (
              <div class="row">
                <button type="button" onClick={() => void goOn(cursor)}>
                  {text.more}
                </button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** The accounts found at once; all of them, where the reader asks for them. */
function Found({ search, query: wanted }: { readonly search: string; readonly query: AccountsQuery }) {
  const [isWhole, setWhole] = useState(false)
  const found = useResource(() => findAccounts(search))
  if (isWhole) return <Pages query={{ ...wanted, search }} />
  return (
    <Loaded of={found}>
      {({ data, partial }) => (
        <>
          {data.length === 0 ? <p class="muted">{text.noAccountIsFound}</p> : <AccountTable accounts={data} />}
          {partial && (
            <div class="row">
              <p class="muted">{text.thereMayBeMore}</p>
              <button type="button" onClick={() => setWhole(true)}>
                {text.lookThroughAllAccounts}
              </button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}
