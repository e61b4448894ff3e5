import { exactUsd, number } from '../shared/fmt.ts'
import { Link } from '../shared/link.tsx'
import { useResource } from '../shared/resource.ts'
import { Header, Loaded } from '../shared/states.tsx'
import { type RequestRecord, readRequest } from './api/requests.ts'
import { Command } from './command.tsx'
import { Status } from './status.tsx'
import { Table } from './table.tsx'
import { exactTime } from './time.ts'

/** One request: how it ended, what was decided about it and why, and what it cost. */
export function Explained({ id }: { readonly id: string }) {
  const record = useResource(() => readRequest(id))
  return (
    <>
      <Header title="Request" aside={<Link to="requests">All requests</Link>}>
        <code>{id}</code>
      </Header>
      <Loaded of={record}>{data => <Facts record={data} />}</Loaded>
      <Command text={`svcctl explain --request ${id}`} />
    </>
  )
}

const Facts = ({ record: { request, ledger } }: { readonly record: RequestRecord }) => (
  <>
    {request && (
      <dl class="terms box pad">
        <dt>Ended</dt>
        <dd>
          <Status request={request} /> in {number(request.ms)} ms, {exactTime(request.at)}
        </dd>
        <dt>Endpoint</dt>
        <dd>
          <code>
            {request.method} {request.path}
          </code>
        </dd>
      </dl>
    )}
    {ledger.length > 0 && (
      <section>
        <h2>Ledger</h2>
        <Table
          label="Ledger"
          columns={[
            { title: 'Kind' },
            { title: 'Pool' },
            { title: 'Model', narrow: true },
            { title: 'Tokens', num: true, narrow: true },
            { title: 'Cost', num: true },
          ]}
        >
          <tbody>
            {ledger.map(row => (
              <tr key={`${row.kind} ${row.pool} ${row.settled_at}`}>
                <td>
                  {row.kind} {row.cause !== null && <span class="muted">{row.cause}</span>}
                </td>
                <td>{row.pool}</td>
                <td class="narrow">{row.model}</td>
                <td class="num narrow">{`${number(row.input_tokens)} + ${number(row.output_tokens)}`}</td>
                <td class="num">{exactUsd(row.usd)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </section>
    )}
  </>
)
