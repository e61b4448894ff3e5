import type { Place } from '../address.ts'
import { SLOTS } from './slots.ts'

/** The masters of a cluster that have slots: where each is, and which. One without may become a replica, and is not needed. */
export type ClusterView = ReadonlyMap<string, MasterView>

export interface MasterView {
  readonly place: Place
  readonly slots: ReadonlySet<number>
}

/** A master as one node knows it. */
interface Claim {
  readonly place: Place
  /** Its latest failover. */
  readonly epoch: number
  /** `0-5460 10923`: most nodes tell the same, so that they are read once for all. */
  readonly ranges: string
}

/** One node's view of the cluster. */
export interface NodeView {
  readonly masters: readonly Claim[]
  /** Every node that it knows, replicas too. */
  readonly places: readonly Place[]
}

export const nameOf = ({ host, port }: Place): string => `${host}:${port}`

/** Reads the answer to CLUSTER NODES. A node that does not know its own address is where it was asked. */
export function readNodes(text: string, asked: Place): NodeView {
  const masters: Claim[] = []
  const places: Place[] = []
  for (const line of text.split('\n')) {
    const [, address = '', flagged = '', , , , epoch, , ...slots] = line.trim().split(' ')
    const flags = flagged.split(',')
    if (address === '' || flags.includes('noaddr') || flags.includes('handshake')) continue
    const place = placeOf(address, asked)
    places.push(place)
    // Slots that are being moved, as in `[93->-…]`, are still where they are.
    const ranges = slots.filter(range => !range.startsWith('[')).join(' ')
    if (flags.includes('master') && ranges !== '') masters.push({ place, epoch: Number(epoch), ranges })
  }
  return { masters, places }
}

/**
 * Joins the views of many nodes. A slot that several masters claim goes to that of the youngest failover: a node that is
 * cut off from the others still names the one of before.
 */
export function agreed(views: readonly NodeView[]): ClusterView {
  const claims = new Map(
    views
      .flatMap(({ masters }) => masters)
      .map(claim => [`${nameOf(claim.place)} ${claim.epoch} ${claim.ranges}`, claim] as const),
  )
  const isTaken = new Uint8Array(SLOTS)
  const found = new Map<string, { place: Place; slots: Set<number> }>()
  for (const { place, ranges } of [...claims.values()].sort((a, b) => b.epoch - a.epoch)) {
    const own = found.get(nameOf(place)) ?? { place, slots: new Set() }
    for (const slot of slotsIn(ranges)) {
      if (isTaken[slot] === 1) continue
      isTaken[slot] = 1
      own.slots.add(slot)
    }
    if (own.slots.size > 0) found.set(nameOf(place), own)
  }
  return found
}

/** Reads `host:port@bus,name`: the name where the node announces one, because certificates hold for names. */
function placeOf(address: string, asked: Place): Place {
  const [at = '', name = ''] = address.split(',')
  const { host = '', port = '' } = /^(?<host>.*):(?<port>\d+)(?:@\d+)?$/.exec(at)?.groups ?? {}
  return { host: name || host || asked.host, port: Number(port) }
}

/** Reads `5 7-9`. */
function* slotsIn(ranges: string): Generator<number> {
  for (const range of ranges.split(' ')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let slot = first; slot <= last; slot++) yield slot
  }
}
