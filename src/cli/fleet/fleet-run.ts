import { findAdminEndpoint } from '../../operator/connect.ts'
import { fleetOf } from '../../operator/gateway-calls.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { driftText, type ShownFleet } from '../../wire/admin/fleet.ts'
import { forPrograms } from '../formats.ts'
import type { Listing } from '../options.ts'
import { type Column, tableText } from '../table.ts'
import { writeOut } from '../terminal.ts'

/** Prints the gateways on the store of the one that is asked. */
export async function fleet(options: Listing): Promise<void> {
  const found = await fleetOf(await findAdminEndpoint(options.config))
  const { object, data, drift } = found
  const written = forPrograms(
    options,
    options.format === 'csv' || options.format === 'ndjson' ? { object, data } : found,
  )
  await writeOut([written ?? `${fleetText(found)}\n`])
  if (written === undefined && found.store === 'embedded') console.error(ALONE)
  for (const each of drift) console.error(`▲ ${driftText(each)}`)
}

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
