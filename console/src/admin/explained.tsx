import type { ComponentChildren } from 'preact'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { exactUsd, number } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Header, Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { type RequestRecord, readRequest } from './api/requests.ts'
import { Origin } from './command.tsx'
import { Decision } from './decision.tsx'
import { labelsOf } from './request-table.tsx'
import { Status } from './status.tsx'
import * as text from './texts/explained.tsx'

/** One request: how it ended, what was decided about it and why, and what it cost. */
export function Explained({ id }: { readonly id: string }) {
  const record = useResource(() => readRequest(id))
  return (
    <>
      <Header
        title={text.request}
        aside={
          <Link to="requests" keys="Escape">
            {text.allRequests}
          </Link>
        }
      >
        <code>{id}</code>
      </Header>
      <Loaded of={record}>
        {data => (
          <>
            <Facts record={data} />
            {data.decision ? (
              <Decision past={data.decision} />
            ) : (
              <p class="note">
                {data.why_none} {whyUnknown(data)}
              </p>
            )}
            {data.notes?.map(note => (
              <p key={note} class="note">
                {note}
              </p>
            ))}
            <Attempts record={data} />
            {data.ledger.length > 0 && <Ledger rows={data.ledger} />}
          </>
        )}
      </Loaded>
      <Origin command={`svcctl explain --request ${id}`} />
    </>
  )
}

/** A decision is written down; a refusal before it is not. */
const whyUnknown = ({ request }: RequestRecord): string =>
  request?.code === undefined ? text.anotherGatewayThatShares : text.itWasRefusedBefore(request.code)

/** Where it went, who sent it, and how it ended. */
function Facts({ record }: { readonly record: RequestRecord }) {
  const { request, ledger, labels, decision } = record
  const [row] = ledger
  const account = request?.account ?? row?.account
  const path = request ? `${request.method} ${request.path}` : decision && `POST ${decision.path}`
  const asked = request?.asked ?? decision?.asked ?? row?.asked
  const model = request?.model ?? row?.model ?? decision?.outcome?.model
  return (
    <dl class="box facts">
      {request && (
        <Fact name={text.ended}>
          <Status request={request} /> <span class="muted">{text.inMs(number(request.ms))}</span>
        </Fact>
      )}
      {path && (
        <Fact name={text.endpoint}>
          <code>{path}</code>
        </Fact>
      )}
      {account && (
        <Fact name={text.account}>
          <Link to="accounts" query={{ id: account }}>
            <bdi>{labels[account] ?? account}</bdi>
          </Link>{' '}
          <span class="muted">{request?.plan ?? row?.plan}</span>
        </Fact>
      )}
      <Names record={record} />
      {(asked || model) && (
        <Fact name={text.model}>
          <bdi>
            <code>{asked ?? model}</code>
          </bdi>
          {asked && model && asked !== model && (
            <>
              {' → '}
              <code>{model}</code>
            </>
          )}
        </Fact>
      )}
      <At record={record} />
    </dl>
  )
}

/** Its labels and its session. */
function Names({ record: { request, ledger } }: { readonly record: RequestRecord }) {
  const of = ledger[0] ?? request
  return (
    <>
      {of?.labels && (
        <Fact name={text.labels}>
          <bdi class="anywhere">{labelsOf(of.labels)}</bdi>
        </Fact>
      )}
      {of?.session && (
        <Fact name={text.session}>
          <bdi class="anywhere">{of.session}</bdi>
        </Fact>
      )}
    </>
  )
}

function At({ record: { request, decision, ledger } }: { readonly record: RequestRecord }) {
  const at = request?.at ?? decision?.at ?? ledger[0]?.admitted_at
  return at === undefined ? null : (
    <Fact name={text.at}>
      <Time at={at} isExact />
    </Fact>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** The pools that were tried, in their order. */
function Attempts({ record: { request } }: { readonly record: RequestRecord }) {
  const { pool, failures = [], interrupted } = request ?? {}
  if (failures.length === 0) return null
  return (
    <section>
      <h2>{text.attempts}</h2>
      <ol class="box attempts">
        {failures.map((failure, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
          <li key={at}>
            <b>{failure.pool}</b> <State tone="bad">{failure.cause}</State>
          </li>
        ))}
        {pool !== undefined && (
          <li>
            <b>{pool}</b> <State tone={interrupted === undefined ? 'ok' : 'bad'}>{interrupted ?? text.answered}</State>
          </li>
        )}
      </ol>
    </section>
  )
}

const Ledger = ({ rows }: { readonly rows: readonly LedgerRecord[] }) => (
  <section>
    <h2>{text.ledger}</h2>
    <Table
      label={text.ledger}
      columns={[
        { title: text.kind },
        { title: text.pool },
        { title: text.model, narrow: true },
        { title: text.settled, narrow: true },
        { title: text.tokens, num: true, narrow: true },
        { title: text.cost, num: true },
      ]}
    >
      <tbody>
        {rows.map(row => (
          <tr key={`${row.kind} ${row.pool} ${row.settled_at} ${row.usd}`}>
            <td>
              {row.kind} {row.cause !== null && <span class="muted">{row.cause}</span>}
            </td>
            <td>{row.pool}</td>
            <td class="narrow">{row.model}</td>
            <td class="narrow nowrap">
              <Time at={row.settled_at} />
            </td>
            <td class="num narrow">{`${row.estimated ? '~' : ''}${number(row.input_tokens)} + ${number(row.output_tokens)}`}</td>
            <td class="num">{exactUsd(row.usd)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  </section>
)
