import { number, plural } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { listAlarms, type ShownAlarm } from './api/alarms.ts'
import { Details } from './details.tsx'
import * as text from './texts/alarms.tsx'

/** The alarms of the gateway that answers, folded: incidents say the same in fewer rows. */
export function AlarmLog({ word }: { readonly word: string }) {
  const { data } = useResource(listAlarms, 15_000)
  if (!data) return null
  const found = data.data.filter(alarm => JSON.stringify(alarm).toLowerCase().includes(word))
  return (
    <details class="alarms">
      <summary>{text.sinceTheStart(plural(data.total, 'alarm'), <Time at={data.since} />)}</summary>
      {found.length === 0 ? (
        <p class="muted">{data.data.length === 0 ? text.noAlarmYet : text.noAlarmMatches}</p>
      ) : (
        <AlarmTable alarms={found} />
      )}
      <p class="small muted">{text.eachIsAlso}</p>
    </details>
  )
}

const AlarmTable = ({ alarms: found }: { readonly alarms: readonly ShownAlarm[] }) => (
  <Table
    label={text.alarmsTheNewestFirst}
    columns={[{ title: text.time }, { title: text.alarm }, { title: text.times, num: true }]}
  >
    <tbody>
      {found.map(({ at, message, fields, count }) => (
        <tr key={`${at} ${message} ${JSON.stringify(fields)}`}>
          <td class="nowrap">
            <Time at={at} />
          </td>
          <td class="anywhere">
            <p class="said">
              <bdi>{message}</bdi>
            </p>
            <Details fields={fields} />
          </td>
          <td class="num">{count === 1 ? '' : `${number(count)}×`}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)
