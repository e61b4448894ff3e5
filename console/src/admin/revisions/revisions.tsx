import type { ShownRevisionLine } from '../../../../src/wire/admin/revision.ts'
import { Link } from '../../shared/frame/link.tsx'
import { query } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import { listRevisions } from '../api/revisions.ts'
import { Origin } from '../command.tsx'
import { Table } from '../table.tsx'
import { exactTime, timeOf } from '../time.ts'
import { Comparison } from './comparison.tsx'

/** The configurations that served, and what changed from one to another. */
export function Revisions() {
  const revisions = useResource(listRevisions, 30_000)
  const [from, to] = ['from', 'to'].map(name => Number(query.value.get(name)))
  if (from && to)
    return (
      <Loaded of={revisions}>
        {({ revisions: kept }) => <Comparison key={`${from} ${to}`} kept={kept} from={from} to={to} />}
      </Loaded>
    )
  return (
    <>
      <Header title="Revisions">
        The newest 50 configurations that served. Policies are files in git: they are changed there, and put in force by{' '}
        <code>svcctl plan</code> and <code>svcctl apply</code>.
      </Header>
      <Loaded of={revisions}>{({ revisions: kept }) => <RevisionTable kept={kept} />}</Loaded>
      <Origin command="svcctl rollback --list" />
    </>
  )
}

const RevisionTable = ({ kept }: { readonly kept: readonly ShownRevisionLine[] }) => (
  <Table
    label="Revisions, the newest first"
    columns={[
      { title: 'Number' },
      { title: 'Revision' },
      { title: 'Since' },
      { title: 'Came by' },
      { title: 'By', narrow: true },
      { title: 'Files', num: true, narrow: true },
      { title: 'Changes' },
    ]}
  >
    <tbody>
      {kept.map((each, at) => {
        const { number, revision, at: since, by, how, files, serves } = each
        const before = kept[at + 1]
        return (
          <tr key={number}>
            <td>{number}</td>
            <td>
              <code>{revision}</code>
              {serves && (
                <p>
                  <span class="dot ok">Serves</span>
                </p>
              )}
            </td>
            <td class="nowrap">
              <time dateTime={since} title={exactTime(since)}>
                {timeOf(since)}
              </time>
            </td>
            <td>{how}</td>
            <td class="narrow anywhere">
              <bdi>{by === how ? '–' : by}</bdi>
            </td>
            <td class="num narrow">{files}</td>
            <td>
              {before ? (
                <Link to="revisions" query={{ from: String(before.number), to: String(number) }} isRow>
                  {`from ${before.number} to ${number}`}
                </Link>
              ) : (
                <span class="muted">the oldest</span>
              )}
            </td>
          </tr>
        )
      })}
    </tbody>
  </Table>
)
