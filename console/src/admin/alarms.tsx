import { useEffect } from 'preact/hooks'
import { useFind } from '../shared/find.tsx'
import { number } from '../shared/fmt.ts'
import { Empty, Header, Loaded } from '../shared/states.tsx'
import { alarms, refreshAlarms, type ShownAlarm, seeAlarms } from './api/alarms.ts'
import { Table } from './table.tsx'
import { exactTime, timeOf } from './time.ts'

/** What this process wants its operators to know. */
export function Alarms() {
  const shown = { ...alarms.value, refresh: refreshAlarms }
  useEffect(() => {
    if (shown.data) seeAlarms(shown.data)
  }, [shown.data])
  const { field, word } = useFind('Find an alarm')
  return (
    <>
      <Header title="Alarms" aside={field}>
        {shown.data === undefined
          ? 'What this gateway process wants you to know.'
          : `${number(shown.data.total)} of this gateway process since its start, ${exactTime(shown.data.since)}.`}
      </Header>
      <Loaded of={shown}>
        {({ data }) => {
          const found = data.filter(alarm => JSON.stringify(alarm).toLowerCase().includes(word))
          if (data.length === 0) return <NoAlarm />
          return found.length === 0 ? <p class="muted">No alarm has that word.</p> : <AlarmTable alarms={found} />
        }}
      </Loaded>
      <p class="small muted">
        Each is also a line of level error in the log of the gateway, and counts in <code>svc_alarms_total</code>.
      </p>
    </>
  )
}

const NoAlarm = () => (
  <Empty fact="No alarm">
    <p class="muted">Nothing needs you since this process started.</p>
  </Empty>
)

const AlarmTable = ({ alarms: found }: { readonly alarms: readonly ShownAlarm[] }) => (
  <Table
    label="Alarms, the newest first"
    columns={[{ title: 'Time' }, { title: 'Alarm' }, { title: 'Times', num: true }]}
  >
    <tbody>
      {found.map(({ at, message, fields, count }) => (
        <tr key={`${at} ${message} ${JSON.stringify(fields)}`}>
          <td class="nowrap">
            <time dateTime={at} title={exactTime(at)}>
              {timeOf(at)}
            </time>
          </td>
          <td class="anywhere">
            <p class="said">
              <bdi>{message}</bdi>
            </p>
            <p class="small muted pairs">
              {Object.entries(fields).map(([name, value]) => (
                <span key={name}>
                  {name} <code>{String(value)}</code>
                </span>
              ))}
            </p>
          </td>
          <td class="num">{count === 1 ? '' : `${number(count)}×`}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)
