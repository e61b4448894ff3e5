import { useRef, useState } from 'preact/hooks'
import { query, refine } from '../shared/frame/router.ts'
import { useResource } from '../shared/resource.ts'
import { Empty, Header, Loaded } from '../shared/states.tsx'
import { Time } from '../shared/time/time.tsx'
import { FILTERS, listRequests, type RequestFilter, type RequestPage } from './api/requests.ts'
import { Origin } from './command.tsx'
import { Explained } from './explained.tsx'
import { PastRequests } from './past-requests.tsx'
import { usePause } from './pause.tsx'
import { RequestFilters } from './request-filters.tsx'
import { RequestTable } from './request-table.tsx'
import { quoted } from './shell.ts'
import * as text from './texts/requests.tsx'

/** The newest requests of this process as they end, or those of the past; one of them, explained, where the address has its id. */
export function Requests() {
  const id = query.value.get('id')
  if (id !== null) return <Explained id={id} />
  const since = query.value.get('since')
  return since ? <PastRequests since={since} /> : <Newest />
}

function Newest() {
  const filter = filterIn(query.value)
  const { isPaused, button } = usePause()
  return (
    <>
      <Header title={text.requests} aside={button}>
        {text.theLast5000}
      </Header>
      <RequestFilters filter={filter} />
      <List key={JSON.stringify(filter)} filter={filter} isPaused={isPaused} />
      <Origin command={commandOf(filter)} />
    </>
  )
}

const filterIn = (wanted: URLSearchParams): RequestFilter =>
  Object.fromEntries(FILTERS.flatMap(name => (wanted.get(name) ? [[name, wanted.get(name)]] : [])))

/** The filters that svcctl has too; errors are all that it knows of statuses. */
function commandOf({ account, model, pool, status }: RequestFilter): string {
  const options = Object.entries({ account, model, pool }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(value)}`],
  )
  if (status?.startsWith('4') || status?.startsWith('5')) options.push('--errors')
  return options.length === 0 ? 'svcctl requests tail' : `svcctl requests list ${options.join(' ')}`
}

interface ListProps {
  readonly filter: RequestFilter
  readonly isPaused: boolean
}

function List({ filter, isPaused }: ListProps) {
  const [older, setOlder] = useState<readonly RequestPage[]>([])
  const last = useRef<RequestPage>(null)
  // Below older ones, newer ones would leave a gap.
  const stands = useRef(false)
  stands.current = isPaused || older.length > 0
  const requests = useResource(async () => {
    if (!last.current || !stands.current) last.current = await listRequests(filter)
    return last.current
  }, 2000)
  return (
    <Loaded of={requests}>
      {newest => {
        const pages = [newest, ...older]
        const next = pages.at(-1)?.next ?? null
        const more = async (before: string) => setOlder([...older, await listRequests({ ...filter, before })])
        if (newest.data.length === 0) return <None since={newest.since} isFiltered={Object.keys(filter).length > 0} />
        return (
          <>
            <RequestTable pages={pages} isByEnd />
            {next === null && (
              <div class="row">
                <ToThePast />
              </div>
            )}
            {next !== null && (
              <div class="row">
                <button type="button" onClick={() => void more(next)}>
                  {text.older}
                </button>
                {older.length > 0 && (
                  <button type="button" onClick={() => setOlder([])}>
                    {text.backToTheNewest}
                  </button>
                )}
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** Leads to the ledger, which has the requests of before this process and of other gateways. */
const ToThePast = () => (
  <button type="button" onClick={() => refine({ since: '24h', status: '', plan: '', code: '' })}>
    {text.last24Hours}
  </button>
)

const None = ({ since, isFiltered }: { readonly since: string; readonly isFiltered: boolean }) => (
  <Empty fact={isFiltered ? text.noSuchRequest : text.noRequestYet}>
    <p class="muted">
      {(isFiltered ? text.noneThatThisProcess : text.requestsShowUpHere)(<Time at={since} isExact />)}
    </p>
    {isFiltered && (
      <button type="button" onClick={() => refine(Object.fromEntries(FILTERS.map(name => [name, undefined])))}>
        {text.showAll}
      </button>
    )}
    <ToThePast />
  </Empty>
)
