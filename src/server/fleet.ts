import { hostname } from 'node:os'
import type { Settings } from '../config/settings.ts'
import { Fleet, type FleetPorts } from '../gateway/fleet/fleet.ts'
import type { Random } from '../gateway/ports.ts'
import type { Member } from '../gateway/store/fleet-store.ts'
import { version } from './version.ts'

interface FleetParts extends Omit<FleetPorts, 'self'> {
  readonly random: Random
  /** What the process is called in its log. */
  readonly name: string
  /** What serves now. */
  readonly current: () => { readonly revision: string; readonly server: Settings['server'] }
  /** Running requests. */
  readonly underWay: () => number
}

/** The fleet, with what this process announces of itself. */
export function fleetOf({ random, name, current, underWay, ...ports }: FleetParts): Fleet {
  const id = Buffer.from(random(9)).toString('base64url')
  const since = ports.clock.now()
  const self = (): Member => {
    const { revision, server } = current()
    return { id, name, version, revision, admin: adminUrl(server), since, inFlight: underWay() }
  }
  return new Fleet({ ...ports, self })
}

/** Where other gateways reach the admin listener. */
function adminUrl({ fleetUrl, adminTls, admin: { host, port } }: Settings['server']): string {
  if (fleetUrl !== undefined) return fleetUrl
  const reached = ANY.has(host) ? hostname() : host
  return `http${adminTls ? 's' : ''}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Hosts of an address that stands for all of a machine. */
const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
