import type { EventEmitter } from 'node:events'

/** The calls that a process takes over its channel, by name. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>

/** The channel of a process to the one that started it, or to one that it started. */
export interface Channel {
  readonly connected?: boolean
  send?(message: unknown): unknown
  on(event: 'message', hear: (message: unknown) => void): unknown
  on(event: 'disconnect' | 'exit' | 'error', run: () => void): unknown
}

type Message =
  | { readonly tell: string; readonly args: readonly unknown[] }
  | { readonly ask: string; readonly number: number; readonly args: readonly unknown[] }
  | { readonly answer: unknown; readonly number: number }
  | { readonly failed: Failed; readonly number: number }

/** An error as it travels: what explains it to operators. */
interface Failed {
  readonly name: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The other end of a channel between processes: takes news, and answers questions. */
export class Peer<Theirs extends Calls> {
  readonly #channel: Channel
  readonly #asked = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  #number = 0
  #isOver = false

  constructor(channel: Channel, mine: Calls) {
    this.#channel = channel
    channel.on('message', message => this.#hear(message as Message, mine))
    channel.on('disconnect', () => this.#gone())
    channel.on('exit', () => this.#gone())
    // A message may be sent while the other process ends.
    channel.on('error', () => {})
  }

  get isThere(): boolean {
    return !this.#isOver && this.#channel.connected === true
  }

  /** The process ended: what still comes of it is not heard. */
  end(): void {
    this.#isOver = true
    this.#gone()
  }

  /** Tells the other process something. A message that cannot be sent any more is dropped. */
  tell<Name extends keyof Theirs & string>(name: Name, ...args: Parameters<Theirs[Name]>): void {
    this.#send({ tell: name, args })
  }

  /** Rejects where the other process ends before it answers. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const number = ++this.#number
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      if (!this.#send({ ask: name, number, args })) this.#gone()
    })
  }

  #hear(message: Message, mine: Calls): void {
    // With a connection something else is said, which has a number of its own.
    if (this.#isOver || typeof message !== 'object') return
    if ('tell' in message) void run(mine, message.tell, message.args)
    else if ('ask' in message) void this.#answer(message.number, () => run(mine, message.ask, message.args))
    else if ('answer' in message || 'failed' in message) {
      const asked = this.#asked.get(message.number)
      this.#asked.delete(message.number)
      if ('failed' in message) asked?.reject(errorOf(message.failed))
      else asked?.resolve(message.answer as never)
    }
  }

  async #answer(number: number, answer: () => unknown): Promise<void> {
    try {
      this.#send({ answer: await answer(), number })
    } catch (error) {
      this.#send({ failed: failedBy(error), number })
    }
  }

  #send(message: Message): boolean {
    if (!this.isThere) return false
    this.#channel.send?.(message)
    return true
  }

  #gone(): void {
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(new PeerGone('the other process ended'))
  }
}

/**
 * Resolves with what an event of a process comes with. `once` of node:events would reject where something cannot be said to
 * that process any more, which says nothing of the event.
 */
export const eventOf = <Args extends unknown[]>(process: EventEmitter, event: 'exit' | 'disconnect'): Promise<Args> =>
  new Promise(resolve => process.once(event, (...args) => resolve(args as Args)))

/** The other process ended before it answered. */
class PeerGone extends Error {
  override readonly name = 'PeerGone'
}

function run(mine: Calls, name: string, args: readonly unknown[]): unknown {
  const call = mine[name] as ((...args: readonly unknown[]) => unknown) | undefined
  if (!call) throw new Error(`no call ${name}`)
  return call(...args)
}

function failedBy(error: unknown): Failed {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} }
  const { name, message } = error
  // Fields such as `code` and `port` of a failed listen; nothing that does not travel.
  const fields = Object.fromEntries(
    Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  )
  return { name, message, fields }
}

const errorOf = ({ name, message, fields }: Failed): Error => Object.assign(new Error(message), fields, { name })
