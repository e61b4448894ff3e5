import type { AdminEndpoint } from '../../operator/api.ts'
import { fleetOf } from '../../operator/gateway-calls.ts'
import { CommandFailed } from '../../server/failure.ts'
import { driftText, type ShownFleet } from '../../wire/admin/fleet.ts'

/** Says on stderr what gateways of the fleet differ in, before one of them is changed. Undefined where an older gateway knows no fleet. */
export async function warnOfDrift(endpoint: AdminEndpoint): Promise<ShownFleet | undefined> {
  const fleet = await fleetOf(endpoint).catch(error => {
    if (error instanceof CommandFailed) return undefined
    throw error
  })
  for (const drift of fleet?.drift ?? []) console.error(`▲ ${driftText(drift)}`)
  return fleet
}

/** The fleet that is to be changed as a whole; undefined where one gateway alone is. Fails where it cannot be known. */
export async function fleetToChange(
  endpoint: AdminEndpoint,
  { all }: { readonly all?: boolean },
): Promise<ShownFleet['data'] | undefined> {
  const fleet = await warnOfDrift(endpoint)
  if (!all) return undefined
  if (!fleet) throw new CommandFailed('✗ --all needs a gateway that knows its fleet: upgrade it')
  return fleet.data
}
