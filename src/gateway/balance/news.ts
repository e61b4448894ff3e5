/** Requests under way at a replica, and the tokens of their prompts. */
export interface Load {
  /** Requests that run or wait there. */
  readonly inFlight: number
  /** Prompt tokens of those requests. */
  readonly heldTokens: number
  /** Prompt tokens of them that the replica still has to compute. */
  readonly owedTokens: number
}

/** One replica, as processes name it to each other. */
export interface CachePlace {
  readonly pool: string
  readonly replica: string
  /** A digest of what a cached prompt depends on besides its text: the model, and who shares the cache. */
  readonly caches: number
}

/** Marks of prompts of one domain, two halves each, as a table keeps them: keyed, so that they say nothing without the key. */
export interface DomainMarks {
  readonly domain: number
  readonly halves: readonly number[]
}

/**
 * The work that a process did at one replica in the last moment. Lost news costs hits; a false one sends requests to the wrong
 * replica of the same pool, and does nothing else.
 */
export interface BalanceNews extends CachePlace {
  /** The replica lost its cache; the marks of this news were computed after that. */
  readonly isEmptied?: true
  readonly marks?: readonly DomainMarks[]
  /** All that the sender has under way there now. Absent where that has not changed. */
  readonly load?: Load
  /** Conversations that stay at the pool from now on, or no longer do. */
  readonly stays?: readonly StayNews[]
}

/** A conversation by its key, and for how many milliseconds from now on it stays. */
export interface StayNews {
  readonly key: number
  readonly time: number
}

interface Gathered {
  readonly place: CachePlace
  isEmptied: boolean
  readonly marks: Map<number, number[]>
  /** News waiting to be sent, by key: the last one counts. */
  readonly stays: Map<number, StayNews>
  load: (() => Load) | undefined
}

/** The maximum of a pool's conversations in one message. */
const MOST_STAYS = 512

/** Gathers news until it is passed on. Marks beyond a bound are dropped: others learn them when they are used again. */
export class NewsOutbox {
  readonly #mostHalves: number
  readonly #gathered = new Map<unknown, Gathered>()
  #halves = 0

  constructor(mostMarks: number) {
    this.#mostHalves = mostMarks * 2
  }

  get isEmpty(): boolean {
    return this.#gathered.size === 0
  }

  /** Prompts with these marks were sent to a replica; `key` stands for it here. */
  marked(key: unknown, place: () => CachePlace, { domain, halves }: DomainMarks): void {
    if (this.#halves + halves.length > this.#mostHalves) return
    this.#halves += halves.length
    const { marks } = this.#at(key, place)
    const known = marks.get(domain)
    if (known) known.push(...halves)
    else marks.set(domain, [...halves])
  }

  /** A replica lost its cache. */
  emptied(key: unknown, place: () => CachePlace): void {
    const gathered = this.#at(key, place)
    gathered.isEmptied = true
    for (const halves of gathered.marks.values()) this.#halves -= halves.length
    gathered.marks.clear()
  }

  /** The load at a replica changed; it is read when the news is taken. */
  loaded(key: unknown, place: () => CachePlace, load: () => Load): void {
    this.#at(key, place).load = load
  }

  /** A conversation stays at a pool, or no longer does. */
  stayed(key: unknown, place: () => CachePlace, stay: StayNews): void {
    const { stays } = this.#at(key, place)
    if (stays.size < MOST_STAYS) stays.set(stay.key, stay)
  }

  /** Takes the news of so many replicas at most; the others stay. */
  take(most = Number.POSITIVE_INFINITY): readonly BalanceNews[] {
    const taken: BalanceNews[] = []
    for (const [key, { place, isEmptied, marks, load, stays }] of this.#gathered) {
      if (taken.length >= most) break
      this.#gathered.delete(key)
      for (const halves of marks.values()) this.#halves -= halves.length
      taken.push({
        ...place,
        ...(isEmptied && { isEmptied }),
        ...(marks.size > 0 && { marks: Array.from(marks, ([domain, halves]) => ({ domain, halves })) }),
        ...(load && { load: load() }),
        ...(stays.size > 0 && { stays: [...stays.values()] }),
      })
    }
    return taken
  }

  #at(key: unknown, place: () => CachePlace): Gathered {
    const known = this.#gathered.get(key)
    if (known) return known
    const gathered: Gathered = { place: place(), isEmptied: false, marks: new Map(), stays: new Map(), load: undefined }
    this.#gathered.set(key, gathered)
    return gathered
  }
}
