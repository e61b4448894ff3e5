import type { Alarm, Clock } from '../../../gateway/ports.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Place } from '../address.ts'
import { isScriptError, type Link, redirectOf, type Server } from '../client.ts'
import { answered, Mute } from './answered.ts'
import { Dialer } from './dialer.ts'
import type { Proven, Shard } from './shards.ts'

export interface ConnectionOptions {
  readonly server: Server
  readonly owners: string
  readonly alarm: Alarm
  /** The longest silence of the server before it counts as down. */
  readonly answerMs: Millis
  /** Timers for calls, instead of this process's own. */
  readonly after?: Clock['after'] | undefined
  /** Which one, where the address names several. */
  readonly place?: Place
  /** Those whose keys the server has. */
  readonly slots: ReadonlySet<number>
  /** Makes sure that the server at the other end may be used; rejects with the reason where it may not. */
  readonly admit: (link: Link, shard: Shard) => Promise<void>
  /** Is called each time the store can be used again. */
  readonly back: () => void
}

/**
 * The connection to Redis, which is restored after a loss. While it is down every call rejects at once instead of
 * waiting for its own timeout; a new connection is tried every 250 ms.
 */
export class Connection implements Shard {
  readonly #options: ConnectionOptions
  #dialer: Dialer
  #link: Link | undefined
  /** A connection whose server is being checked. */
  #trying: Link | undefined
  #watch: NodeJS.Timeout | undefined
  /** How many calls were answered so far. */
  #answers = 0
  #downSince: number | undefined
  #cause = 'not connected yet'
  #isNew = false
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#dialer = this.#dialerFor(options.server)
  }

  get slots(): ReadonlySet<number> {
    return this.#options.slots
  }

  get up(): boolean {
    return this.#link !== undefined && this.#downSince === undefined
  }

  /** Connects for the first time. Rejects with StoreUnavailable, or as `admit` refuses the server. */
  async open(): Promise<void> {
    this.#link = await this.#connect().catch(unusable)
    this.#watchSoon()
  }

  /** Connects in the background, as after a loss, without an alarm. */
  openSoon(): void {
    this.#downSince = performance.now()
    this.#isNew = true
    void this.#try()
  }

  /**
   * Runs commands on the connection. Rejects with StoreUnavailable when the answer does not come in time; `late` gets an
   * answer that arrives after that, because Redis executed the commands. A script that fails is no outage: it rejects with
   * what Redis says of it.
   */
  async run<T>(commands: (link: Link) => Promise<T>, late: (answer: T) => void = () => {}): Promise<T> {
    const link = this.#link
    if (!link || this.#downSince !== undefined) throw new StoreUnavailable(`Redis cannot be used: ${this.#cause}`)
    try {
      return await this.#answered(commands(link), this.#options.answerMs, late)
    } catch (error) {
      if (error instanceof StoreUnavailable || isScriptError(error) || redirectOf(error)) throw error
      if (link !== this.#link) throw new StoreUnavailable(`Redis cannot be used: ${reasonOf(error)}`, { cause: error })
      if (!link.client.isReady) this.suspect(reasonOf(error))
      else if (error instanceof Mute) this.suspect('it does not answer')
      // Another server took its place, perhaps under its name.
      else if (isDemoted(error)) this.suspect('it became a replica')
      throw new StoreUnavailable(`Redis cannot be used: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** Rejects all calls until `admit` accepts the server. */
  suspect(cause: string): void {
    if (this.#closed || this.#downSince !== undefined) return
    this.#downSince = performance.now()
    this.#cause = cause
    this.#alarm('is down', { cause })
    this.#tryLater()
  }

  /**
   * Proves another user, password or certificate on a connection of its own. Rejects where the server does not accept
   * them; else resolves to what makes them those of this connection.
   */
  async prove(server: Server): Promise<Proven> {
    const dialer = this.#dialerFor(server)
    try {
      const link = await this.#dial(dialer, () => {}).catch(unusable)
      link.close()
    } catch (error) {
      dialer.close()
      throw error
    }
    const drop = () => {
      if (this.#dialer !== dialer) dialer.close()
    }
    return { put: () => this.#dialBy(dialer), drop }
  }

  /** Takes another user, password or certificate that other servers of the store accept, without a proof here. */
  take(server: Server): void {
    this.#dialBy(this.#dialerFor(server))
  }

  #dialerFor(server: Server): Dialer {
    return new Dialer(server, this.#options.owners, this.#options.place)
  }

  #dialBy(dialer: Dialer): void {
    this.#dialer.close()
    this.#dialer = dialer
    if (this.#link) dialer.signIn(this.#link)
  }

  async aside<T>(commands: (client: Link['client']) => Promise<T>): Promise<T> {
    const link = await this.dialAside()
    try {
      return await commands(link.client)
    } finally {
      link.close()
    }
  }

  dialAside(): Promise<Link> {
    return this.#dialer.dial(() => {})
  }

  close(): void {
    this.#closed = true
    this.#cause = 'closed'
    clearTimeout(this.#retry)
    clearTimeout(this.#watch)
    this.#dialer.close()
    this.#trying?.close()
    this.#drop()
  }

  #connect(): Promise<Link> {
    return this.#dial(this.#dialer, (link, error) => {
      if (this.#link === link) this.#link = undefined
      this.suspect(reasonOf(error))
    })
  }

  async #dial(dialer: Dialer, lost: (link: Link, error: Error) => void): Promise<Link> {
    let ended: Error | undefined
    const link = await dialer.dial(error => {
      ended = error
      lost(link, error)
    })
    this.#trying = link
    try {
      await this.#answered(this.#options.admit(link, this), LOOK_MS)
      return link
    } catch (error) {
      link.close()
      // Its end is why no check could be made.
      throw ended ?? error
    } finally {
      if (this.#trying === link) this.#trying = undefined
    }
  }

  #watchSoon(): void {
    if (this.#closed || !this.#dialer.isMoving) return
    this.#watch = setTimeout(async () => {
      await this.#look()
      this.#watchSoon()
    }, WATCH_MS)
  }

  /** Leaves a primary that is none any more: one that was cut off from the others would take writes that are then lost. */
  async #look(): Promise<void> {
    const place = await this.#dialer.findPrimary().catch(() => undefined)
    const isElsewhere = (link: Link | undefined) =>
      place && link && (link.place.host !== place.host || link.place.port !== place.port)
    if (isElsewhere(this.#trying)) this.#trying?.close()
    if (!isElsewhere(this.#link)) return
    this.#drop()
    this.suspect('the sentinels name another primary')
  }

  /** The result of a promise. Rejects with Mute once no call at all was answered for that time, or this one not for twice the time. */
  #answered<T>(promise: Promise<T>, time: Millis, late?: (answer: T) => void): Promise<T> {
    const heard = () => void this.#answers++
    promise.then(heard, heard)
    return answered(promise, { time, heard: () => this.#answers, after: this.#options.after }, late)
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => void this.#try(), RETRY_MS)
  }

  async #try(): Promise<void> {
    const since = this.#downSince ?? performance.now()
    try {
      const link = this.#link ?? (await this.#connect())
      if (link === this.#link) await this.#answered(this.#options.admit(link, this), LINGER_MS)
      if (this.#closed) return link.close()
      if (!link.client.isReady) throw new Error('the connection ended')
      this.#link = link
    } catch (error) {
      // Its name may lead to another server by now.
      this.#drop()
      this.#cause = reasonOf(error)
      this.#tryLater()
      return
    }
    this.#downSince = undefined
    if (!this.#isNew) this.#alarm('is back', { ms: Math.round(performance.now() - since) })
    this.#isNew = false
    this.#options.back()
  }

  #alarm(what: 'is down' | 'is back', details: Readonly<Record<string, unknown>>): void {
    const { alarm, place } = this.#options
    if (place) alarm(`a part of the store ${what}`, { ...details, server: `${place.host}:${place.port}` })
    else alarm(`the store ${what}`, details)
  }

  #drop(): void {
    this.#link?.close()
    this.#link = undefined
  }
}

function unusable(error: unknown): never {
  if (error instanceof Error && error.name === 'StoreRefused') throw error
  throw new StoreUnavailable(reasonOf(error), { cause: error })
}

const isDemoted = (error: unknown): boolean => error instanceof Error && error.message.startsWith('READONLY')

/** The longest check of a server that was just reached; no request waits for it. */
const LOOK_MS: Millis = 5000
const RETRY_MS: Millis = 250
/** How often sentinels are asked who the primary is. */
const WATCH_MS: Millis = 1000
/**
 * How long a connection that went silent is kept: a late answer to an admission frees what that holds at once. Then another
 * connection is tried, because the server may be gone without having closed this one.
 */
const LINGER_MS: Millis = 1000

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A failed connection to several addresses has one message for each.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error.message
}
