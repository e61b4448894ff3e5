import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Address } from '../../config/model/formats.ts'
import type { ListenerSettings } from '../../config/settings.ts'
import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { ClientAddresses } from '../../http/listener/client-address.ts'
import { Counts, holderOf } from '../../http/listener/connections.ts'
import { SpareDescriptor } from '../../http/listener/spare-descriptor.ts'
import type { Millis } from '../../policy/config.ts'
import { BACKLOG } from '../backlog.ts'

export interface AcceptorPorts {
  /** Chooses the worker for the next connection by how many each has in use; undefined if none serves. */
  readonly next: (
    inUseOf: (slot: number) => number,
  ) => { readonly slot: number; readonly worker: ChildProcess } | undefined
  readonly limits: () => ListenerSettings
  readonly addresses: () => ClientAddresses
  readonly alarm: Alarm
}

/**
 * Accepts client connections and hands each to the worker with the fewest in use. Only main listens, so that a worker
 * that hangs or ends holds no port, and clients wait briefly while no worker serves. It counts a connection until its
 * worker reports it closed, so that limits on connections hold over all workers.
 */
export class Acceptor {
  readonly #server: Server
  readonly #ports: AcceptorPorts
  /** Connections that no worker has yet. */
  #waiting: Socket[] = []
  readonly #bySlot = new Map<number, Held>()
  readonly #byAddress = new Counts()
  readonly #toldAt = new Map<string, number>()
  #number = 0

