import { fleetOf } from '../../operator/gateway-calls.ts'
import type { AdminEndpoint } from '../../operator/operator-api.ts'
import { CommandFailed } from '../../server/failure.ts'
import { driftText } from '../../wire/admin/fleet.ts'

/** Says on stderr what gateways of the fleet differ in, before one of them is changed. */
export async function warnOfDrift(endpoint: AdminEndpoint): Promise<void> {
  const fleet = await fleetOf(endpoint).catch(error => {
    // An older gateway knows no fleet; what is asked for goes on all the same.
    if (error instanceof CommandFailed) return undefined
    throw error
  })
  for (const drift of fleet?.drift ?? []) console.error(`▲ ${driftText(drift)}`)
}
