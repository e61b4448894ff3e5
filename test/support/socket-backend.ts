import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'

/** A socket that a test holds one side of, with what came over it. */
export class HeldSocket {
  readonly ws: WebSocket
  /** Texts as they are; binary messages as `<bytes>`; control frames as `ping:` and `pong:`. */
  readonly got: string[] = []
  closed: { readonly code: number; readonly reason: string } | undefined
  readonly #changes = new EventEmitter().setMaxListeners(0)

  constructor(ws: WebSocket) {
    this.ws = ws
    const take = (text: string) => {
      this.got.push(text)
      this.#changes.emit('change')
    }
    ws.on('message', (data: Buffer, isBinary: boolean) => take(isBinary ? `<${data.length}>` : data.toString()))
    ws.on('ping', (data: Buffer) => take(`ping:${data}`))
    ws.on('pong', (data: Buffer) => take(`pong:${data}`))
    ws.on('error', () => {})
    ws.on('close', (code: number, reason: Buffer) => {
      this.closed = { code, reason: reason.toString() }
      this.#changes.emit('change')
    })
  }

  /** Resolves once the condition holds; it is looked at whenever something comes. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change')
  }

  async next(): Promise<string> {
    await this.until(() => this.got.length > 0)
    return this.got.shift() ?? ''
  }

  /** How the other side said goodbye. */
  async end(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.until(() => this.closed !== undefined)
    return this.closed ?? { code: 0, reason: '' }
  }

  say(data: string | object): void {
    this.ws.send(typeof data === 'string' ? data : JSON.stringify(data))
  }
}

/** Opens a WebSocket; rejects with the status of an answer that is none. */
export async function openSocket(
  url: string,
  { key, protocols = [], headers = {} }: { key?: string; protocols?: string[]; headers?: Record<string, string> } = {},
): Promise<HeldSocket & { readonly headers: http.IncomingHttpHeaders }> {
  const ws = new WebSocket(url.replace(/^http/, 'ws'), protocols, {
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    perMessageDeflate: true,
  })
  const held = new HeldSocket(ws)
  let answer: http.IncomingMessage | undefined
  ws.on('upgrade', (response: http.IncomingMessage) => {
    answer = response
  })
  await new Promise<void>((resolve, reject) => {
    ws.once('open', () => resolve())
    ws.once('error', reject)
    ws.once('unexpected-response', (_request: unknown, response: http.IncomingMessage) => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('end', () => {
        const { statusCode: status, headers: got } = response
        reject(
          Object.assign(new Error(`status ${status}`), { status, headers: got, body: Buffer.concat(parts).toString() }),
        )
      })
    })
  })
  return Object.assign(held, { headers: answer?.headers ?? {} })
}

/** A backend's refusal of a WebSocket with a status; absent if it accepts. */
type Refusal = { readonly status: number; readonly body?: string; readonly headers?: http.OutgoingHttpHeaders }

/** A backend that speaks WebSocket: real HTTP on loopback. */
export class SocketBackend {
  readonly sockets: HeldSocket[] = []
  /** Requests for a WebSocket. */
  readonly asked: http.IncomingMessage[] = []
  /** Refuses the next requests with these, in order. */
  readonly refusals: Refusal[] = []
  /** Neither answers nor refuses. */
  isSilent = false
  /** Does this with the connection itself once it is open. */
  onRaw: ((socket: Duplex) => void) | undefined
  readonly #server = http.createServer((_, response) => response.writeHead(404).end())
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #raw = new Set<Duplex>()

  static async start(): Promise<SocketBackend> {
    const backend = new SocketBackend()
    const server = backend.#server
    const sockets = new WebSocketServer({ noServer: true, clientTracking: false, autoPong: true })
    server.on('upgrade', (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
      backend.#raw.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          backend.#raw.delete(socket)
          backend.#changes.emit('change')
        })
      // Also one that is not taken learns that its client left.
      if (backend.isSilent) socket.resume().on('end', () => socket.end())
      backend.asked.push(request)
      backend.#changes.emit('change')
      const refusal = backend.refusals.shift()
      if (backend.isSilent) return
      if (refusal) {
        const { status, body = '', headers = {} } = refusal
        const response = new http.ServerResponse(request)
        response.assignSocket(socket as never)
        response.on('finish', () => socket.end())
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers }).end(body)
        return
      }
      sockets.handleUpgrade(request, socket, head, ws => {
        backend.sockets.push(new HeldSocket(ws))
        backend.onRaw?.(socket)
        backend.#changes.emit('change')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return backend
  }

  /** Open connections. */
  get open(): number {
    return this.#raw.size
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change')
  }

  /** The socket that is opened next, or was. */
  async socket(index = 0): Promise<HeldSocket> {
    await this.until(() => this.sockets.length > index)
    const socket = this.sockets[index]
    if (!socket) throw new Error('no socket')
    return socket
  }

  /** Breaks every connection, as a process that is killed does. */
  kill(): void {
    for (const socket of this.#raw) socket.destroy()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    this.kill()
    await once(this.#server, 'close')
  }
}
