import type { AdminEndpoint } from '../../operator/api.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { fleetOf, processesOf } from '../../operator/gateway-calls.ts'
import { CommandFailed } from '../../server/failure.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { driftText, type ShownFleet } from '../../wire/admin/fleet.ts'
import type { ShownProcess } from '../../wire/admin/process.ts'
import { forPrograms } from '../kit/formats.ts'
import type { Listing } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { sizeText, writeOut } from '../kit/terminal.ts'

/** Prints the gateways on the store of the one that is asked, and the processes of that one where it has several. */
export async function fleet(options: Listing): Promise<void> {
  const endpoint = await findAdminEndpoint(options.config)
  const [found, processes] = await Promise.all([fleetOf(endpoint), processesIfKnown(endpoint)])
  const several = processes.length > 0
  const written = forPrograms(options, found, several ? { processes } : {})
  const texts = [fleetText(found), ...(several ? [processesText(processes)] : [])]
  await writeOut([written ?? `${texts.join('\n\n')}\n`])
  if (written === undefined && found.store === 'embedded') console.error(ALONE)
  for (const each of found.drift) console.error(`▲ ${driftText(each)}`)
}

/** None where an older gateway knows none. */
const processesIfKnown = (endpoint: AdminEndpoint): Promise<readonly ShownProcess[]> =>
  processesOf(endpoint).catch(error => {
    if (error instanceof CommandFailed) return []
    throw error
  })

const ALONE = 'An embedded store belongs to one gateway. Gateways on one Redis are a fleet.'

/** Gateways as people read them. */
export const fleetText = ({ data }: ShownFleet): string =>
  tableText(
    COLUMNS,
    data.map(each => [
      each.asked ? '*' : '',
      each.gateway,
      each.revision,
      each.version,
      String(each.in_flight),
      withoutFraction(each.since),
      each.admin,
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: '' },
  // Names of one deployment differ at their end alone.
  { title: 'GATEWAY', least: 12, whole: true },
  { title: 'REVISION' },
  { title: 'VERSION', gives: 3 },
  { title: 'IN-FLIGHT', number: true, gives: 2 },
  { title: 'SINCE', gives: 1 },
  { title: 'ADMIN', least: 16, whole: true },
]

/** The processes of a gateway as people read them. */
export const processesText = (processes: readonly ShownProcess[]): string =>
  tableText(
    PROCESSES,
    processes.map(each => [
      each.process === 'worker' ? `worker ${each.worker}` : each.process,
      String(each.pid),
      each.state,
      each.process === 'worker' ? String(each.connections) : '-',
      each.process === 'worker' ? String(each.in_flight) : '-',
      each.cores === null ? '-' : `${Math.round(each.cores * 100)}%`,
      each.resident_bytes === null ? '-' : sizeText(each.resident_bytes),
      each.lag_ms === null ? '-' : `${Math.round(each.lag_ms)} ms`,
      each.process === 'worker' ? String(each.restarts) : '-',
      withoutFraction(each.since),
    ]),
  )

const PROCESSES: readonly Column[] = [
  { title: 'PROCESS' },
  { title: 'PID', number: true, gives: 2 },
  { title: 'STATE' },
  { title: 'CONNECTIONS', number: true },
  { title: 'IN-FLIGHT', number: true },
  { title: 'CPU', number: true },
  { title: 'MEMORY', number: true },
  { title: 'LAG', number: true },
  { title: 'RESTARTS', number: true },
  { title: 'SINCE', gives: 1 },
]