  constructor(ports: AcceptorPorts) {
    this.#ports = ports
    // Connections are paused until a worker has them.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, socket => {
      if (spare.admits(socket)) this.#admit(socket)
    })
    const spare = new SpareDescriptor(this.#server)
  }

  async listen({ host, port }: Address): Promise<Address> {
    this.#server.listen(port, host, BACKLOG)
    await once(this.#server, 'listening')
    return { host, port: (this.#server.address() as AddressInfo).port }
  }

  /** A worker started to serve. */
  open(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const socket of waiting) this.#hand(socket)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#waiting) socket.destroy()
    this.#waiting = []
  }

  connectionsOf(slot: number): number {
    return this.#bySlot.get(slot)?.count ?? 0
  }

  /** Leaves out those that its worker reported as idle. */
  inUseOf(slot: number): number {
    const { count = 0, idle = 0 } = this.#bySlot.get(slot) ?? {}
    return Math.max(0, count - idle)
  }

  /** Records how many connections of a worker are idle. */
  idle(slot: number, count: number): void {
    this.#heldBy(slot).idle = count
  }

  /** Records closed connections of a worker, by their addresses. */
  closed(slot: number, addresses: readonly string[]): void {
    const held = this.#heldBy(slot)
    for (const address of addresses) this.#release(held, address)
  }

  /** A worker received these connections and owns them from now on. */
  taken(slot: number, numbers: readonly number[]): void {
    const { handing } = this.#heldBy(slot)
    for (const number of numbers) {
      handing.get(number)?.socket.destroy()
      handing.delete(number)
    }
    // Connections arrive in order: earlier ones that are not listed were lost on the way.
    this.#missed(slot, numbers.at(-1) ?? 0)
  }

  /** Returns a function to call once the worker has reported every connection handed to it so far. */
  mark(slot: number): () => void {
    const newest = this.#number
    const held = this.#bySlot.get(slot)
    return () => {
      if (held && this.#bySlot.get(slot) === held) this.#missed(slot, newest)
    }
  }

  /**
   * A worker ended. Connections that were never sent to it go to another worker; it may have read from the others, so
   * they close.
   */
  end(slot: number): void {
    const { addresses, handing } = this.#heldBy(slot)
    this.#bySlot.delete(slot)
    for (const [address, count] of addresses) for (let n = 0; n < count; n++) this.#byAddress.release(address)
    for (const { socket, isSent } of handing.values()) {
      if (isSent) socket.destroy()
      else this.#handAgain(socket)
    }
  }

  /**
   * A process without free file descriptors gets the message without its connection, and Node reports that to neither
   * side. Nothing was read from the connection, so another worker gets it.
   */
  #missed(slot: number, newest: number): void {
    const held = this.#heldBy(slot)
    for (const [number, { socket, isSent }] of held.handing) {
      if (number > newest || !isSent) continue
      held.handing.delete(number)
      this.#release(held, this.#addressOf(socket))
      this.#handAgain(socket)
    }
  }

  #handAgain(socket: Socket): void {
    if (socket.destroyed) return
    this.#byAddress.take(this.#addressOf(socket), Number.POSITIVE_INFINITY)
    this.#hand(socket)
  }

  #admit(socket: Socket): void {
    const { connections, connectionsPerAddress } = this.#ports.limits()
    const held = [...this.#bySlot.values()].reduce((sum, { count }) => sum + count, this.#waiting.length)
    if (held >= connections) {
      this.#tell('connections are closed as they come: there are limits.connections of them', {})
      return void socket.destroy()
    }
    const address = this.#addressOf(socket)
    const isProxy = this.#ports.addresses().isProxy(address)
    if (!this.#byAddress.take(address, isProxy ? Number.POSITIVE_INFINITY : connectionsPerAddress)) {
      const hint = 'list your own proxies in server.trusted_proxies'
      this.#tell('an address is at limits.connections_per_ip', { address, limit: connectionsPerAddress, hint })
      return void socket.destroy()
    }
    this.#hand(socket)
  }

  #hand(socket: Socket): void {
    const next = this.#ports.next(slot => this.inUseOf(slot))
    if (!next) {
      if (this.#waiting.length < MOST_WAITING) this.#waiting.push(socket)
      else this.#refuse(socket)
      return
    }
    const held = this.#heldBy(next.slot)
    const address = this.#addressOf(socket)
    held.count++
    held.addresses.set(address, (held.addresses.get(address) ?? 0) + 1)
    const number = ++this.#number
    const handing = { socket, isSent: false }
    held.handing.set(number, handing)
    const client: Client = { client: address, number }
    // Kept open until the worker has it: Node would leave it open forever if the worker ended first.
    next.worker.send(client, socket, { keepOpen: true }, error => {
      handing.isSent = true
      // If the worker ends, `end` closes it.
      if (error && this.#bySlot.get(next.slot) !== held) socket.destroy()
    })
  }

  #addressOf(socket: Socket): string {
    return holderOf(this.#ports.addresses().ofSocket(socket))
  }

  #refuse(socket: Socket): void {
    this.#byAddress.release(this.#addressOf(socket))
    socket.destroy()
  }

  #release(held: Held, address: string): void {
    const left = (held.addresses.get(address) ?? 0) - 1
    if (left < 0) return
    held.count--
    if (left > 0) held.addresses.set(address, left)
    else held.addresses.delete(address)
    this.#byAddress.release(address)
  }

  #heldBy(slot: number): Held {
    const known = this.#bySlot.get(slot)
    if (known) return known
    const held: Held = { count: 0, idle: 0, addresses: new Map(), handing: new Map() }
    this.#bySlot.set(slot, held)
    return held
  }

  /** At most once a minute: there may be thousands. */
  #tell(message: AlarmMessage, details: Readonly<Record<string, unknown>>): void {
    const now = performance.now()
    if (now - (this.#toldAt.get(message) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY) return
    this.#toldAt.set(message, now)
    this.#ports.alarm(message, details)
  }
}

/** Sent with a connection: the address that it counts for, and its number in the order of handing over. */
export interface Client {
  readonly client: string
  readonly number: number
}

/** The connections of a worker. */
interface Held {
  count: number
  /** How many of them are idle, as its worker last reported. */
  idle: number
  readonly addresses: Map<string, number>
  /** Those in transit to it. */
  readonly handing: Map<number, { readonly socket: Socket; isSent: boolean }>
}

const MOST_WAITING = 1024
const TELL_EVERY: Millis = 60_000
