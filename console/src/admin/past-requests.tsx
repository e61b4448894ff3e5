import { useState } from 'preact/hooks'
import type { ApiProblem } from '../shared/api.ts'
import { query, refine } from '../shared/frame/router.ts'
import { problemFrom, useResource } from '../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../shared/states.tsx'
import { Time } from '../shared/time/time.tsx'
import { listPast, PAST_FILTERS, type PastFilter, type PastPage } from './api/requests.ts'
import { Origin } from './command.tsx'
import { PastFilters } from './request-filters.tsx'
import { RequestTable } from './request-table.tsx'
import { quoted } from './shell.ts'
import * as text from './texts/requests.tsx'

/** Requests of the past, a page at a time, whichever process served them. */
export function PastRequests({ since }: { readonly since: string }) {
  const wanted = query.value
  const given = PAST_FILTERS.flatMap(name => (wanted.get(name) ? [[name, wanted.get(name)]] : []))
  const filter: PastFilter = { ...Object.fromEntries(given), since }
  return (
    <>
      <Header title={text.requests}>{text.ofTheLedger}</Header>
      <PastFilters filter={filter} />
      <List key={JSON.stringify(filter)} filter={filter} />
      <Origin command={commandOf(filter)} />
    </>
  )
}

function commandOf({ errors, before: _, ...words }: PastFilter): string {
  const options = Object.entries(words).map(([name, value]) => `--${name} ${quoted(value)}`)
  return ['svcctl requests list', ...options, ...(errors ? ['--errors'] : [])].join(' ')
}

function List({ filter }: { readonly filter: PastFilter }) {
  const [older, setOlder] = useState<readonly PastPage[]>([])
  const [problem, setProblem] = useState<ApiProblem>()
  const newest = useResource(() => listPast(filter))
  const more = async (before: string) => {
    setProblem(undefined)
    try {
      const page = await listPast({ ...filter, before })
      setOlder(pages => [...pages, page])
    } catch (error) {
      setProblem(problemFrom(error))
    }
  }
  return (
    <Loaded of={newest}>
      {first => {
        const pages = [first, ...older]
        const next = pages.at(-1)?.next ?? null
        const isEmpty = pages.every(({ data }) => data.length === 0)
        return (
          <>
            {isEmpty && next === null ? <None filter={filter} /> : <RequestTable pages={pages} />}
            {problem && <Problem problem={problem} />}
            {next !== null && (
              <div class="row">
                <button type="button" onClick={() => void more(next)}>
                  {isEmpty ? text.lookFurther : text.older}
                </button>
              </div>
            )}
            <Notes page={first} />
          </>
        )
      }}
    </Loaded>
  )
}

function None({ filter }: { readonly filter: PastFilter }) {
  const isFiltered = PAST_FILTERS.some(name => filter[name])
  return (
    <Empty fact={isFiltered ? text.noSuchRequest : text.noRequestThen}>
      <p class="muted">{text.noneInTheLedger}</p>
      {isFiltered && (
        <button type="button" onClick={() => refine(Object.fromEntries(PAST_FILTERS.map(name => [name, undefined])))}>
          {text.showAll}
        </button>
      )}
    </Empty>
  )
}

/** Notes on the gaps in a list of the past. */
const Notes = ({ page: { refusals_since, not_read, unreached } }: { readonly page: PastPage }) => (
  <p class="small muted">
    {refusals_since !== null && text.refusalsSince(<Time at={refusals_since} isExact />)}{' '}
    {not_read !== undefined && text.archived(not_read)} {unreached.length > 0 && text.missing(unreached.join(', '))}
  </p>
)
