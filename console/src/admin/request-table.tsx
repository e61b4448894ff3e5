import { exactUsd, number } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import type { ListedRequest, RequestPage } from './api/requests.ts'
import { reasonOf, Status } from './status.tsx'
import * as text from './texts/requests.tsx'

/** Requests, newest first, each of which leads to all that is known of it. */
export const RequestTable = ({ pages }: { readonly pages: readonly ListedPage[] }) => (
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

interface ListedPage extends Pick<RequestPage, 'labels'> {
  readonly data: readonly ListedRequest[]
}

interface RowProps {
  readonly request: ListedRequest
  readonly labels: RequestPage['labels']
}

function Row({ request, labels }: RowProps) {
  const { request_id, at, account, plan, pool, failures = [], usd, ms, path, asked, model } = request
  return (
    <tr>
      <td class="nowrap">
        <Link to="requests" query={{ id: request_id }} isRow>
          <Time at={at} />
        </Link>
      </td>
      <td class="nowrap">
        <Status request={request} />
      </td>
      <td class="clip">
        <bdi>{account === null ? <span class="muted">{text.unknown}</span> : (labels[account] ?? account)}</bdi>
        <p class="folded">{[asked ?? model ?? path, reasonOf(request)].filter(Boolean).join(' · ')}</p>
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
const Attempts = ({ failures }: { readonly failures: NonNullable<ListedRequest['failures']> }) =>
  [...new Set(failures.map(({ pool }) => pool))].map(pool => {
    const causes = failures.filter(failure => failure.pool === pool).map(({ cause }) => cause)
    return (
      <span key={pool} class="muted" title={causes.join(', ')}>
        <s>{pool}</s>
        {causes.length > 1 && ` ×${causes.length}`}{' '}
      </span>
    )
  })

const Model = ({ request: { asked, model, path } }: { readonly request: ListedRequest }) => (
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

function tokensOf({ input_tokens, output_tokens = 0, estimated }: ListedRequest): string {
  if (input_tokens === undefined) return '–'
  return `${estimated ? '~' : ''}${number(input_tokens)} + ${number(output_tokens)}`
}
