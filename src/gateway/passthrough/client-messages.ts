import type { Millis } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { isCostlyBody } from '../../wire/openai/body.ts'
import { type ClientEvents, isEvent, type ReadMessage } from '../../wire/session/client-events.ts'
import type { Clock, Frame } from '../ports.ts'
import type { SessionBill } from './session-bill.ts'

/** The ports that reading a client's messages takes. */
export interface MessagePorts {
  readonly events: Pick<ClientEvents, 'read'>
  readonly bill: Pick<SessionBill, 'ask'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly turns: ReadingTurns
  readonly pass: (message: Frame) => void
  readonly refuse: (denial: Denial, eventId: string | undefined) => void
  /** Runs whenever `isWaiting` changes. */
  readonly changed: () => void
}

/** When messages of the account are read, which blocks the event loop. */
export interface ReadingTurns {
  /** Does what takes longer when its time has come. */
  costly<T>(work: () => T): Promise<T>
  /** Books what was done at once. */
  charge(took: Millis): void
}

/** The messages of a client of a session, in their order: each is read, and waits for what it asks for, before it is passed on. */
export class ClientMessages {
  readonly #ports: MessagePorts
  #queue: Frame[] = []
  /** The message that waits for its turn to be read. */
  #costly: Buffer | undefined
  #waiting: Promise<void> | undefined

  constructor(ports: MessagePorts) {
    this.#ports = ports
  }

  /** Whether one waits, and those behind it with it: no more is to be read. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined
  }

  /** Resolves once none waits. */
  async done(): Promise<void> {
    await this.#waiting
  }

  /** Reads no more, and keeps none of those that wait. */
  stop(): void {
    this.#queue = []
    this.#costly = undefined
  }

  take(message: Frame): void {
    if (this.#waiting) {
      this.#queue.push(message)
      return
    }
    const waits = this.#handle(message)
    if (!waits) return
    this.#waiting = this.#goOn(waits)
    this.#ports.changed()
  }

  async #goOn(first: Promise<void>): Promise<void> {
    await first
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) await this.#handle(next)
    this.#waiting = undefined
    this.#ports.changed()
  }

  #handle(message: Frame): Promise<void> | undefined {
    const { events, clock, turns, pass } = this.#ports
    const { kind, bytes } = message
    if (!isEvent(bytes, kind === 'text')) return void pass(message)
    const from = clock.elapsed()
    const read = isCostlyBody(bytes, 'dialects') ? undefined : events.read(bytes)
    turns.charge(clock.elapsed() - from)
    return read ? this.#act(read, kind) : this.#readInTurn(message)
  }

  async #readInTurn({ kind, bytes }: Frame): Promise<void> {
    const { events, turns } = this.#ports
    this.#costly = bytes
    const read = await turns.costly(() => this.#costly && events.read(this.#costly))
    this.#costly = undefined
    if (read) await this.#act(read, kind)
  }

  #act(read: ReadMessage, kind: Frame['kind']): Promise<void> | undefined {
    const { bill, pass, refuse } = this.#ports
    if ('denial' in read) return void refuse(read.denial, read.eventId)
    const { bytes, eventId } = read
    const asking = read.asks ? bill.ask(eventId) : undefined
    if (!asking) return void pass({ kind, bytes })
    return asking.then(denial => (denial ? refuse(denial, eventId) : pass({ kind, bytes })))
  }
}
