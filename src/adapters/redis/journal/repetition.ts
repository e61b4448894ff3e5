import type { Alarm } from '../../../gateway/ports.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Access, Repeater } from '../access.ts'
import { isScriptError, type Reply } from '../client.ts'
import { endCall } from '../hold-endings.ts'
import { readInfo } from '../server-check.ts'
import type { Acknowledged } from './acknowledged.ts'
import type { Journal } from './journal.ts'

/**
 * Gives a server that took over what Redis had acknowledged to this gateway. What it has already is not changed: every
 * call of the journal has its effect once.
 */
export class Repetition {
  readonly #access: Access
  readonly #journal: Journal
  readonly #alarm: Alarm
  /** The server that is given them, and the next number; undefined where all was given. */
  #under: { readonly server: string; next: number; readonly end: number; count: number } | undefined
  #timer: NodeJS.Timeout | undefined
  #rest: Promise<void> = Promise.resolve()
  #closed = false

  constructor(access: Access, journal: Journal, alarm: Alarm) {
    this.#access = access
    this.#journal = journal
    this.#alarm = alarm
  }

  /** Repeats what a process before this one left, then looks once a second at what replicas have. */
  async open(): Promise<void> {
    if (await this.#journal.open()) await this.before('', this.#access.repeater)
    this.goOn()
    this.#lookSoon()
  }

  #lookSoon(): void {
    if (this.#closed) return
    this.#timer = setTimeout(async () => {
      await this.#look()
      this.#lookSoon()
    }, LOOK_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#rest
    await this.#journal.close()
  }

  /** Before another server answers anyone: gives it as much as there is time for. Rejects where the server does not answer. */
  async before(server: string, repeater: Repeater): Promise<void> {
    if (this.#under?.server !== server) {
      this.#journal.moved()
      this.#under = { server, next: 0, end: this.#journal.next, count: 0 }
    }
    await this.#repeatAll(repeater, performance.now() + FENCE_MS)
  }

  /** Gives it the rest, while the server answers others. */
  goOn(): void {
    if (!this.#under) return
    this.#rest = this.#rest.then(() =>
      // A server that is lost meanwhile is given the rest when it is back; its successor begins anew.
      this.#repeatAll(this.#access.repeater, Number.POSITIVE_INFINITY).catch(() => {}),
    )
  }

  async #repeatAll(repeater: Repeater, until: number): Promise<void> {
    for (let under = this.#under; under && performance.now() < until && !this.#closed; under = this.#under) {
      const { entries, next } = this.#journal.from(under.next, Math.min(AT_ONCE, under.end - under.next))
      if (entries.length === 0) return this.#ended(under.count)
      const replies = await Promise.all(entries.map(entry => this.#repeatOne(entry, repeater)))
      under.count += replies.filter(isNews).length
      under.next = next
    }
  }

  async #repeatOne(entry: Acknowledged, repeater: Repeater): Promise<Reply | undefined> {
    try {
      return await this.#repeatEntry(entry, repeater)
    } catch (error) {
      if (!isScriptError(error)) throw error
      this.#alarm('a server that took over does not take what Redis had acknowledged', { error: String(error) })
      return undefined
    }
  }

  async #repeatEntry(entry: Acknowledged, repeater: Repeater): Promise<Reply | undefined> {
    if ('call' in entry) return repeater.call(entry.call)
    if ('command' in entry) await repeater.command(entry.command)
    else if ('owner' in entry) await repeater.own(entry.owner.hash, entry.owner.account)
    else return repeater.call(endCall(this.#access.layout, entry, true))
    return undefined
  }

  #ended(count: number): void {
    this.#under = undefined
    if (count > 0)
      this.#alarm('a server took over that lacked what Redis had acknowledged, and has it again', { count })
  }

  async #look(): Promise<void> {
    if (this.#under || !this.#access.up) return
    const asked = this.#journal.next
    try {
      this.#journal.look(await this.#access.ask(client => readInfo(client, 'replication')), asked)
    } catch (error) {
      // The next look follows in a second.
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
}

/** Whether the server did not have it yet. */
const isNews = (reply: Reply | undefined): boolean => reply !== undefined && NEWS.has(reply[0])
const NEWS: ReadonlySet<string> = new Set(['settled', 'minted', 'rotated', 'revoked', 'done', 'recorded'])

const LOOK_MS: Millis = 1000
/** No request waits longer for a server that took over. */
const FENCE_MS: Millis = 2000
const AT_ONCE = 128
