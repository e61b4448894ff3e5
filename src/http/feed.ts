import { withoutKeys } from '../gateway/accounts/keys.ts'
import { type LimitStores, readLimits } from '../gateway/accounts/limit-uses.ts'
import type { Cancel, Clock } from '../gateway/ports.ts'
import type { RecentAlarm } from '../gateway/recent-alarms.ts'
import type { AccountStore } from '../gateway/store/account-store.ts'
import type { Config, Millis } from '../policy/config.ts'
import {
  type ShownDropped,
  type ShownFollowed,
  type ShownStanding,
  shownRequest,
  shownStanding,
} from '../wire/admin/event.ts'
import type { ShownPool } from '../wire/admin/pool.ts'
import type { ShownRevisionLine } from '../wire/admin/revision.ts'
import type { FEED_KINDS } from '../wire/admin-api/requests.ts'
import type { LogEntry } from './log-entry.ts'
import { Ticker } from './ticker.ts'

export interface FeedPorts {
  readonly store: LimitStores & { readonly accounts: Pick<AccountStore, 'readUsage'> }
  readonly clock: Clock
  /** The configuration that serves now. */
  readonly config: () => Config
  /** There are readers, or none any more. */
  readonly followed?: (isFollowed: boolean) => void
}

interface EndedRequest {
  readonly entry: LogEntry
  readonly config: Config
}

/** The feed that operators follow: the requests of this gateway as they end, and their accounts' usage. Without followers nothing is kept or read. */
export class Feed {
  readonly #ports: FeedPorts
  readonly #readers = new Map<FeedReader, () => void>()
  /** When accounts were last at work, the longest ago first. */
  readonly #atWork = new Map<string, Millis>()
  readonly #ticker: Ticker
  readonly #refreshes: Ticker
  #waiting: EndedRequest[] = []
  #missed = 0

