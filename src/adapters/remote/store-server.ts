import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { outOfPatience } from '../../gateway/patience.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Admitted, Settlement } from '../../gateway/store/hold-store.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import type { Reader } from './bytes.ts'
import { NO_PAGE, type Page, pagesOf } from './pages.ts'
import { FRAME, failure, framesOf, hello, METHODS, type Method, Outbox } from './protocol.ts'
import { DONE } from './store-link.ts'

export interface ServedStore {
  readonly store: Store
  /** Ends the holds of requests whose process ended, each at its last checkpoint. */
  readonly abandon: (requestIds: readonly string[]) => Promise<void>
  /** The program's version. */
  readonly version: string
  readonly alarm: Alarm
  /** Replaces the second that a worker has to close its side, in tests. */
  readonly endMs?: Millis
}

/** Serves a store to other processes of this machine, at a socket of the file system that only this user may open. */
export class StoreServer {
  readonly #server: Server
  readonly #visitors = new Set<Visitor>()

  constructor(served: ServedStore) {
    this.#server = createServer(socket => {
      const visitor = new Visitor(socket, served, () => this.#visitors.delete(visitor))
      this.#visitors.add(visitor)
    })
  }

  async listen(path: string): Promise<void> {
    this.#server.listen(path)
    await once(this.#server, 'listening')
    await chmod(path, 0o600)
  }

  /**
   * Ends all connections: their holders should have closed them. Resolves once their holds are ended, also where a worker
   * hangs and never closes its side: the next gateway waits for this store.
   */
  async close(): Promise<void> {
    this.#server.close()
    await Promise.all([...this.#visitors].map(visitor => visitor.end()))
  }
}

/** A worker's connection. It is the lease of what the worker holds: when it ends, all of that ends. */
class Visitor {
  readonly #socket: Socket
  readonly #served: ServedStore
  readonly #outbox: Outbox
  /** Requests that it had admitted, and that have not ended. */
  readonly #holds = new Set<string>()
  readonly #streams = new Map<number, AsyncGenerator<Page, void, undefined>>()
  #lastStream = DONE
  #isOver = false
  readonly #over: Promise<void>

  constructor(socket: Socket, served: ServedStore, gone: () => void) {
    this.#socket = socket
    this.#served = served
    this.#outbox = new Outbox(bytes => socket.write(bytes))
    const take = framesOf((kind, call, reader) => this.#take(kind, call, reader))
    socket
      .on('data', (chunk: Buffer) => {
        try {
          take(chunk)
        } catch (error) {
          served.alarm('a worker sent a message that cannot be read', { error: String(error) })
          socket.destroy()
        }
      })
      // `close` follows.
      .on('error', () => {})
    // Not by `once` of node, which rejects at an error that comes first.
    const closed = new Promise<void>(resolve => socket.on('close', () => resolve()))
    this.#over = closed.then(() => {
      gone()
      return this.#leave()
    })
  }

  end(): Promise<void> {
    this.#outbox.flush()
    this.#socket.end()
    // All that it had sent is read long before.
    const callOff = outOfPatience({ time: this.#served.endMs ?? END_MS }, () => this.#socket.destroy())
    return this.#over.finally(callOff)
  }

  /** All that the worker sent is read by now. */
  async #leave(): Promise<void> {
    this.#isOver = true
    for (const stream of this.#streams.values()) void stream.return()
    const held = [...this.#holds]
    this.#holds.clear()
    if (held.length === 0) return
    const { abandon, alarm } = this.#served
    await abandon(held).catch(error =>
      alarm('the holds of a worker that ended could not be written', { error: String(error) }),
    )
  }

  #take(kind: number, call: number, reader: Reader): void {
    switch (kind) {
      case FRAME.hello: {
        const { version, store } = this.#served
        hello.read(reader)
        this.#outbox.put(FRAME.hello, 0, writer =>
          hello.write(writer, { version, scanOrders: store.accounts.scanOrders }),
        )
        return
      }
      case FRAME.call:
        this.#call(call, reader)
        return
      case FRAME.more:
        void this.#page(call, reader.u32())
        return
      case FRAME.cancel: {
        const stream = reader.u32()
        void this.#streams.get(stream)?.return()
        this.#streams.delete(stream)
        return
      }
      default:
        throw new Error(`a frame of kind ${kind}`)
    }
  }

  #call(call: number, reader: Reader): void {
    const method = METHODS[reader.u8()]
    if (!method) throw new Error('no such call')
    const args = method.args.map(codec => codec.read(reader))
    if (method.comes === 'pages') {
      this.#stream(call, method, args)
      return
    }
    if (method.facet === 'holds') this.#ending(method, args)
    const asked = run(this.#served.store, method, args) as Promise<unknown>
    asked.then(
      answer => this.#answer(call, method, answer),
      error => this.#fail(call, error),
    )
  }

  #answer(call: number, method: Method, answer: unknown): void {
    const hold = method.facet === 'holds' && method.name === 'admit' ? holdOf(answer as Admitted) : undefined
    if (hold !== undefined && !this.#isOver) this.#holds.add(hold)
    else if (hold !== undefined) this.#abandon(hold)
    try {
      this.#say(call, FRAME.answer, writer => method.answer.write(writer, answer))
    } catch (error) {
      // A fault of the program, of one call alone: it must not end all that runs.
      const { facet, name } = method
      this.#served.alarm('an answer of the store cannot be sent', { call: `${facet}.${name}`, error: String(error) })
      this.#fail(call, error)
      // Its worker never hears of it.
      if (hold !== undefined && this.#holds.delete(hold)) this.#abandon(hold)
    }
  }

  /** A request that the worker ends is no longer one to be ended for it. */
  #ending({ name }: Method, [first]: readonly unknown[]): void {
    if (name === 'settle') this.#holds.delete((first as Settlement).hold.requestId)
    else if (name === 'refund') this.#holds.delete((first as Hold).requestId)
  }

  #abandon(requestId: string): void {
    void this.#served.abandon([requestId]).catch(() => {})
  }

  #stream(call: number, method: Method, args: readonly unknown[]): void {
    const items = run(this.#served.store, method, args) as AsyncIterable<unknown>
    const stream = ++this.#lastStream
    this.#streams.set(stream, pagesOf(method, items))
    void this.#page(call, stream)
  }

  async #page(call: number, stream: number): Promise<void> {
    const pages = this.#streams.get(stream)
    try {
      const next = await pages?.next()
      const { count, items, isLast } = next?.value ?? NO_PAGE
      if (isLast) this.#streams.delete(stream)
      this.#say(call, FRAME.page, writer => {
        writer.u32(isLast ? DONE : stream)
        // A list is how many items there are, and then these.
        writer.u32(count)
        writer.put(items)
      })
    } catch (error) {
      this.#streams.delete(stream)
      this.#fail(call, error)
    }
  }

  #fail(call: number, error: unknown): void {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    this.#say(call, FRAME.failure, writer => failure.write(writer, { name, message }))
  }

  #say(call: number, kind: number, write: Parameters<Outbox['put']>[2]): void {
    if (!this.#isOver) this.#outbox.put(kind, call, write)
  }
}

/** The request that was admitted, if it was. */
const holdOf = (admitted: Admitted): string | undefined =>
  'outcome' in admitted && admitted.outcome === 'admitted' ? admitted.hold.requestId : undefined

const END_MS: Millis = 1000

function run(store: Store, { facet, name }: Method, args: readonly unknown[]): unknown {
  const part = (facet === 'whole' ? store : store[facet]) as unknown as Readonly<
    Record<string, (...args: readonly unknown[]) => unknown>
  >
  return part[name]?.(...args)
}
