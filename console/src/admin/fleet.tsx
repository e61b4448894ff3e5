import type { Drift, ShownFleet, ShownGateway } from '../../../src/wire/admin/fleet.ts'
import { useFind } from '../shared/find.tsx'
import { number } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { Header, Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { readFleet } from './api/fleet.ts'
import { Origin } from './command.tsx'
import { Processes } from './processes.tsx'
import * as text from './texts/fleet.tsx'

/** The gateways on one store, and what they differ in though all should serve the same. */
export function Fleet() {
  const fleet = useResource(readFleet, 2000)
  const { field, word } = useFind(text.findAGateway)
  return (
    <>
      <Header title={text.fleet} aside={field}>
        {text.theGatewaysOnOne}
      </Header>
      <Loaded of={fleet}>
        {shown => {
          const found = shown.data.filter(gateway => JSON.stringify(gateway).toLowerCase().includes(word))
          return (
            <>
              {shown.drift.map(drift => (
                <DriftNote key={drift.of} drift={drift} />
              ))}
              {found.length === 0 ? <p class="muted">{text.noGatewayIsCalled}</p> : <GatewayTable gateways={found} />}
              <p class="small muted">{sumOf(shown)}</p>
            </>
          )
        }}
      </Loaded>
      <Processes />
      <Origin command="svcctl fleet" />
    </>
  )
}

const GatewayTable = ({ gateways }: { readonly gateways: readonly ShownGateway[] }) => (
  <Table
    label={text.gateways}
    columns={[
      { title: text.gateway },
      { title: text.revision },
      { title: text.version, narrow: true },
      { title: text.inFlight, num: true },
      { title: text.since, narrow: true },
      { title: text.adminListener, narrow: true },
    ]}
  >
    <tbody>
      {gateways.map(({ gateway, revision, version, in_flight, since, admin, asked }) => (
        <tr key={`${gateway} ${admin}`}>
          <td class="anywhere">
            <bdi>{gateway}</bdi> {asked && <span class="muted">{text.thisOne}</span>}
            <p class="folded">{text.versionAndSince(version, <Time at={since} />)}</p>
          </td>
          <td>
            <code>{revision}</code>
          </td>
          <td class="narrow">{version}</td>
          <td class="num">{number(in_flight)}</td>
          <td class="narrow nowrap">
            <Time at={since} />
          </td>
          <td class="narrow anywhere">
            <code>{admin}</code>
          </td>
        </tr>
      ))}
    </tbody>
  </Table>
)

/** The difference between gateways, what it means, and how they come to agree. */
const DriftNote = ({ drift: { of, sections, values } }: { readonly drift: Drift }) => (
  <div class="note" role="status">
    <p>
      <b>{of === 'revision' ? text.gatewaysServeDifferentRevisions : text.gatewaysHaveDifferentVersions}</b>{' '}
      {sections && text.theyDifferIn(sections.join(', '))} {of === 'revision' ? text.theSameRequestMay : text.anUpgrade}
    </p>
    <ul class="bullets">
      {values.map(({ value, gateways }) => (
        <li key={value}>{text.on(value, gateways.join(', '))}</li>
      ))}
    </ul>
  </div>
)

function sumOf({ store, data }: ShownFleet): string {
  if (data.length === 1) return store === 'embedded' ? text.anEmbeddedStoreBelongs : text.noOtherGateway
  const inFlight = data.reduce((sum, { in_flight }) => sum + in_flight, 0)
  return text.sum(text.gatewayCount(data.length), text.requestCount(inFlight))
}
