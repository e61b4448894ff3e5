import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { answer, type Behaviour, json, stream } from './behaviours.ts'
import type { Certificate } from './certificate.ts'

export * from './behaviours.ts'
export * from './faults/failures.ts'
export * from './refusals.ts'

/** One request as the backend received it, whole. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  /** The parsed body; an empty object where it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  readonly rawBody: string
}

/** Starts a scripted backend on a free loopback port; with a certificate it speaks TLS. */
export async function startBackend(certificate?: Certificate): Promise<Backend> {
  const backend = new Backend(certificate)
  await backend.listenAgain()
  return backend
}

/** A real HTTP server on a loopback port that does, request by request, what the test says. */
export class Backend {
  /** All requests but GETs, in the order in which their bodies were complete. */
  readonly requests: Seen[] = []
  /** GETs: health probes, which take no behaviour from the queue. */
  readonly probes: Seen[] = []
  /** The gateway's own requests, which do not take a behaviour from the queue either. */
  readonly checks: Seen[] = []
  /** Requests whose connection the client closed before the answer was complete. */
  aborted = 0
  /** Open connections. */
  connections = 0
  /** Connections accepted since the start. */
  accepted = 0
  /** The port, which stays the same after `listenAgain`; 0 before the first. */
  port = 0

  readonly #server: http.Server
  readonly #scheme: string
  /** Connections that served a request. */
  readonly #used = new WeakSet<Socket>()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #queue: Behaviour[] = []
  #always = hello
  #probed = json({})
  #checkBehaviour: Behaviour | undefined
  #down = false

  constructor(certificate?: Certificate) {
    const listener: http.RequestListener = (request, response) => this.#exchange(request, response)
    this.#scheme = certificate ? 'https' : 'http'
    this.#server = certificate
      ? https.createServer({ ...certificate, keepAliveTimeout: 60_000 }, listener)
      : http.createServer({ keepAliveTimeout: 60_000 }, listener)
    this.#server.on('connection', (socket: Socket) => {
      socket.setNoDelay(true)
      this.accepted++
      this.connections++
      socket.on('close', () => this.connections--)
    })
  }

  /** The base URL that clients are given, with /v1. */
  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/v1`
  }

  /** Queues one behaviour for each coming request. */
  next(...behaviours: Behaviour[]): void {
    this.#queue.push(...behaviours)
  }

  /** Is done whenever the queue is empty; at first one that says hello, whole or streamed. */
  always(behaviour: Behaviour): void {
    this.#always = behaviour
  }

  /** Answers GETs; at first a 200 with an empty object. */
  probed(behaviour: Behaviour): void {
    this.#probed = behaviour
  }

  /** Answers health checks; at first as it answers requests. */
  answersChecks(behaviour: Behaviour | undefined): void {
    this.#checkBehaviour = behaviour
  }

  /** Resolves once `n` health checks have arrived since the start. */
  checked(n: number): Promise<void> {
    return this.#until(() => this.checks.length >= n)
  }

  /** Resolves once `n` requests have arrived since the start. */
  received(n: number): Promise<void> {
    return this.#until(() => this.requests.length >= n)
  }

  /** Resolves once `n` requests have been aborted by their clients. */
  clientGone(n: number): Promise<void> {
    return this.#until(() => this.aborted >= n)
  }

  /** As if the process was killed: open connections end, new ones are refused. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return
    this.#down = true
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  /** Listens on the same port again. */
  async listenAgain(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#down = false
    this.port = portOf(this.#server.address())
  }

  close(): Promise<void> {
    return this.refuse()
  }

  async #exchange(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let ours = false
    const reused = this.#used.has(request.socket)
    this.#used.add(request.socket)
    // A reply to a client that has left goes nowhere.
    response.on('error', () => {})
    response.on('close', () => {
      if (response.writableFinished || ours || this.#down) return
      this.aborted++
      this.#changes.emit('change')
    })
    const seen = await read(request)
    if (!seen) return
    const probe = seen.method === 'GET'
    const isCheck = !probe && isHealthCheck(seen)
    const scripted = () => (isCheck ? this.#checkBehaviour : this.#queue.shift()) ?? this.#always
    const behaviour = probe ? this.#probed : scripted()
    const requests = isCheck ? this.checks : this.requests
    const log = probe ? this.probes : requests
    log.push(seen)
    this.#changes.emit('change')
    const takeOver = () => {
      ours = true
      return request.socket
    }
    await behaviour({ seen, response, reused, takeOver })
  }

  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) await once(this.#changes, 'change')
  }
}

/** A backend sees a health check as any other request: only its id differs. */
const isHealthCheck = ({ headers }: Seen): boolean => /-check$/.test(String(headers['x-request-id']))

/** Answers with one word, whole or streamed as the request asks. */
export const hello: Behaviour = exchange =>
  exchange.seen.body.stream === true
    ? stream({ chunks: ['Hel', 'lo.'] })(exchange)
    : answer({ content: 'Hello.' })(exchange)

/** Nothing if the client left before its body was complete. */
async function read(request: http.IncomingMessage): Promise<Seen | undefined> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part)
  } catch {
    // Counted as aborted by the response's close.
    return undefined
  }
  const rawBody = Buffer.concat(parts).toString()
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: jsonObject(rawBody),
    rawBody,
  }
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Tests of broken requests read rawBody.
    return {}
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || !address) throw new Error('the backend does not listen on a port')
  return address.port
}
