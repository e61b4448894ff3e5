import { useRef, useState } from 'preact/hooks'
import { exactUsd, number } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { query, refine } from '../shared/frame/router.ts'
import { useResource } from '../shared/resource.ts'
import { Empty, Header, Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { type EndedRequest, FILTERS, listRequests, type RequestFilter, type RequestPage } from './api/requests.ts'
import { Origin } from './command.tsx'
import { Explained } from './explained.tsx'
import { usePause } from './pause.tsx'
import { RequestFilters } from './request-filters.tsx'
import { quoted } from './shell.ts'
import { reasonOf, Status } from './status.tsx'
import * as text from './texts/requests.tsx'
import { exactTime, timeOf } from './time.ts'

/** The newest requests of this process as they end; one of them, explained, where the address has its id. */
export function Requests() {
  const id = query.value.get('id')
  return id === null ? <Newest /> : <Explained id={id} />
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

/** What svcctl can narrow by; errors are all that it knows of statuses. */
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
            <RequestTable pages={pages} />
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

const None = ({ since, isFiltered }: { readonly since: string; readonly isFiltered: boolean }) => (
  <Empty fact={isFiltered ? text.noSuchRequest : text.noRequestYet}>
    <p class="muted">
      {isFiltered ? text.noneThatThisProcess : text.requestsShowUpHere} {exactTime(since)}.
    </p>
    {isFiltered && (
      <button type="button" onClick={() => refine(Object.fromEntries(FILTERS.map(name => [name, undefined])))}>
        {text.showAll}
      </button>
    )}
  </Empty>
)

export const RequestTable = ({ pages }: { readonly pages: readonly RequestPage[] }) => (
  <Table
    label={text.requests}
    columns={[
      { title: text.time },
      { title: text.status },
      { title: text.account },
      { title: text.plan, narrow: true },
      { title: text.model, narrow: true },
      { title: text.pool, narrow: true },
      { title: text.tokens, num: true, narrow: true },
      { title: text.cost, num: true, narrow: true },
      { title: text.ms, num: true, narrow: true },
    ]}
  >
    <tbody>
      {pages.flatMap(({ data, labels }) =>
        data.map(request => <Row key={request.request_id} request={request} labels={labels} />),
      )}
    </tbody>
  </Table>
)

interface RowProps {
  readonly request: EndedRequest
  readonly labels: RequestPage['labels']
}

function Row({ request, labels }: RowProps) {
  const { request_id, at, account, plan, pool, failures = [], usd, ms, path, asked } = request
  return (
    <tr>
      <td class="nowrap">
        <Link to="requests" query={{ id: request_id }} isRow>
          <time dateTime={at} title={exactTime(at)}>
            {timeOf(at)}
          </time>
        </Link>
      </td>
      <td class="nowrap">
        <Status request={request} />
      </td>
      <td class="clip">
        <bdi>{account === null ? <span class="muted">{text.unknown}</span> : (labels[account] ?? account)}</bdi>
        <p class="folded">{[asked ?? path, reasonOf(request)].filter(Boolean).join(' · ')}</p>
      </td>
      <td class="narrow">{plan ?? '–'}</td>
      <td class="narrow">
        <Model request={request} />
      </td>
      <td class="narrow nowrap">
        <Attempts failures={failures} />
        {pool ?? (failures.length === 0 && '–')}
      </td>
      <td class="num narrow">{tokensOf(request)}</td>
      <td class="num narrow">{usd === undefined ? '–' : exactUsd(usd)}</td>
      <td class="num narrow">{number(ms)}</td>
    </tr>
  )
}

/** Those that failed before the one that answered, each pool once. */
const Attempts = ({ failures }: { readonly failures: NonNullable<EndedRequest['failures']> }) =>
  [...new Set(failures.map(({ pool }) => pool))].map(pool => {
    const causes = failures.filter(failure => failure.pool === pool).map(({ cause }) => cause)
    return (
      <span key={pool} class="muted" title={causes.join(', ')}>
        <s>{pool}</s>
        {causes.length > 1 && ` ×${causes.length}`}{' '}
      </span>
    )
  })

const Model = ({ request: { asked, model, path } }: { readonly request: EndedRequest }) => (
  <bdi>
    <code>{asked ?? model ?? path}</code>
    {asked !== undefined && model !== undefined && model !== asked && (
      <span class="muted">
        {' → '}
        <code>{model}</code>
      </span>
    )}
  </bdi>
)

function tokensOf({ input_tokens, output_tokens = 0, estimated }: EndedRequest): string {
  if (input_tokens === undefined) return '–'
  return `${estimated ? '~' : ''}${number(input_tokens)} + ${number(output_tokens)}`
}
