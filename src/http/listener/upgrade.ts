import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A client that sends more than this before it was answered waits. */
const MAX_EARLY = 65_536

/** The connection of a request for another protocol, which node does not read any more. */
export class Upgrade {
  readonly socket: Socket
  #early: Buffer[]
  #bytes: number
  readonly #take = (bytes: Buffer) => {
    this.#early.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes > MAX_EARLY) this.socket.pause()
  }
  readonly #leave = () => void this.socket.destroy()

  /** It is read on: only who reads learns that the client left. */
  constructor(socket: Socket, head: Buffer) {
    this.socket = socket
    this.#early = [head]
    this.#bytes = head.length
    socket.on('error', () => {})
    socket.on('data', this.#take).on('end', this.#leave)
  }

  /** Hands the connection over, and what came so far. */
  handOver(): { readonly socket: Socket; readonly early: Buffer } {
    const { socket } = this
    socket.off('data', this.#take).off('end', this.#leave)
    socket.pause()
    const early = Buffer.concat(this.#early)
    this.#early = []
    return { socket, early }
  }
}

/** Whether a request asks for a WebSocket. RFC 6455 4.2.1. */
export const asksForWebSocket = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
