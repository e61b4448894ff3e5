import type { BackendSettings, Settings } from '../config/settings.ts'
import type { Pool } from '../policy/config.ts'
import type { AdmittedCall } from './admit.ts'
import { Expenses } from './expenses.ts'
import type { FailoverPorts } from './failover.ts'
import type { Call, Gateway } from './infer.ts'

/** What failover works with for one request. */
export function failoverPorts(
  gateway: Gateway,
  { client, trying }: Pick<Call, 'client' | 'trying'>,
  admitted: AdmittedCall,
  failures = 0,
): FailoverPorts {
  const settingsOf = (pool: Pool) => backendOf(gateway.settings, pool)
  // Each by name: to copy all of a gateway for every request costs more than anything else that is done for it.
  const { pools, clock, chance, alarm, store } = gateway
  const expenses = new Expenses({ store, alarm, settingsOf }, admitted, failures)
  return { pools, clock, chance, alarm, client, settingsOf, expenses, trying: pool => trying(admitted, pool) }
}

export function backendOf({ backends }: Settings, { name }: Pool): BackendSettings {
  const backend = backends.get(name)
  if (!backend) throw new Error(`pool ${name} has no backend settings`)
  return backend
}