  constructor(ports: FeedPorts) {
    this.#ports = ports
    this.#ticker = new Ticker(
      ports.clock,
      TICK_MS,
      () => this.#tick(),
      () => this.#waiting.length > 0,
    )
    this.#refreshes = new Ticker(
      ports.clock,
      REFRESH,
      () => this.#refresh(),
      () => this.#readers.size > 0,
    )
  }

  /** How many follow. */
  get readers(): number {
    return this.#readers.size
  }

  /** From now on the reader gets every event, until this is called off or `ended` runs. */
  follow(reader: FeedReader, ended: () => void): Cancel {
    this.#readers.set(reader, ended)
    if (this.#readers.size === 1) this.#ports.followed?.(true)
    this.#refreshes.start()
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) this.#rest()
    }
  }

  /** The gateway leaves: all readers get what waits for them, then end. */
  async end(): Promise<void> {
    await this.#tick()
    const readers = [...this.#readers.values()]
    this.#readers.clear()
    this.#rest()
    for (const ended of readers) ended()
  }

  /** A request of this account holds something from now on. */
  began(account: string): void {
    if (this.#readers.size > 0) this.#works(account)
  }

  /** A request is over; `config` is the one it began with. */
  tell(entry: LogEntry, config: Config): void {
    if (this.#readers.size === 0) return
    if (this.#waiting.length >= TICK_MAX) {
      this.#missed++
      return
    }
    this.#waiting.push({ entry, config })
    this.#ticker.start()
  }

  /** Requests ended in another process, and there were too many to pass them on. */
  missed(count: number): void {
    if (this.#readers.size === 0) return
    this.#missed += count
    this.#ticker.start()
  }

  #rest(): void {
    this.#ports.followed?.(false)
    this.#ticker.stop()
    this.#refreshes.stop()
    this.#waiting = []
    this.#missed = 0
    this.#atWork.clear()
  }

  #works(account: string): void {
    this.#atWork.delete(account)
    this.#atWork.set(account, this.#ports.clock.elapsed())
  }

  /** Sends what has waited. While the store takes its time, more events may gather. */
  async #tick(): Promise<void> {
    const told = this.#waiting
    this.#waiting = []
    for (const { entry } of told) if (entry.account !== undefined) this.#works(entry.account)
    const standings = await this.#standingsOf(told.flatMap(({ entry }) => entry.account ?? []))
    for (const { entry, config } of told) {
      const standing = standings.get(entry.account ?? '') ?? null
      this.#send(shownRequest(entry, config, standing), entry.account)
    }
    if (this.#missed > 0) for (const reader of this.#readers.keys()) reader.missed(this.#missed)
    this.#missed = 0
  }

  /** Looks at some of the accounts that were at work, in turn, until their minute is over. */
  async #refresh(): Promise<void> {
    const now = this.#ports.clock.elapsed()
    const due = [...this.#atWork].slice(0, REFRESH_MAX)
    const standings = await this.#standingsOf(due.map(([account]) => account))
    for (const [account, at] of due) {
      const standing = standings.get(account)
      if (standing) this.#send(standing, account)
      // Moves the account to the end of the queue, unless it has worked since or has finished.
      if (this.#atWork.get(account) !== at) continue
      this.#atWork.delete(account)
      if (now - at < MINUTE_OVER || (standing?.under_way ?? 0) > 0) this.#atWork.set(account, at)
    }
  }

  async #standingsOf(looked: readonly string[]): Promise<ReadonlyMap<string, ShownStanding>> {
    const { store, config } = this.#ports
    const names = [...new Set(looked)]
    // Where the store does not answer, every request says so, and followers see the requests.
    const read = (account: string) => standingOf(store, config, account).catch(() => undefined)
    const standings = await Promise.all(names.map(read))
    return new Map(standings.flatMap(each => (each ? [[each.account, each]] : [])))
  }

  /** The newest alarm, which is of no account. */
  alarmed({ at, message, fields }: RecentAlarm): void {
    if (this.#readers.size === 0) return
    const event = { event: 'alarm', at: new Date(at).toISOString(), message, fields } as const
    this.#send(event, undefined)
  }

  /** A pool, as it stands after a change. */
  pooled(pool: ShownPool): void {
    this.#send({ event: 'pool', ...pool }, undefined)
  }

  /** Tells followers of the revision that serves from now on. */
  serves(revision: ShownRevisionLine): void {
    this.#send({ event: 'revision', ...revision }, undefined)
  }

  #send(event: { readonly event: FeedKind }, account: string | undefined): void {
    const text = withoutKeys(feedEvent(event))
    for (const reader of this.#readers.keys()) {
      const isOfAccount = reader.account === undefined || reader.account === account
      if (isOfAccount && reader.kinds.has(event.event)) reader.send(text)
    }
  }
}

/** Keys are not looked up for it: the limits of keys are those of `GET /admin/accounts` alone. */
async function standingOf(
  store: FeedPorts['store'],
  config: () => Config,
  account: string,
): Promise<ShownStanding | undefined> {
  const files = config()
  const usage = await store.accounts.readUsage(account, files.calendar)
  if (!usage) return undefined
  return shownStanding(files, usage, await readLimits(files, store, { ...usage.record, keys: [] }, usage))
}

/** Requests that end within this go out together, so that an account is looked up once for all of them. */
const TICK_MS: Millis = 100
/** The most requests that are sent in one tick. */
const TICK_MAX = 1000
/** How often accounts are looked at whose minute goes on after their last request. */
const REFRESH: Millis = 1000
/** How many are sent at a time. */
const REFRESH_MAX = 100
/** After this nothing of a request counts in the minute any more. */
const MINUTE_OVER: Millis = 62_000

/** The most characters that wait for a reader who is slower than the gateway; further events are left out. */
const ROOM = 1_048_576

/** Passes on text. False when no more should come before `onDrain` has run. */
export type Write = (text: string, onDrain: () => void) => boolean

/** Kinds of events; the usual ones are those that every follower knows. */
export type FeedKind = (typeof FEED_KINDS)[number]
const USUAL_KINDS: readonly FeedKind[] = ['request', 'standing']

/** A follower of the feed, at its own pace: what waits for it is bounded, and it learns how many events it missed. */
export class FeedReader {
  /** Only requests of this account. */
  readonly account: string | undefined
  readonly kinds: ReadonlySet<FeedKind>
  readonly #write: Write
  readonly #gateway: string | undefined
  #waiting: string[] = []
  #size = 0
  #dropped = 0
  #blocked = false

  /** `gateway` is the name of this one, for a reader who follows several: each event says where it comes from. */
  constructor(write: Write, account?: string, kinds: readonly FeedKind[] = USUAL_KINDS, gateway?: string) {
    this.kinds = new Set(kinds)
    this.#write = write
    this.account = account
    this.#gateway = gateway
  }

  /** Events as they go over the wire: each of them is passed on whole, or left out. */
  send(event: string): void {
    this.#take(this.#gateway === undefined ? event : eventOf(this.#gateway, event.slice(DATA.length)))
  }

  /** An event of another gateway, as JSON. */
  sendOf(gateway: string, json: string): void {
    this.#take(eventOf(gateway, `${json}\n\n`))
  }

  /** The events of another gateway are missing from here on, or come again. */
  sendFollowed(gateway: string, problem?: string): void {
    const event: ShownFollowed = {
      event: 'gateway',
      gateway,
      followed: problem === undefined,
      ...(problem && { problem }),
    }
    this.#take(feedEvent(event))
  }

  #take(event: string): void {
    if (!this.#blocked) this.#pass(event)
    else if (this.#dropped > 0 || this.#size + event.length > ROOM) this.#dropped++
    else {
      this.#waiting.push(event)
      this.#size += event.length
    }
  }

  /** Events were left out before they came here. */
  missed(count: number): void {
    this.#dropped += count
    if (!this.#blocked) this.#drained()
  }

  #pass(text: string): void {
    this.#blocked = !this.#write(text, () => this.#drained())
  }

  #drained(): void {
    this.#blocked = false
    const waiting = this.#waiting.join('')
    const dropped = this.#dropped
    this.#waiting = []
    this.#size = 0
    this.#dropped = 0
    const told: ShownDropped = { event: 'dropped', count: dropped }
    const text = dropped > 0 ? `${waiting}${feedEvent(told)}` : waiting
    if (text !== '') this.#pass(text)
  }
}

/** JSON has no line ends of its own. */
const feedEvent = (event: object): string => `${DATA}${JSON.stringify(event)}\n\n`

const DATA = 'data: '

/** An event with the gateway that it comes from. It is not read for that: there may be thousands in a second. */
const eventOf = (gateway: string, json: string): string =>
  `${DATA}{"gateway":${JSON.stringify(gateway)},${json.slice(1)}`
