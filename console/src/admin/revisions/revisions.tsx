import type { ShownRevisionLine } from '../../../../src/wire/admin/revision.ts'
import { Link } from '../../shared/frame/link.tsx'
import { query } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { State } from '../../shared/state.tsx'
import { Header, Loaded } from '../../shared/states.tsx'
import { Table } from '../../shared/table.tsx'
import { Time } from '../../shared/time/time.tsx'
import { listRevisions } from '../api/revisions.ts'
import { Origin } from '../command.tsx'
import * as text from '../texts/revisions.tsx'
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
      <Header title={text.revisions}>{text.theNewest50Configurations}</Header>
      <Loaded of={revisions}>{({ revisions: kept }) => <RevisionTable kept={kept} />}</Loaded>
      <Origin command="svcctl rollback --list" />
    </>
  )
}

const RevisionTable = ({ kept }: { readonly kept: readonly ShownRevisionLine[] }) => (
  <Table
    label={text.revisionsTheNewestFirst}
    columns={[
      { title: text.number },
      { title: text.revision },
      { title: text.since },
      { title: text.cameBy, narrow: true },
      { title: text.by, narrow: true },
      { title: text.files, num: true, narrow: true },
      { title: text.changesTitle },
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
                  <State tone="ok">{text.serves}</State>
                </p>
              )}
            </td>
            <td class="nowrap">
              <Time at={since} />
            </td>
            <td class="narrow">{how}</td>
            <td class="narrow anywhere">
              <bdi>{by === how ? '–' : by}</bdi>
            </td>
            <td class="num narrow">{files}</td>
            <td>
              {before ? (
                <Link to="revisions" query={{ from: String(before.number), to: String(number) }} isRow>
                  {text.fromTo(before.number, number)}
                </Link>
              ) : (
                <span class="muted">{text.theOldest}</span>
              )}
            </td>
          </tr>
        )
      })}
    </tbody>
  </Table>
)
