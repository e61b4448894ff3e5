import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** One request as it was received, whole. */
export interface Received {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly rawBody: string
}

/** Answers one request, of which the body was read. */
export type Answer = (received: Received, response: http.ServerResponse, request: http.IncomingMessage) => unknown

/** An HTTP server on a loopback port whose answers a test may take over. */
export class Door {
  /** In the order in which their bodies were complete. */
  readonly requests: Received[] = []
  /** Requests whose connection the client closed before the answer was complete. */
  aborted = 0

  readonly #server: http.Server
  readonly #answer: Answer
  readonly #queue: Answer[] = []
  readonly #open = new Set<Socket>()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #always: Answer | undefined
  #refuses = false

  constructor(answer: Answer) {
    this.#answer = answer
    this.#server = http.createServer((request, response) => this.#take(request, response))
    this.#server.on('connection', (socket: Socket) => {
      if (this.#refuses) return socket.resetAndDestroy()
      this.#open.add(socket)
      return socket.on('close', () => this.#open.delete(socket))
    })
  }

  /** `http://127.0.0.1:40123` */
  get origin(): string {
    const address = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${address.port}`
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Answers the coming requests, one each. */
  next(...answers: Answer[]): void {
    this.#queue.push(...answers)
  }

  /** Answers all requests that the queue leaves; undefined gives them back. */
  always(answer: Answer | undefined): void {
    this.#always = answer
  }

  /** Cuts what is open, and every new connection. The port stays its own. */
  refuse(): void {
    this.#refuses = true
    for (const socket of this.#open) socket.resetAndDestroy()
  }

  serve(): void {
    this.#refuses = false
  }

  /** Resolves once the condition holds; it is looked at whenever something happens here. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change')
  }

  /** Call this when a condition may have changed. */
  happened(): void {
    this.#changes.emit('change')
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    // An answer to a client that has left goes nowhere.
    response.on('error', () => {})
    response.on('close', () => {
      if (!response.writableFinished) this.aborted++
      this.happened()
    })
    const received = await read(request)
    if (!received) return
    this.requests.push(received)
    this.happened()
    const answer = this.#queue.shift() ?? this.#always ?? this.#answer
    await answer(received, response, request)
  }
}

/** Nothing if the client left before the body was complete. */
async function read(request: http.IncomingMessage): Promise<Received | undefined> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part)
  } catch {
    return undefined
  }
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, rawBody: Buffer.concat(parts).toString() }
}

/** One answer, whole. */
export const says =
  (status: number, type: string | undefined, body = '', headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, { ...(type !== undefined && { 'content-type': type }), ...headers }).end(body)

export const saysJson = (value: unknown, status = 200): Answer =>
  says(status, 'application/json', JSON.stringify(value))

export const redirects = (status: number, location: string): Answer => says(status, undefined, '', { location })

/** Sends the head and some of the body, then cuts the connection. */
export const breaksOff =
  (type: string, body: string): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': '1000000' })
    response.write(body, () => response.socket?.resetAndDestroy())
  }

/** Cuts the connection in place of an answer. */
export const cuts: Answer = (_, response) => response.socket?.resetAndDestroy()

/** Never answers. */
export const hangs: Answer = () => {}
