import type { ShownIncident } from '../../../src/wire/admin/incident.ts'
import { useFind } from '../shared/find.tsx'
import { number } from '../shared/fmt.ts'
import { State } from '../shared/state.tsx'
import { Empty, Header, Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { lengthOf } from './alarm-fields.ts'
import { AlarmLog } from './alarms.tsx'
import { incidents, refreshIncidents } from './api/incidents.ts'
import { Details } from './details.tsx'
import * as text from './texts/incidents.tsx'

/** Open and past incidents of the gateways, and the alarms that reported them. */
export function Incidents() {
  const shown = { ...incidents.value, refresh: refreshIncidents }
  const { field, word } = useFind(text.find)
  return (
    <>
      <Header title={text.incidents} aside={field}>
        {shown.data === undefined ? text.whatTroubles : text.openNow(shown.data.open)}
      </Header>
      <Loaded of={shown}>
        {({ data, unreached }) => {
          const found = data.filter(each => JSON.stringify(each).toLowerCase().includes(word))
          return (
            <>
              {unreached.map(({ gateway, problem }) => (
                <p key={gateway} class="note" role="status">
                  {text.missing(gateway, problem)}
                </p>
              ))}
              {data.length === 0 && (
                <Empty fact={text.none}>
                  <p class="muted">{text.noneSince}</p>
                </Empty>
              )}
              {data.length > 0 && found.length === 0 && <p class="muted">{text.noneFound}</p>}
              {found.length > 0 && <IncidentTable incidents={found} />}
            </>
          )
        }}
      </Loaded>
      <AlarmLog word={word} />
    </>
  )
}

const IncidentTable = ({ incidents: found }: { readonly incidents: readonly ShownIncident[] }) => (
  <Table
    label={text.openFirst}
    columns={[
      { title: text.state },
      { title: text.incident },
      { title: text.since },
      { title: text.openFor, num: true, narrow: true },
      { title: text.times, num: true, narrow: true },
      { title: text.failed, num: true, narrow: true },
      { title: text.gateway, narrow: true },
    ]}
  >
    <tbody>
      {found.map(each => (
        <IncidentRow key={`${each.gateway} ${each.incident} ${JSON.stringify(each.subject)}`} {...each} />
      ))}
    </tbody>
  </Table>
)

function IncidentRow(each: ShownIncident) {
  const isOpen = each.state === 'open'
  const tone = isOpen ? (each.severity === 'page' ? 'bad' : 'warn') : 'ok'
  return (
    <tr>
      <td class="nowrap">
        <State tone={tone}>{text.states[isOpen ? each.severity : 'over']}</State>
      </td>
      <td class="anywhere">
        <p class="said">{each.title}</p>
        <Details fields={{ ...each.subject, ...each.fields }} />
        {isOpen && (
          <p class="small">
            {text.effect(withCode(each.effect))} {withCode(each.action)} <code>{each.runbook}</code>
          </p>
        )}
      </td>
      <td class="nowrap">
        <Time at={each.opened_at} />
      </td>
      <td class="num narrow">{each.open_ms === 0 ? '' : lengthOf(each.open_ms)}</td>
      <td class="num narrow">{number(each.times)}</td>
      <td class="num narrow">{failedText(each)}</td>
      <td class="narrow">
        <bdi>{each.gateway}</bdi>
      </td>
    </tr>
  )
}

/** Renders commands and names between backticks as code. */
const withCode = (words: string) =>
  words.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))

function failedText({ failed_requests: requests, failed_attempts: attempts }: ShownIncident): string {
  if (requests !== null) return text.failedRequests(requests, number(requests))
  return attempts === null ? '' : text.failedAttempts(attempts, number(attempts))
}
