import type { Place } from '../address.ts'
import { SLOTS } from './slots.ts'

/** The masters of a cluster that have slots: where each is, and which. One without may become a replica, and is not needed. */
export type ClusterView = ReadonlyMap<string, MasterView>

export interface MasterView {
  readonly place: Place
  readonly slots: ReadonlySet<number>
}

/** One node's view of the cluster. */
export interface NodeView {
  readonly masters: readonly (MasterView & { readonly epoch: number })[]
  /** Every node that it knows, replicas too. */
  readonly places: readonly Place[]
}

export const nameOf = ({ host, port }: Place): string => `${host}:${port}`

/** Reads the answer to CLUSTER NODES. A node that does not know its own address is where it was asked. */
export function readNodes(text: string, asked: Place): NodeView {
  const masters: (MasterView & { epoch: number })[] = []
  const places: Place[] = []
  for (const line of text.split('\n')) {
    const [, address = '', flagged = '', , , , epoch, , ...ranges] = line.trim().split(' ')
    const flags = flagged.split(',')
    if (address === '' || flags.includes('noaddr') || flags.includes('handshake')) continue
    const place = placeOf(address, asked)
    places.push(place)
    const slots = slotsIn(ranges)
    if (flags.includes('master') && slots.size > 0) masters.push({ place, epoch: Number(epoch), slots })
  }
  return { masters, places }
}

/**
 * Joins the views of many nodes. A slot that several masters claim goes to that of the youngest failover: a node that is
 * cut off from the others still names the one of before.
 */
export function agreed(views: readonly NodeView[]): ClusterView {
  const claims = new Array<Claim | undefined>(SLOTS)
  for (const { place, slots, epoch } of views.flatMap(({ masters }) => masters))
    for (const slot of slots) if (epoch > (claims[slot]?.epoch ?? -1)) claims[slot] = { place, epoch }
  const found = new Map<string, { place: Place; slots: Set<number> }>()
  for (const [slot, claim] of claims.entries()) {
    if (!claim) continue
    const { place } = claim
    const master = found.get(nameOf(place)) ?? { place, slots: new Set() }
    found.set(nameOf(place), master)
    master.slots.add(slot)
  }
  return found
}

/** Which node says that it has a slot, and since which failover. */
interface Claim {
  readonly place: Place
  readonly epoch: number
}

/** Reads `host:port@bus,name`: the name where the node announces one, because certificates hold for names. */
function placeOf(address: string, asked: Place): Place {
  const [at = '', name = ''] = address.split(',')
  const { host = '', port = '' } = /^(?<host>.*):(?<port>\d+)(?:@\d+)?$/.exec(at)?.groups ?? {}
  return { host: name || host || asked.host, port: Number(port) }
}

/** Reads `5` and `7-9`. Slots that are being moved, as `[93->-…]`, are still where they are. */
function slotsIn(ranges: readonly string[]): ReadonlySet<number> {
  const slots = new Set<number>()
  for (const range of ranges) {
    if (range.startsWith('[')) continue
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let slot = first; slot <= last; slot++) slots.add(slot)
  }
  return slots
}
