import type { Denial } from '../../policy/denial.ts'
import { isCostlyBody } from '../../wire/openai/body.ts'
import { type ClientEvents, isEvent, type ReadMessage } from '../../wire/session/client-events.ts'
import type { Frame } from '../ports.ts'
import type { SessionBill } from './session-bill.ts'

/** What the messages of a client need. */
export interface MessagePorts {
  readonly events: Pick<ClientEvents, 'read'>
  readonly bill: Pick<SessionBill, 'ask'>
  readonly inTurn: InTurn
  readonly pass: (message: Frame) => void
  readonly refuse: (denial: Denial, eventId: string | undefined) => void
  /** Runs whenever `isWaiting` changes. */
  readonly changed: () => void
}

/** Does some work of the account when its time has come: that blocks the event loop for longer. */
export type InTurn = <T>(work: () => T) => Promise<T>

/** The messages of a client of a session, in their order: each is read, and waits for what it asks for, before it is passed on. */
export class ClientMessages {
  readonly #ports: MessagePorts
  readonly #queue: Frame[] = []
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
    const { events, inTurn, pass } = this.#ports
    const { kind, bytes } = message
    if (!isEvent(bytes, kind === 'text')) return void pass(message)
    if (!isCostlyBody(bytes, 'dialects')) return this.#act(events.read(bytes), kind)
    return inTurn(() => events.read(bytes)).then(read => this.#act(read, kind))
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
