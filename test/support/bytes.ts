import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** One body as it arrived, of which only the digest is kept. */
export interface SeenBytes {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly length: number
  readonly sha256: string
  /** Whether its sender finished it. */
  readonly complete: boolean
}

/** A test's handling of a request whose body may still be arriving. */
export type OnBytes = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

/** A backend of bytes: real HTTP on loopback, bodies of any kind, none of them kept. */
export class ByteBackend {
  readonly seen: SeenBytes[] = []
  /** Connections that ended before their answer was complete. */
  aborted = 0
  /** Requests of which the headers came. */
  asked = 0
  readonly #server: http.Server
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #on: OnBytes | undefined

  constructor() {
    this.#server = http.createServer((request, response) => this.#take(request, response))
  }

  static async start(): Promise<ByteBackend> {
    const backend = new ByteBackend()
    backend.#server.listen(0, '127.0.0.1')
    await once(backend.#server, 'listening')
    return backend
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** In place of reading the body and answering `{"text":"ok"}`. */
  on(handle: OnBytes | undefined): void {
    this.#on = handle
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
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.asked++
    this.#changes.emit('change')
    response.on('error', () => {})
    response.on('close', () => {
      if (!response.writableFinished) this.aborted++
      this.#changes.emit('change')
    })
    if (this.#on) {
      request.on('error', () => {})
      this.#changes.emit('change')
      await this.#on(request, response)
      return
    }
    this.seen.push(await read(request))
    this.#changes.emit('change')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"ok"}')
  }
}

async function read(request: http.IncomingMessage): Promise<SeenBytes> {
  const hash = createHash('sha256')
  let length = 0
  let complete = true
  try {
    for await (const part of request) {
      hash.update(part)
      length += part.length
    }
  } catch {
    complete = false
  }
  return { path: request.url ?? '', headers: request.headers, length, sha256: hash.digest('hex'), complete }
}

/** This many bytes, equal for equal seeds, piece by piece. */
export function* bytes(size: number, seed = 1): Generator<Buffer> {
  const block = Buffer.alloc(65_536)
  let state = seed
  for (let at = 0; at < size; at += block.length) {
    for (let i = 0; i < block.length; i += 4) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
      block.writeInt32LE(state, i)
    }
    yield Buffer.from(block.subarray(0, Math.min(block.length, size - at)))
  }
}

export function sha256(parts: Iterable<Uint8Array>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
