import type { ShownProcess } from '../../../src/wire/admin/process.ts'
import { number } from '../shared/fmt.ts'
import { useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { readProcesses } from './api/fleet.ts'
import * as text from './texts/fleet.tsx'

/** The processes of the gateway that was asked, and how each does; nothing where one process does all. */
export function Processes() {
  const processes = useResource(readProcesses, 2000)
  // Most gateways have nothing to show here, so that nothing is announced.
  if (!processes.data && !processes.problem) return null
  return (
    <Loaded of={processes}>
      {({ data }) =>
        data.length > 0 && (
          <section>
            <h2>{text.processes}</h2>
            <ProcessTable processes={data} />
          </section>
        )
      }
    </Loaded>
  )
}

const ProcessTable = ({ processes }: { readonly processes: readonly ShownProcess[] }) => (
  <Table
    label={text.processes}
    columns={[
      { title: text.process },
      { title: text.state },
      { title: text.pid, num: true, narrow: true },
      { title: text.connections, num: true, narrow: true },
      { title: text.inFlight, num: true },
      { title: text.cpu, num: true },
      { title: text.memory, num: true },
      { title: text.lag, num: true },
      { title: text.restarts, num: true, narrow: true },
      { title: text.since, narrow: true },
    ]}
  >
    <tbody>
      {processes.map(each => {
        const { worker, pid, state, cores, resident_bytes, lag_ms, since } = each
        // Main and the store serve no clients, and end with the gateway.
        const ofWorker = (value: number) => (worker === null ? '–' : number(value))
        return (
          <tr key={`${each.process} ${worker}`}>
            <td class="nowrap">{worker === null ? text.names[each.process] : text.workerOf(worker)}</td>
            <td>
              <State tone={TONES[state]}>{text.states[state]}</State>
            </td>
            <td class="num narrow">{pid}</td>
            <td class="num narrow">{ofWorker(each.connections)}</td>
            <td class="num">{ofWorker(each.in_flight)}</td>
            <td class="num">{cores === null ? '–' : `${Math.round(cores * 100)}%`}</td>
            <td class="num nowrap">
              {resident_bytes === null ? '–' : text.megabytes(Math.round(resident_bytes / 1e6))}
            </td>
            <td class="num nowrap">{lag_ms === null ? '–' : text.ms(Math.round(lag_ms))}</td>
            <td class="num narrow">{ofWorker(each.restarts)}</td>
            <td class="narrow nowrap">
              <Time at={since} />
            </td>
          </tr>
        )
      })}
    </tbody>
  </Table>
)

const TONES = { starting: '', serving: 'ok', silent: 'warn', gone: 'bad' } as const
