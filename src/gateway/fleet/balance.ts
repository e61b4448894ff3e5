import type { Millis } from '../../policy/config.ts'
import { LoadElsewhere } from '../balance/load-elsewhere.ts'
import { type BalanceNews, type CachePlace, NewsOutbox } from '../balance/news.ts'
import { readNews, writeNews } from '../balance/news-text.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { FleetState, FleetStore } from '../store/fleet-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'

export interface FleetBalanceEvents {
  /** Another gateway, by its id, sent this to replicas. */
  readonly heard: (source: string, news: readonly BalanceNews[]) => void
  /** Another gateway began, which does not know what is cached. */
  readonly arrived: () => void
}

export interface FleetBalancePorts extends FleetBalanceEvents {
  readonly store: Pick<FleetStore, 'passNews'>
  readonly clock: Clock
  readonly alarm: Alarm
  /** The id of this gateway. */
  readonly self: () => string
}

interface PlaceLoad {
  readonly place: CachePlace
  /** The load of each process of this gateway. */
  readonly load: LoadElsewhere
}

/**
 * Shares with the other gateways on the store which prompts were sent to which replica, and what is under way there: some 30
 * times a second while there is something to say, in one round trip. A store that is away loses news, which costs hits.
 */
export class FleetBalance {
  readonly #ports: FleetBalancePorts
  readonly #outbox = new NewsOutbox(MOST_MARKS)
  readonly #loads = new Map<string, PlaceLoad>()
  readonly #known = new Set<string>()
  #stop: Cancel | undefined
  #after = ''
  #rounds = 0
  #activeAt: Millis = 0
  #isAlarmed = false
  #isClosed = false

  constructor(ports: FleetBalancePorts) {
    this.#ports = ports
  }

  /** Whether there are other gateways. */
  get isTogether(): boolean {
    return this.#stop !== undefined
  }

  /** The store tells which gateways there are. */
  follow({ members }: Pick<FleetState, 'members'>): void {
    if (this.#isClosed) return
    if (members.length < 2) this.#halt()
    else this.#stop ??= every(this.#ports.clock, PERIOD, () => this.#round())
  }

  /** A process of this gateway sent this to replicas. */
  add(source: string, news: readonly BalanceNews[]): void {
    for (const { isEmptied, marks = [], load, stays = [], ...place } of news) {
      const key = `${place.pool} ${place.replica}`
      if (load) this.#load(key, place).load.set(source, load)
      if (!this.isTogether) continue
      if (load) this.#tellLoad(key)
      if (isEmptied) this.#outbox.emptied(key, () => place)
      for (const stay of stays) this.#outbox.stayed(key, () => place, stay)
      for (const each of marks) this.#outbox.marked(key, () => place, each)
    }
  }

  /** A process of this gateway ended, and with it what it had under way. */
  gone(source: string): void {
    for (const [key, { load }] of this.#loads) {
      if (!load.delete(source) || !this.isTogether) continue
      this.#tellLoad(key)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#halt()
  }

  #halt(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  #load(key: string, place: CachePlace): PlaceLoad {
    const known = this.#loads.get(key)
    if (known) return known
    const [oldest] = this.#loads.keys()
    if (oldest !== undefined && this.#loads.size >= MOST_PLACES) this.#loads.delete(oldest)
    const begun = { place, load: new LoadElsewhere() }
    this.#loads.set(key, begun)
    return begun
  }

  #tellLoad(key: string): void {
    const known = this.#loads.get(key)
    if (!known) return
    const { place, load } = known
    this.#outbox.loaded(
      key,
      () => place,
      () => ({ inFlight: load.inFlight, heldTokens: load.heldTokens, owedTokens: load.owedTokens }),
    )
  }

  async #round(): Promise<void> {
    const { store, clock, self, alarm } = this.#ports
    const news = this.#outbox.take(MOST_AT_ONCE)
    const isIdle = news.length === 0 && clock.elapsed() - this.#activeAt > IDLE
    if (isIdle && this.#rounds++ % IDLE_ROUNDS > 0) return
    try {
      const passed = { from: self(), after: this.#after, ...(news.length > 0 && { text: writeNews(news) }) }
      const { texts, last } = await store.passNews(passed)
      this.#after = last
      if (news.length > 0 || texts.length > 0) this.#activeAt = clock.elapsed()
      for (const { from, text } of texts) this.#hear(from, text)
    } catch (error) {
      if (error instanceof StoreUnavailable || this.#isAlarmed) return
      this.#isAlarmed = true
      alarm('the fleet cannot be read', { error: String(error) })
    }
  }

  #hear(from: string, text: string): void {
    const news = readNews(text)
    if (!news) return
    const { heard, arrived } = this.#ports
    if (!this.#known.has(from)) {
      if (this.#known.size >= MOST_GATEWAYS) this.#known.clear()
      this.#known.add(from)
      arrived()
    }
    heard(`gateway ${from}`, news)
  }
}

const PERIOD: Millis = 30
/** Without news for so long, the store is asked only now and then. */
const IDLE: Millis = 2000
const IDLE_ROUNDS = 16
/** Marks and replicas of one text. */
const MOST_MARKS = 2048
const MOST_AT_ONCE = 96
/** Replicas whose load is known, and gateways that were heard of. */
const MOST_PLACES = 4096
const MOST_GATEWAYS = 256
