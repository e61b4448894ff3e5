import { Fragment } from 'preact'
import { exactUsd, number } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import type { ListedRequest, RequestPage } from './api/requests.ts'
import { Label } from './label.tsx'
import { reasonOf, Status } from './status.tsx'
import * as text from './texts/requests.tsx'

/** Requests, newest first, each of which leads to all that is known of it. */
export const RequestTable = ({ pages, isByEnd = false, hasAccount = true }: TableProps) => (
  <Table
    label={text.requests}
    columns={[
      { title: text.time },
      { title: text.status },
      ...(hasAccount ? [{ title: text.account }] : []),
      { title: text.plan, narrow: true },
      { title: text.model, ...(hasAccount && { narrow: true as const }) },
      { title: text.pool, narrow: true },
      { title: text.tokens, num: true, narrow: true },
      { title: text.cost, num: true, narrow: true },
      { title: text.ms, num: true, narrow: true },
    ]}
  >
    <tbody>
      {pages.flatMap(({ data, labels }) =>
        data.map(request => <Row key={request.request_id} {...{ request, labels, isByEnd, hasAccount }} />),
      )}
    </tbody>
  </Table>
)

interface ListedPage extends Pick<RequestPage, 'labels'> {
  readonly data: readonly ListedRequest[]
}

interface TableProps {
  readonly pages: readonly ListedPage[]
  /** Set for requests in the order in which they ended: their times are those of their ends then. */
  readonly isByEnd?: boolean
  /** Left out where all requests are of one. */
  readonly hasAccount?: boolean
}

interface RowProps extends Required<Pick<TableProps, 'isByEnd' | 'hasAccount'>> {
  readonly request: ListedRequest
  readonly labels: RequestPage['labels']
}

function Row({ request, labels, isByEnd, hasAccount }: RowProps) {
  const { request_id, at, account, plan, pool, failures = [], usd, ms, path, asked, model } = request
  return (
    <tr>
      <td class="nowrap">
        <Link to="requests" query={{ id: request_id }} isRow>
          <Time at={isByEnd ? Date.parse(at) + ms : at} />
        </Link>
      </td>
      <td class="nowrap">
        <Status request={request} />
      </td>
      {hasAccount && (
        <td>
          {account === null ? <span class="muted">{text.unknown}</span> : <Label text={labels[account] ?? account} />}
          <p class="folded anywhere">{[asked ?? model ?? path, reasonOf(request)].filter(Boolean).join(' · ')}</p>
        </td>
      )}
      <td class="narrow">{plan ?? '–'}</td>
      <td class={hasAccount ? 'narrow' : 'anywhere'}>
        <Model request={request} />
        {!hasAccount && <p class="folded anywhere">{reasonOf(request)}</p>}
        {request.labels && <p class="small muted">{labelsOf(request.labels)}</p>}
      </td>
      <td class="narrow">
        <Attempts failures={failures} />
        <span class="nowrap">{pool ?? (failures.length === 0 && '–')}</span>
      </td>
      <td class="num narrow">{tokensOf(request)}</td>
      <td class="num narrow">{usd === undefined ? '–' : exactUsd(usd)}</td>
      <td class="num narrow">{number(ms)}</td>
    </tr>
  )
}

/** Those that failed before the one that answered, each pool once. */
const Attempts = ({ failures }: { readonly failures: NonNullable<ListedRequest['failures']> }) =>
  [...new Set(failures.map(({ pool }) => pool))].map(pool => {
    const causes = failures.filter(failure => failure.pool === pool).map(({ cause }) => cause)
    return (
      <Fragment key={pool}>
        <span class="muted nowrap" title={causes.join(', ')}>
          <s>{pool}</s>
          {causes.length > 1 && ` ×${causes.length}`}
        </span>{' '}
      </Fragment>
    )
  })

const Model = ({ request: { asked, model, path } }: { readonly request: ListedRequest }) => (
  <bdi class="model">
    <code>{asked ?? model ?? path}</code>
    {asked !== undefined && model !== undefined && model !== asked && (
      <span class="muted">
        {' → '}
        <code>{model}</code>
      </span>
    )}
  </bdi>
)

/** `project=web team=core` */
export const labelsOf = (labels: object): string =>
  Object.entries(labels)
    .map(each => each.join('='))
    .join(' ')

function tokensOf({ input_tokens, output_tokens = 0, estimated }: ListedRequest): string {
  if (input_tokens === undefined) return '–'
  return `${estimated ? '~' : ''}${number(input_tokens)} + ${number(output_tokens)}`
}
