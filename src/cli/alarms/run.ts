import type { AdminEndpoint } from '../../operator/api.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { incidentsOf } from '../../operator/gateway-calls.ts'
import { counted } from '../../policy/counted.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lengthOfTime, withoutFraction } from '../../server/log/terminal-text.ts'
import { world } from '../../server/world.ts'
import type { ShownIncident, ShownIncidents } from '../../wire/admin/incident.ts'
import { jsonLine, oneLine } from '../../wire/printable.ts'
import { forPrograms } from '../kit/formats.ts'
import { missingLines } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { untilStopped, writeLive, writeOut } from '../kit/terminal.ts'
import type { AlarmsOptions } from './alarms.ts'
import { incidentChanges } from './incident-changes.ts'

/** Lists the incidents of running gateways, or prints what changes until it is stopped. */
export async function alarms(options: AlarmsOptions): Promise<void> {
  const endpoint = await findAdminEndpoint(options.config)
  const read = () => readIncidents(endpoint, options)
  if (options.follow) return untilStopped(({ signal }) => writeLive(changesText(read, signal, options.json === true)))
  const found = await read()
  const { object, data, ...rest } = found
  const written = forPrograms(options, { object, data }, rest)
  if (written !== undefined) await writeOut([written])
  else await writeOut([`${data.length === 0 ? NONE : incidentsText(data)}\n`])
  for (const line of missingLines(found.unreached)) console.error(line)
}

async function readIncidents(
  endpoint: AdminEndpoint,
  { gateway, open, limit }: AlarmsOptions,
): Promise<ShownIncidents> {
  const found = await incidentsOf(endpoint, { gateway, limit, state: open ? 'open' : 'all' })
  if (found.gateways.length > 0) return found
  const lines = found.unreached.map(each => `✗ ${each.gateway}: ${each.problem}`)
  throw new CommandFailed(lines.join('\n'), exitCodes.unreachable)
}

/** A line for each incident that is open at first, and for each that opens, comes back or ends from then on. */
async function* changesText(
  read: () => Promise<ShownIncidents>,
  signal: AbortSignal,
  asJson: boolean,
): AsyncGenerator<string, void, undefined> {
  let before: readonly ShownIncident[] | undefined
  while (!signal.aborted) {
    const { data } = await read()
    for (const change of incidentChanges(before, data))
      yield asJson ? jsonLine(change) : `${oneLine(changeText(change))}\n`
    before = data
    await paused(signal)
  }
}

const paused = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const cancel = world.clock.after(LOOK_MS, () => done())
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })

/** Incidents as people read them; below the table what to do about each kind that is open. */
export function incidentsText(incidents: readonly ShownIncident[], width?: number): string {
  const rows = incidents.map(each => [
    each.state,
    each.severity,
    titleOf(each),
    withoutFraction(each.opened_at),
    lengthOfTime(each.open_ms),
    String(each.times),
    failedText(each),
    each.gateway,
  ])
  const open = new Map(incidents.filter(({ state }) => state === 'open').map(each => [each.incident, each]))
  const advice = [...open.values()].map(({ title, action, runbook }) => oneLine(`${title}: ${action} (${runbook})`))
  return [tableText(COLUMNS, rows, width), ...(advice.length > 0 ? ['', ...advice] : [])].join('\n')
}

const changeText = (each: ShownIncident): string => {
  const at = withoutFraction(each.ended_at ?? each.opened_at)
  const word = each.state === 'over' ? 'over' : each.times > 1 ? 'back' : 'open'
  const after = each.state === 'over' ? ` after ${lengthOfTime(each.open_ms)}` : ''
  return `${at}  ${word}  ${each.severity}  ${titleOf(each)}${after}  ${each.gateway}`
}

const titleOf = ({ title, subject }: ShownIncident): string => [title, ...Object.values(subject)].join(' · ')

const failedText = ({ failed_requests: requests, failed_attempts: attempts }: ShownIncident): string =>
  requests === null ? (attempts === null ? '-' : counted(attempts, 'attempt')) : counted(requests, 'request')

const NONE = 'No incident since the gateways started.'
const LOOK_MS = 2000

const COLUMNS: readonly Column[] = [
  { title: 'STATE' },
  { title: 'SEVERITY', gives: 3 },
  { title: 'INCIDENT', least: 20 },
  { title: 'SINCE' },
  { title: 'OPEN FOR', gives: 4 },
  { title: 'TIMES', number: true, gives: 2 },
  { title: 'FAILED', gives: 5 },
  { title: 'GATEWAY', least: 12, gives: 1 },
]
