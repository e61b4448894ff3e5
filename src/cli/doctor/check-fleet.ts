import type { Loaded } from '../../config/settings.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { fleetOf } from '../../operator/gateway-calls.ts'
import { counted } from '../../policy/counted.ts'
import { CommandFailed } from '../../server/failure.ts'
import { driftText } from '../../wire/admin/fleet.ts'

/** Whether all gateways on the store are alike. Nothing where the store belongs to one, or none runs here to be asked. */
export async function checkFleet(
  { settings }: Pick<Loaded, 'settings'>,
  file: string,
  runs: boolean,
): Promise<readonly Finding[]> {
  if (settings.store.kind === 'embedded' || !runs) return []
  const common = { check: 'fleet', subject: 'gateways on this store' }
  try {
    const { data, drift } = await fleetOf(await findAdminEndpoint(file))
    const { instances } = settings.server
    const there = counted(data.length, 'gateway')
    if (drift.length > 0) {
      const hint = 'svcctl fleet lists them; svcctl apply --all gives all of them the same files.'
      return [{ ...common, state: 'warning', text: drift.map(driftText).join('; '), hint }]
    }
    if (data.length < instances) {
      const hint = 'Start the others, or correct server.instances.'
      return [{ ...common, state: 'warning', text: `${there} of server.instances ${instances}`, hint }]
    }
    return [{ ...common, state: 'ok', text: `${there}, all alike` }]
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    const [text = ''] = error.message.replace(/^✗ /, '').split('\n')
    return [{ ...common, state: 'warning', text, hint: 'Set SVCCTL_TOKEN to the admin token of that gateway.' }]
  }
}
