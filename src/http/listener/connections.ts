import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { ListenerSettings } from '../../config/settings.ts'
import { networkOf } from '../../gateway/accounts/networks.ts'
import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { ClientAddresses } from './client-address.ts'

const TELL_EVERY: Millis = 60_000

export interface ConnectionTerms {
  readonly limits: () => ListenerSettings
  readonly clock: Clock
  readonly alarm: Alarm
  /** As the present configuration has them. */
  readonly addresses: () => ClientAddresses
  /** The requests that other processes of the gateway serve at this moment; absent where there are none. */
  readonly elsewhere?: Elsewhere
}

/** Running requests by client, in the other processes of a gateway. */
export interface Elsewhere {
  countOf(client: string): number
  /** Gives access to the counts of this process. */
  readonly attach: (here: Pick<Counts, 'above'>) => void
}

interface Connection {
  /** Whom it counts for; undefined for a proxy, which brings many. */
  readonly holder: string | undefined
  underWay: number
  /** Whether a request ever began: until one does, its headers are waited for. */
  used: boolean
  /** When it was opened, or its last request began or ended. */
  usedAt: Millis
  /** Fires when the connection had no running request for too long. A timer of node, as sockets have: no test's clock moves it. */
  readonly idle: NodeJS.Timeout
}

/** The connections of a listener: how many there are of one address, and which of them are idle. */
export class Connections {
  readonly #terms: ConnectionTerms
  readonly #open = new Map<Socket, Connection>()
  readonly #connected = new Counts()
  readonly #underWay = new Counts()
  readonly #toldAt = new Map<string, EpochMs>()

  constructor(terms: ConnectionTerms) {
    this.#terms = terms
    terms.elsewhere?.attach(this.#underWay)
  }

  /** False when the address has as many connections as it may; else it counts until it closes. */
  admit(socket: Socket): boolean {
    const addresses = this.#terms.addresses()
    const address = addresses.ofSocket(socket)
    const holder = addresses.isProxy(address) ? undefined : holderOf(address)
    if (holder !== undefined && !this.#take(this.#connected, holder)) return false
    const idle = this.#watch(socket)
    this.#open.set(socket, { holder, underWay: 0, used: false, usedAt: this.#terms.clock.elapsed(), idle })
    socket.once('close', () => {
      this.#open.delete(socket)
      clearTimeout(idle)
      if (holder !== undefined) this.#connected.release(holder)
    })
    return true
  }

  /** Counts a request until what is returned is called; undefined when its client has as many running as it may. */
  enter(request: IncomingMessage): (() => void) | undefined {
    const connection = this.#open.get(request.socket)
    // It has been closed, so that no answer can be sent.
    if (!connection) return () => {}
    const client = connection.holder ?? holderOf(this.#terms.addresses().ofRequest(request))
    if (!this.#take(this.#underWay, client)) return undefined
    connection.underWay++
    connection.used = true
    connection.usedAt = this.#terms.clock.elapsed()
    return () => {
      this.#underWay.release(client)
      connection.underWay--
      connection.usedAt = this.#terms.clock.elapsed()
      if (this.#open.has(request.socket)) connection.idle.refresh()
    }
  }

  /** Whether a connection stands between two requests. */
  isIdle(socket: Socket): boolean {
    const { used = false, underWay = 0 } = this.#open.get(socket) ?? {}
    return used && underWay === 0
  }

  /** How many had no request for so long. */
  idleFor(time: Millis): number {
    const before = this.#terms.clock.elapsed() - time
    let count = 0
    for (const { underWay, usedAt } of this.#open.values()) if (underWay === 0 && usedAt < before) count++
    return count
  }

  /** One came while there were as many as there may be. */
  turnAway(): void {
    this.#tell('connections are closed as they come: there are limits.connections of them')
  }

  /**
   * Closes what sends bytes between two requests that begin none: to node each of them is a sign of life. A request that
   * does begin is late after `headersTimeout`, and node's to refuse.
   */
  #watch(socket: Socket): NodeJS.Timeout {
    const { idleTimeout, headersTimeout } = this.#terms.limits()
    return setTimeout(() => {
      if (this.isIdle(socket)) socket.destroy()
    }, idleTimeout + headersTimeout).unref()
  }

  #take(counts: Counts, holder: string): boolean {
    const limit = this.#terms.limits().connectionsPerAddress
    const elsewhere = counts === this.#underWay ? (this.#terms.elsewhere?.countOf(holder) ?? 0) : 0
    if (counts.take(holder, limit - elsewhere)) return true
    const hint = 'list your own proxies in server.trusted_proxies'
    this.#tell('an address is at limits.connections_per_ip', { address: holder, limit, hint })
    return false
  }

  /** Once a minute: there may be thousands. */
  #tell(message: AlarmMessage, details?: Readonly<Record<string, unknown>>): void {
    const { clock, alarm } = this.#terms
    const now = clock.now()
    if (now - (this.#toldAt.get(message) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY) return
    this.#toldAt.set(message, now)
    alarm(message, details)
  }
}

/** A client with one IPv6 address has all of its network. */
export const holderOf = (address: string): string => (isIP(address) === 6 ? networkOf(address) : address)

/** How often each name is in use; names in no use take no room. */
export class Counts {
  readonly #counts = new Map<string, number>()

  /** False, and nothing counted, when the limit is reached. */
  take(name: string, limit: number): boolean {
    const count = this.#counts.get(name) ?? 0
    if (count >= limit) return false
    this.#counts.set(name, count + 1)
    return true
  }

  /** The names that are in use more often than that. */
  above(count: number): readonly (readonly [string, number])[] {
    return [...this.#counts].filter(([, each]) => each > count)
  }

  release(name: string): void {
    const left = (this.#counts.get(name) ?? 0) - 1
    if (left > 0) this.#counts.set(name, left)
    else this.#counts.delete(name)
  }
}
