import { useEffect } from 'preact/hooks'
import { useFind } from '../shared/find.tsx'
import { moment, number } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { Empty, Header, Loaded } from '../shared/states.tsx'
import { type FieldProps, partsOf } from './alarm-fields.ts'
import { alarms, refreshAlarms, type ShownAlarm, seeAlarms } from './api/alarms.ts'
import { Table } from './table.tsx'
import * as text from './texts/alarms.tsx'
import { exactTime, timeOf } from './time.ts'

/** What this process wants its operators to know. */
export function Alarms() {
  const shown = { ...alarms.value, refresh: refreshAlarms }
  useEffect(() => {
    if (shown.data) seeAlarms(shown.data)
  }, [shown.data])
  const { field, word } = useFind(text.findAnAlarm)
  return (
    <>
      <Header title={text.alarms} aside={field}>
        {shown.data === undefined
          ? text.whatThisGatewayProcess
          : text.ofThisGatewayProcess(number(shown.data.total), moment(shown.data.since))}
      </Header>
      <Loaded of={shown}>
        {({ data }) => {
          const found = data.filter(alarm => JSON.stringify(alarm).toLowerCase().includes(word))
          if (data.length === 0) return <NoAlarm />
          return found.length === 0 ? <p class="muted">{text.noAlarm}</p> : <AlarmTable alarms={found} />
        }}
      </Loaded>
      <p class="small muted">{text.eachIsAlso}</p>
    </>
  )
}

const NoAlarm = () => (
  <Empty fact={text.none}>
    <p class="muted">{text.nothingNeedsYouSince}</p>
  </Empty>
)

const AlarmTable = ({ alarms: found }: { readonly alarms: readonly ShownAlarm[] }) => (
  <Table
    label={text.alarmsTheNewestFirst}
    columns={[{ title: text.time }, { title: text.alarm }, { title: text.times, num: true }]}
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
            {Object.keys(fields).length > 0 && (
              <p class="small muted pairs">
                {Object.entries(fields).map(([name, value]) => (
                  <Field key={name} name={name} value={value} />
                ))}
              </p>
            )}
          </td>
          <td class="num">{count === 1 ? '' : `${number(count)}×`}</td>
        </tr>
      ))}
    </tbody>
  </Table>
)

/** What the message is about; accounts and requests lead to their pages. */
function Field({ name, value }: FieldProps) {
  const [words, shown] = partsOf(name, value)
  const page = PAGES[name]
  return (
    <span>
      {words}{' '}
      {page ? (
        <Link to={page} query={{ id: shown }}>
          <code>{shown}</code>
        </Link>
      ) : (
        <code>{shown}</code>
      )}
    </span>
  )
}

const PAGES: Readonly<Record<string, string>> = { account: 'accounts', requestId: 'requests' }
