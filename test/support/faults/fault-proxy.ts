import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { seeded } from '../random.ts'
import { Passage, type Toxic } from './toxics.ts'

export { blackHole, type Toxic } from './toxics.ts'

/** `up` is from the client to the backend. */
export type Way = 'up' | 'down'

interface Link {
  readonly client: Socket
  readonly backend: Socket
}

/** A TCP proxy in front of a backend that does to its bytes what the test says. */
export class FaultProxy {
  /** The port, which stays the same after `listen`; 0 before the first. */
  port = 0
  /** Connections accepted since the start. */
  accepted = 0
  readonly #toxics: Record<Way, Set<Toxic>> = { up: new Set(), down: new Set() }
  readonly #links = new Set<Link>()
  readonly #backend: { readonly port: number }
  readonly #random: () => number
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, client => this.#accept(client))

  /** The backend's port may change. The same seed makes the same choices, as far as the kernel cuts alike. */
  constructor({ backend, seed }: { readonly backend: { readonly port: number }; readonly seed: number }) {
    this.#backend = backend
    this.#random = seeded(seed)
  }

  /** The base URL that clients are given, with /v1. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`
  }

  /** Listens, on the same port as before. */
  async listen(): Promise<this> {
    if (this.#server.listening) return this
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
    return this
  }

  /** Resets open connections and refuses new ones, until it listens again. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  /** From now on, also for open connections, until the returned function is called. */
  add(toxic: Toxic, ways: readonly Way[] = ['up', 'down']): () => void {
    // Another object each time: the same may be added twice.
    const own = { ...toxic }
    for (const way of ways) this.#toxics[way].add(own)
    return () => {
      for (const way of ways) this.#toxics[way].delete(own)
    }
  }

  /** Resets open connections. */
  cut(): void {
    for (const link of this.#links) drop(link)
  }

  #accept(client: Socket): void {
    this.accepted++
    const { port } = this.#backend
    const backend = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const link = { client, backend }
    this.#links.add(link)
    const forget = () => client.destroyed && backend.destroyed && this.#links.delete(link)
    for (const socket of [client, backend]) socket.on('error', () => drop(link)).on('close', forget)
    const terms = { random: this.#random, reset: () => drop(link) }
    sendPassthrough(client, new Passage({ ...terms, to: backend, toxics: this.#toxics.up }))
    sendPassthrough(backend, new Passage({ ...terms, to: client, toxics: this.#toxics.down }))
  }
}

async function sendPassthrough(from: Socket, passage: Passage): Promise<void> {
  try {
    for await (const bytes of from.iterator({ destroyOnReturn: false })) await passage.pass(bytes)
    passage.end()
  } catch {
    // A connection that breaks drops the whole link.
  }
}

function drop({ client, backend }: Link): void {
  for (const socket of [client, backend]) if (!socket.destroyed) socket.resetAndDestroy()
}
