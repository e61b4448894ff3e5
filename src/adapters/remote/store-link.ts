import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterReading, Patience, STORE_SILENCE_MS, TURNS } from '../../gateway/patience.ts'
import type { Cancel, Clock } from '../../gateway/ports.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Reader, Writer } from './bytes.ts'
import { FRAME, failure, framesOf, type Hello, hello, METHODS, type Method, Outbox } from './protocol.ts'

export interface LinkOptions {
  /** The socket of the process that has the store. */
  readonly path: string
  /** The program's version, which must be that of the other side. */
  readonly version: string
  /** The store is gone for good, and so is all that was not answered. */
  readonly lost: () => void
  /** Replaces the longest silence of the store, in tests. */
  readonly answerMs?: Millis
  /** Replaces the timers that wait for an answer, in tests. */
  readonly after?: Clock['after']
}

/** The connection of a worker to the process that has the store. It is never made anew: without that process nothing is known of what runs. */
export class StoreLink {
  readonly #socket: Socket
  readonly #outbox: Outbox
  readonly #answerMs: Millis
  /** Calls by number. A number is reused once it is answered, so the list does not grow with requests. */
  readonly #calls: (Waiting | undefined)[] = []
  readonly #free: number[] = []
  #waiting = 0
  /** Bytes of responses to be kept that are not answered. */
  #keeping = 0
  /** How often something came from the store. */
  #heard = 0
  readonly #after: Clock['after']
  #watch: Cancel | undefined
  #end: string | undefined
  #none = () => {}

  private constructor(socket: Socket, options: LinkOptions, greeted: (said: Hello) => void) {
    const { lost, answerMs = STORE_SILENCE_MS, after = afterReading } = options
    this.#socket = socket
    this.#answerMs = answerMs
    this.#after = after
    this.#outbox = new Outbox(bytes => socket.write(bytes))
    const take = framesOf((kind, call, reader) => {
      if (kind === FRAME.hello) greeted(hello.read(reader))
      else this.#answered(kind, call, reader)
    })
    socket
      .on('data', (chunk: Buffer) => {
        this.#heard++
        try {
          take(chunk)
        } catch (error) {
          socket.destroy(error instanceof Error ? error : undefined)
        }
      })
      // `close` follows.
      .on('error', () => {})
      .on('close', () => {
        const wasOpen = this.#end === undefined
        this.#over('the process that has the store ended')
        if (wasOpen) lost()
      })
  }

  /** Rejects with StoreUnavailable where no process listens, or another version. */
  static async open(options: LinkOptions): Promise<{ readonly link: StoreLink; readonly said: Hello }> {
    const { path, version } = options
    const socket = connect(path)
    try {
      await once(socket, 'connect')
    } catch (error) {
      throw new StoreUnavailable(`no process has the store: ${error instanceof Error ? error.message : error}`)
    }
    let link: StoreLink | undefined
    const said = await new Promise<Hello>((resolve, reject) => {
      const gone = () => reject(new StoreUnavailable('the process that has the store ended'))
      link = new StoreLink(socket, { ...options, lost: () => (link ? options.lost() : gone()) }, resolve)
      socket.once('close', gone)
      link.#outbox.put(FRAME.hello, 0, writer => hello.write(writer, { version, scanOrders: [] }))
    })
    if (!link) throw new Error('there is no link')
    if (said.version === version) return { link, said }
    link.close()
    throw new StoreUnavailable(
      `the process that has the store is of version ${said.version}, and this one of ${version}`,
    )
  }

  /** Asks the store. `late` gets an answer that came after the call was given up. */
  ask(number: number, args: readonly unknown[], late?: (answer: unknown) => void): Promise<unknown> {
    const method = METHODS[number]
    if (!method) throw new Error(`there is no call ${number}`)
    return this.#send(FRAME.call, method, writer => writeCall(writer, number, method, args), late)
  }

