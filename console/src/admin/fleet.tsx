import type { Drift, ShownFleet, ShownGateway } from '../../../src/wire/admin/fleet.ts'
import { useFind } from '../shared/find.tsx'
import { number, plural } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { Header, Loaded } from '../shared/states.tsx'
import { readFleet } from './api/fleet.ts'
import { Origin } from './command.tsx'
import { Table } from './table.tsx'
import { exactTime, timeOf } from './time.ts'

/** The gateways on one store, and what they differ in though all should serve the same. */
export function Fleet() {
  const fleet = useResource(readFleet, 2000)
  const { field, word } = useFind('Find a gateway')
  return (
    <>
      <Header title="Fleet" aside={field}>
        The gateways on one store. Each says once a second that it is there, and one that died is gone after ten.
      </Header>
      <Loaded of={fleet}>
        {shown => {
          const found = shown.data.filter(gateway => JSON.stringify(gateway).toLowerCase().includes(word))
          return (
            <>
              {shown.drift.map(drift => (
                <DriftNote key={drift.of} drift={drift} />
              ))}
              {found.length === 0 ? <p class="muted">No gateway is called so.</p> : <GatewayTable gateways={found} />}
              <p class="small muted">{sumOf(shown)}</p>
            </>
          )
        }}
      </Loaded>
      <Origin command="svcctl fleet" />
    </>
  )
}

const GatewayTable = ({ gateways }: { readonly gateways: readonly ShownGateway[] }) => (
  <Table
    label="Gateways"
    columns={[
      { title: 'Gateway' },
      { title: 'Revision' },
      { title: 'Version', narrow: true },
      { title: 'In flight', num: true },
      { title: 'Since', narrow: true },
      { title: 'Admin listener', narrow: true },
    ]}
  >
    <tbody>
      {gateways.map(({ gateway, revision, version, in_flight, since, admin, asked }) => (
        <tr key={`${gateway} ${admin}`}>
          <th scope="row" class="anywhere">
            <bdi>{gateway}</bdi> {asked && <span class="muted">this one</span>}
            <p class="folded">
              {version} · since {timeOf(since)}
            </p>
          </th>
          <td>
            <code>{revision}</code>
          </td>
          <td class="narrow">{version}</td>
          <td class="num">{number(in_flight)}</td>
          <td class="narrow nowrap">
            <time dateTime={since} title={exactTime(since)}>
              {timeOf(since)}
            </time>
          </td>
          <td class="narrow anywhere">
            <code>{admin}</code>
          </td>
        </tr>
      ))}
    </tbody>
  </Table>
)

/** What gateways differ in, what it means, and how they come to agree. */
const DriftNote = ({ drift: { of, values } }: { readonly drift: Drift }) => (
  <div class="note" role="status">
    <p>
      <b>{of === 'revision' ? 'Gateways serve different revisions.' : 'Gateways have different versions.'}</b>{' '}
      {of === 'revision' ? (
        <>
          The same request may be answered otherwise by another gateway. <code>svcctl reload</code> has one read its
          files again, and <code>svcctl apply --all</code> changes all of them or none.
        </>
      ) : (
        'An upgrade is that for its minutes. Where none is under way, upgrade those that were left behind.'
      )}
    </p>
    <ul class="bullets">
      {values.map(({ value, gateways }) => (
        <li key={value}>
          <code>{value}</code> on <bdi>{gateways.join(', ')}</bdi>
        </li>
      ))}
    </ul>
  </div>
)

function sumOf({ store, data }: ShownFleet): string {
  if (data.length === 1)
    return store === 'embedded'
      ? 'An embedded store belongs to one gateway. Gateways on one Redis are a fleet.'
      : 'No other gateway is on this Redis now.'
  const inFlight = data.reduce((sum, { in_flight }) => sum + in_flight, 0)
  return `${plural(data.length, 'gateway')}, ${plural(inFlight, 'request')} in flight.`
}
