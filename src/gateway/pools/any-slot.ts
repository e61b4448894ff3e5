import type { Client, Clock } from '../ports.ts'
import type { Room, Slots } from './slots.ts'

/** A place of which one at a time runs so many requests. */
interface Place {
  readonly slots: Slots
}

/**
 * Takes a slot at one of several places, the first of which is preferred; undefined when none came free in time, or the
 * client left. A slot that is free is taken at once, without a promise.
 */
export function takeAnySlot<P extends Place>(
  places: readonly P[],
  room: Room,
  clock: Clock,
  client: Client,
): P | Promise<P | undefined> | undefined {
  const [preferred, ...others] = places
  if (!preferred) return undefined
  if (preferred.slots.takeNow(room)) return preferred
  // Where slots are lent, it takes one message to know whether the preferred place has any.
  if (preferred.slots.borrows) return afterLending(places, preferred, room, { clock, client })
  return others.find(({ slots }) => slots.takeNow(room)) ?? takeFirst(places, room, { clock, client })
}

interface Waiting {
  readonly clock: Clock
  readonly client: Client
}

async function afterLending<P extends Place>(
  places: readonly P[],
  preferred: P,
  room: Room,
  { clock, client }: Waiting,
): Promise<P | undefined> {
  if (await preferred.slots.take({ ...room, queueTimeout: 0 }, clock, client)) return preferred
  return takeFirst(places, room, { clock, client })
}

/** Waits at all places. The slots of those that come too late are given back. */
async function takeFirst<P extends Place>(
  places: readonly P[],
  room: Room,
  { clock, client }: Waiting,
): Promise<P | undefined> {
  const waiter = new Waiter(client)
  const taking = places.map(async place => {
    if (!(await place.slots.take(room, clock, waiter))) return undefined
    if (waiter.isServed) {
      place.slots.free()
      return undefined
    }
    waiter.serve()
    return place
  })
  const taken = await Promise.all(taking)
  return taken.find(place => place !== undefined)
}

/** A client that waits at several places, and leaves the others once one of them has a slot. */
export class Waiter implements Client {
  readonly #client: Client
  readonly #leaving = new Set<() => void>()
  isServed = false

  constructor(client: Client) {
    this.#client = client
  }

  get gone(): boolean {
    return this.isServed || this.#client.gone
  }

  get wasCut(): boolean {
    return this.#client.wasCut
  }

  onGone(run: () => void): () => void {
    this.#leaving.add(run)
    const callOff = this.#client.onGone(run)
    return () => {
      this.#leaving.delete(run)
      callOff()
    }
  }

  serve(): void {
    this.isServed = true
    for (const leave of [...this.#leaving]) leave()
  }
}