  /** Asks for the items of a stream, page by page, as fast as they are taken. */
  async *stream(number: number, args: readonly unknown[]): AsyncGenerator<unknown, void, undefined> {
    const method = METHODS[number]
    if (!method) throw new Error(`there is no call ${number}`)
    const first = await this.#send(FRAME.call, method, writer => writeCall(writer, number, method, args))
    let page = first as Page
    try {
      for (;;) {
        yield* page.items
        const { stream } = page
        if (stream === DONE) return
        page = { ...page, stream: DONE }
        page = (await this.#send(FRAME.more, method, writer => writer.u32(stream))) as Page
      }
    } finally {
      const { stream } = page
      if (stream !== DONE && this.#end === undefined) this.#outbox.put(FRAME.cancel, 0, writer => writer.u32(stream))
    }
  }

  /** Waits for pending calls, then closes. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return
    this.#end = 'the store is closed'
    if (this.#waiting > 0)
      await new Promise<void>(resolve => {
        this.#none = resolve
      })
    this.#outbox.flush()
    this.#socket.end()
    if (!this.#socket.closed) await new Promise<void>(resolve => this.#socket.on('close', () => resolve()))
  }

  async #send(
    kind: number,
    method: Method,
    write: (writer: Writer) => void,
    late: (answer: unknown) => void = () => {},
  ): Promise<unknown> {
    if (this.#end !== undefined) throw new StoreUnavailable(this.#end)
    if (this.#isFull(kind, method)) throw new StoreUnavailable('too many calls wait for the store')
    const number = this.#free.pop() ?? this.#calls.length
    const before = this.#outbox.size
    this.#outbox.put(kind, number, write)
    const keeping = isKeep(method) ? this.#outbox.size - before : 0
    this.#keeping += keeping
    this.#waiting++
    return new Promise((resolve, reject) => {
      const patience = method.comes === 'soon' ? new Patience(this.#heard, NO_LIMIT) : undefined
      this.#calls[number] = { method, resolve, reject, late, keeping, patience, isGivenUp: false }
      if (patience) this.#watchSoon()
    })
  }

  /** Whether a call is refused, for what waits already. */
  #isFull(kind: number, method: Method): boolean {
    // The store keeps a stream until it is asked for the rest.
    if (kind === FRAME.more || isEnd(method)) return false
    if (this.#waiting >= MOST_CALLS) return true
    // One response alone may be larger than all that requests ask meanwhile, and is no reason to refuse them.
    return isKeep(method) ? this.#keeping > MOST_KEEPING : this.#socket.writableLength - this.#keeping > MOST_BYTES
  }

  #answered(kind: number, number: number, reader: Reader): void {
    const call = this.#calls[number]
    if (!call) throw new Error(`an answer to no call, ${number}`)
    const answer = kind === FRAME.page ? pageOf(call.method, reader) : undefined
    const value = kind === FRAME.answer ? call.method.answer.read(reader) : answer
    const failed = kind === FRAME.failure ? failure.read(reader) : undefined
    this.#calls[number] = undefined
    this.#free.push(number)
    this.#waiting--
    this.#keeping -= call.keeping
    if (failed)
      call.reject(failed.name === 'StoreUnavailable' ? new StoreUnavailable(failed.message) : new Error(failed.message))
    else if (call.isGivenUp) call.late(value)
    else call.resolve(value)
    if (this.#waiting === 0) this.#none()
  }

  #watchSoon(): void {
    this.#watch ??= this.#after(this.#answerMs / TURNS, () => this.#look())
  }

  /** Gives up calls that ran out of patience. One that was sent since the last look has had less of a turn than the others. */
  #look(): void {
    this.#watch = undefined
    let isWaiting = false
    for (const call of this.#calls) {
      if (!call?.patience || call.isGivenUp) continue
      if (!call.patience.isOverAfterTurn(this.#heard)) isWaiting = true
      else {
        call.isGivenUp = true
        call.reject(new StoreUnavailable(`the store did not answer within ${this.#answerMs} ms`))
      }
    }
    if (isWaiting) this.#watchSoon()
  }

  #over(why: string): void {
    this.#end ??= why
    this.#watch?.()
    const waiting = this.#calls.splice(0)
    this.#waiting = 0
    this.#keeping = 0
    for (const call of waiting) call?.reject(new StoreUnavailable(why))
    this.#none()
  }
}

/** The end of a request is never refused: the request would be charged for what it did not use. */
const isEnd = ({ facet, name }: Method): boolean => facet === 'holds' && (name === 'settle' || name === 'refund')

const isKeep = ({ facet, name }: Method): boolean => facet === 'responses' && name === 'keep'

function writeCall(writer: Writer, number: number, { args: codecs }: Method, args: readonly unknown[]): void {
  writer.u8(number)
  for (let place = 0; place < codecs.length; place++) codecs[place]?.write(writer, args[place])
}

interface Waiting {
  readonly method: Method
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly late: (answer: unknown) => void
  /** Bytes that it adds to the responses waiting to be kept. */
  readonly keeping: number
  /** With what is answered soon. */
  readonly patience: Patience | undefined
  isGivenUp: boolean
}

/** `stream` is the number by which the next page is asked for. */
interface Page {
  readonly stream: number
  readonly items: readonly unknown[]
}

const pageOf = ({ answer }: Method, reader: Reader): Page => {
  const stream = reader.u32()
  return { stream, items: answer.read(reader) as readonly unknown[] }
}

/** Replaces the number of a stream: it has ended. */
export const DONE = 0

/** A store process that goes on answering others is busy, and so is this machine: no call is given up meanwhile. */
const NO_LIMIT = Number.POSITIVE_INFINITY
const MOST_CALLS = 8192
const MOST_BYTES = 8_000_000
/** While more than that waits to be kept, further responses are not: their answers come all the same. */
const MOST_KEEPING = 32_000_000
