import { setTimeout as sleep } from 'node:timers/promises'
import { outOfPatience } from '../../../gateway/patience.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { Millis } from '../../../policy/config.ts'
import { type Place, readAddress } from '../address.ts'
import { type Link, redirectOf, type Server } from '../client.ts'
import { answered } from './answered.ts'
import { agreed, type ClusterView, type NodeView, nameOf, readNodes } from './cluster-view.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Dialer } from './dialer.ts'
import type { Proven, Shard, Shards } from './shards.ts'
import { slotOf } from './slots.ts'

export interface ClusterOptions extends Omit<ConnectionOptions, 'slots' | 'place'> {
  /** A key without whose master nothing can begin; without it all masters are needed. */
  readonly needed?: string
  /** Slots came to a server that serves others already: makes sure that it has what was acknowledged of them. */
  readonly gained: (shard: Shard, slots: ReadonlySet<number>) => Promise<void>
}

/**
 * The masters of a Redis Cluster, each with a connection of its own: one that is away holds up what it has alone. Commands for a
 * slot that is being moved wait until it has moved. Who has which slots is asked of all masters each second, and whenever
 * one of them sends a command elsewhere.
 */
export class Cluster implements Shards {
  readonly #options: ClusterOptions
  readonly #roots: readonly Place[]
  readonly #masters = new Map<string, Master>()
  readonly #bySlot: (Master | undefined)[] = []
  /** Nodes that were heard of, to be asked where no master answers. */
  #known: readonly Place[] = []
  #server: Server
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ClusterOptions) {
    this.#options = options
    this.#server = options.server
    this.#roots = readAddress(options.server.url).places
  }

  get up(): boolean {
    return this.all().some(({ up }) => up)
  }

  async open(): Promise<void> {
    const view = await this.#view()
    for (const { place, slots } of view.values()) this.#take(place, slots)
    const { needed } = this.#options
    const only = needed === undefined ? undefined : (this.#bySlot[slotOf(needed)] ?? unserved())
    await Promise.all(Array.from(this.#masters.values(), master => this.#begin(master, master === (only ?? master))))
    this.#lookSoon()
  }

  /** A master that is away is waited for while the others serve. One that answers, and must not be used, is refused. */
  async #begin(master: Master, isNeeded: boolean): Promise<void> {
    try {
      await master.connection.open()
      master.wasUp = true
    } catch (error) {
      if (isNeeded || !(error instanceof StoreUnavailable)) throw error
      master.connection.suspect(error.message)
    }
  }

  async run<T>(key: string, commands: (link: Link) => Promise<T>, late?: (answer: T) => void): Promise<T> {
    const slot = slotOf(key)
    for (const until = performance.now() + MOVING_MS; ; ) {
      const master = this.#bySlot[slot] ?? unserved()
      if (master.gained.has(slot) || !master.wasUp) await master.ready
      try {
        return await master.connection.run(commands, late)
      } catch (error) {
        const redirect = redirectOf(error)
        if (redirect === undefined) throw error
        if (this.#closed || performance.now() > until) throw new StoreUnavailable(MOVING)
        await this.#redirected(redirect, slot, master)
      }
    }
  }

  /** Until there is something new to try. */
  async #redirected(redirect: ReturnType<typeof redirectOf>, slot: number, from: Master): Promise<void> {
    if (redirect === 'MOVED') await this.#look()
    if (this.#bySlot[slot] === from) await sleep(AGAIN_MS)
  }

  slotOf(key: string): number {
    return slotOf(key)
  }

  shardOf(key: string): Shard {
    return (this.#bySlot[slotOf(key)] ?? unserved()).connection
  }

  all(): readonly Shard[] {
    return [...this.#masters.values()].map(({ connection }) => connection)
  }

  async prove(server: Server): Promise<Proven> {
    const masters = [...this.#masters.values()]
    await Promise.all(masters.map(({ connection }) => connection.prove(server)))
    const put = () => {
      this.#server = server
      // Also those that took over since the proof, and were reached as before.
      for (const { connection } of this.#masters.values()) connection.take(server)
    }
    return { put, drop: () => {} }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { connection, release } of this.#masters.values()) {
      connection.close()
      release()
    }
  }

  #lookSoon(): void {
    if (this.#closed) return
    this.#timer = setTimeout(async () => {
      await this.#look()
      this.#lookSoon()
    }, LOOK_MS)
  }

  /** Those that ask while others look share their look. */
  #look(): Promise<void> {
    this.#looking ??= this.#view()
      .then(view => this.#follow(view))
      // If no node answers, everything stays unchanged until the next look.
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #view(): Promise<ClusterView> {
    const asked = [...this.#masters.values()].map(({ place, connection }) =>
      connection.run(async ({ client }) => readNodes(await client.sendCommand<string>(['CLUSTER', 'NODES']), place)),
    )
    const answers = await Promise.allSettled(asked)
    const views = answers.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    // A few may be cut off from the others.
    if (2 * views.length <= answers.length) views.push(...(await this.#askOthers()))
    this.#known = views.flatMap(({ places }) => places)
    const view = agreed(views)
    if (view.size === 0) throw new StoreUnavailable('Redis cannot be used: no node of the cluster names a master')
    return view
  }

  /** Asks nodes over connections that are closed again. */
  async #askOthers(): Promise<readonly NodeView[]> {
    const others = new Map([...this.#roots, ...this.#known].map(place => [nameOf(place), place]))
    for (const [name, { connection }] of this.#masters) if (connection.up) others.delete(name)
    const asked = await Promise.allSettled([...others.values()].map(place => this.#askAside(place)))
    const views = asked.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    if (views.length > 0 || this.#masters.size > 0) return views
    const reasons = asked.flatMap(each => (each.status === 'rejected' ? [String(each.reason?.message)] : []))
    throw new StoreUnavailable(`no node of the cluster answers: ${[...new Set(reasons)].join(', ')}`)
  }

  async #askAside(place: Place): Promise<NodeView> {
    const dialer = new Dialer(this.#server, this.#options.owners, place)
    const link = await dialer.dial(() => {})
    try {
      return readNodes(await answered(link.client.sendCommand<string>(['CLUSTER', 'NODES']), { time: ASIDE_MS }), place)
    } finally {
      link.close()
    }
  }

  #follow(view: ClusterView): void {
    if (this.#closed) return
    for (const [name, master] of this.#masters) if (!view.has(name)) this.#leave(name, master)
    for (const { place, slots } of view.values()) {
      const isNew = !this.#masters.has(nameOf(place))
      const master = this.#take(place, slots)
      if (isNew) master.connection.openSoon()
      else if (master.gained.size > 0) this.#secure(master, master.gained)
    }
  }

  /** It is no master any more. */
  #leave(name: string, master: Master): void {
    this.#masters.delete(name)
    master.connection.close()
    master.release()
    for (const slot of master.slots) if (this.#bySlot[slot] === master) this.#bySlot[slot] = undefined
  }

  /** From now on these slots are those of a master. */
  #take(place: Place, slots: ReadonlySet<number>): Master {
    const name = nameOf(place)
    const master = this.#masters.get(name) ?? this.#newMaster(place)
    this.#masters.set(name, master)
    for (const slot of master.slots) if (!slots.has(slot)) master.slots.delete(slot)
    for (const slot of slots) {
      if (this.#bySlot[slot] !== master && master.wasUp) master.gained.add(slot)
      master.slots.add(slot)
      this.#bySlot[slot] = master
    }
    return master
  }

  #newMaster(place: Place): Master {
    const slots = new Set<number>()
    let release = () => {}
    const ready = new Promise<void>(resolve => {
      const callOff = outOfPatience({ time: READY_MS }, resolve)
      release = () => {
        callOff()
        resolve()
      }
    })
    const connection: Connection = new Connection({
      ...this.#options,
      server: this.#server,
      place,
      slots,
      back: () => {
        // Not before: while the server is looked at, the connection takes no commands yet.
        master.wasUp = true
        release()
        // Also of slots that came to it while it was looked at.
        this.#secure(master, slots)
      },
    })
    const master: Master = { place, connection, slots, gained: new Set(), ready, release, wasUp: false }
    return master
  }

  /** Slots that a master gained serve no request before it has what was acknowledged of them. */
  #secure(master: Master, some: ReadonlySet<number>): void {
    const slots = new Set(some)
    master.ready = this.#options
      .gained(master.connection, slots)
      .catch(() => master.connection.suspect('it did not take what was acknowledged of slots that it gained'))
      .then(() => {
        for (const slot of slots) master.gained.delete(slot)
        this.#options.back()
      })
  }
}

interface Master {
  readonly place: Place
  readonly connection: Connection
  readonly slots: Set<number>
  /** Those that it has only now, and that serve no request yet. */
  readonly gained: Set<number>
  /** Resolves once that has finished, or was given up. */
  ready: Promise<void>
  /** Ends the first wait for it. */
  readonly release: () => void
  wasUp: boolean
}

function unserved(): never {
  throw new StoreUnavailable('Redis cannot be used: no master of the cluster has the slot')
}

const MOVING = 'Redis cannot be used: a slot of the cluster is being moved for too long'
const LOOK_MS: Millis = 1000
/** How long a node is asked that may not be needed. */
const ASIDE_MS: Millis = 2000
/** A master that was never heard of before is waited for so long. */
const READY_MS: Millis = 2000
/** A slot may take so long to move. */
const MOVING_MS: Millis = 5000
const AGAIN_MS: Millis = 20
