import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { UnderWay } from '../../gateway/lifetimes.ts'
import type { Denied } from '../../policy/denial.ts'
import type { HttpCall } from './call.ts'

/** The connections of one listener, and the requests on them. */
export class Traffic {
  /** With the requests on it of which something can still be sent. */
  readonly #sockets = new Map<Socket, HttpCall[]>()
  /** Also those whose client has left, until they are settled. */
  readonly #underWay = new UnderWay()
  #ending = false

  /** Why no more requests are taken, once none are. */
  get fault(): Denied | undefined {
    return this.#ending ? { denial: { code: 'DRAINING' } } : undefined
  }

  connected(socket: Socket): void {
    const calls: HttpCall[] = []
    this.#sockets.set(socket, calls)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      // Node informs only the response whose turn it is; those of pipelined requests would never learn of it.
      for (const call of [...calls]) call.close()
    })
  }

  began(call: HttpCall): void {
    this.#sockets.get(call.request.socket)?.push(call)
    this.#underWay.begin()
    if (this.#ending) call.closeWhenDone()
  }

  /** Nothing more can be sent. */
  closed(call: HttpCall): void {
    const { socket } = call.request
    const calls = this.#sockets.get(socket)
    const at = calls?.indexOf(call) ?? -1
    if (at !== -1) calls?.splice(at, 1)
    if (this.#ending && calls?.length === 0) socket.destroySoon()
  }

  /** Closed, and settled. */
  over(): void {
    this.#underWay.end()
  }

  /** The requests on this connection whose client still waits. */
  on(socket: Duplex): readonly HttpCall[] {
    return [...(socket instanceof Socket ? (this.#sockets.get(socket) ?? []) : [])]
  }

  /** Closes connections that are idle, and others after their answer. Resolves once no request is running. */
  async end(): Promise<void> {
    // Requests that arrived before this call are still served.
    await setImmediate()
    this.#ending = true
    for (const call of this.#all) call.drain()
    this.#closeIdle()
    await this.#underWay.none()
  }

  cut(): void {
    for (const call of this.#all) call.interrupt()
  }

  /** Drops every connection, including busy ones. */
  destroy(): void {
    for (const socket of this.#sockets.keys()) socket.destroy()
  }

  /** Node's own closeIdleConnections breaks answers that were written, and not yet sent. */
  #closeIdle(): void {
    for (const [socket, calls] of this.#sockets) if (calls.length === 0) socket.destroySoon()
  }

  get #all(): readonly HttpCall[] {
    return [...this.#sockets.values()].flat()
  }
}
