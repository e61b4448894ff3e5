import { hostname } from 'node:os'
import { type PeerTls, peersOf } from '../../adapters/peers/peers.ts'
import type { Loaded, Settings } from '../../config/settings.ts'
import { Fleet, type FleetPorts } from '../../gateway/fleet/fleet.ts'
import type { Peers } from '../../gateway/fleet/peers.ts'
import { adminTokenOf } from '../../gateway/operators/operators.ts'
import type { Random } from '../../gateway/ports.ts'
import type { FleetState } from '../../gateway/store/fleet-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import type { Applier } from '../apply/applier.ts'
import { version } from '../version.ts'
import { Coordinator } from './coordinator.ts'
import { Participant } from './participant.ts'
import { PendingChange } from './pending-change.ts'

interface FleetParts extends Omit<FleetPorts, 'self'> {
  readonly random: Random
  /** The token that the other gateways have too, where the files have none. */
  readonly adminToken: string
  readonly applier: Applier
  readonly stateDir: string
  /** The name of the process in its log. */
  readonly name: string
  /** The configuration that serves now. */
  readonly current: () => {
    readonly revision: string
    readonly server: Settings['server']
    readonly sections: Loaded['sections']
  }
  /** Running requests. */
  readonly underWay: () => number
}

/** A gateway's part in the fleet on its store. */
export interface FleetPart {
  readonly fleet: Fleet
  readonly peers: Peers
  readonly participant: Participant
  readonly coordinator: Coordinator
  /**
   * Before it serves: what operators want of all gateways holds here from the beginning, and a change that it had promised
   * before it was killed is taken. `starts` runs before that. Where the store has that on a server which is away, it is
   * heard as soon as it can be. Rejects with StoreUnavailable where a change was promised.
   */
  begin(starts: () => void): Promise<void>
}

/** The fleet, with what this process announces of itself, and its part in changes of all gateways. */
export function fleetPart({
  random,
  name,
  current,
  underWay,
  adminToken,
  applier,
  stateDir,
  ...ports
}: FleetParts): FleetPart {
  const { store, clock, alarm } = ports
  const id = Buffer.from(random(9)).toString('base64url')
  const since = clock.now()
  const self = (): Member => {
    const { revision, server, sections } = current()
    return { id, name, version, revision, sections, admin: adminUrl(server), since, inFlight: underWay() }
  }
  const heard = (state: FleetState) => {
    ports.heard(state)
    participant.heard(state)
  }
  const fleet = new Fleet({ ...ports, self, heard })
  const peers = peersOf({ token: () => adminTokenOf(current(), adminToken), tls: () => peerTls(current().server) })
  const pending = new PendingChange(stateDir)
  const serving = () => current().revision
  const participant = new Participant({ store, fleet, applier, serving, pending, clock, alarm })
  const begin = async (starts: () => void) => {
    const owes = pending.id !== undefined
    if (owes) starts()
    const state = await fleet.hear().catch(error => {
      if (owes || !(error instanceof StoreUnavailable)) throw error
      alarm('the drained pools are unknown until the store answers', { error: error.message })
    })
    if (state) await participant.catchUp(state)
  }
  return {
    fleet,
    peers,
    participant,
    coordinator: new Coordinator({ store, fleet, askPeer: peers.ask, participant, random }),
    begin,
  }
}

/** The TLS settings between gateways: those that the files leave out are as for operators. */
function peerTls({ adminTls }: Settings['server']): PeerTls | undefined {
  if (!adminTls) return undefined
  const { certificate, key, fleetCa, fleetCertificate, fleetKey } = adminTls
  return {
    // Gateways of a fleet often share one certificate that no known authority signed.
    authority: (fleetCa ?? certificate).reveal(),
    certificate: (fleetCertificate ?? certificate).reveal(),
    key: (fleetKey ?? key).reveal(),
  }
}

/** Where other gateways reach the admin listener. */
function adminUrl({ fleetUrl, adminTls, admin: { host, port } }: Settings['server']): string {
  if (fleetUrl !== undefined) return fleetUrl
  const reached = ANY.has(host) ? hostname() : host
  return `http${adminTls ? 's' : ''}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Hosts that mean all addresses of a machine. */
const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
