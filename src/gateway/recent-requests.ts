import { copiedText } from '../kit/copied-text.ts'
import type { EpochMs } from '../policy/config.ts'
import type { Labels } from '../policy/label-values.ts'
import { nanoUsd } from '../policy/nano-usd.ts'
import type { RequestEnd } from '../wire/admin/event.ts'
import { lengthened } from './growing-numbers.ts'

/** The remembered requests of one account. */
export interface RecentOf {
  /** Newest first. */
  readonly requests: readonly RequestEnd[]
  /** None of its requests that ended since then is missing. */
  readonly since: EpochMs
}

/** The remembered requests. A gateway of several processes asks each of them. */
export interface Remembered {
  newest(): RecentOf | Promise<RecentOf>
  newestOf(account: string): RecentOf | Promise<RecentOf>
  find(requestId: string): RequestEnd | undefined | Promise<RequestEnd | undefined>
}

/** Joins the requests that several processes remember. */
export function joined(parts: readonly RecentOf[], most: number): RecentOf {
  const requests = parts.flatMap(part => part.requests).sort((a, b) => endOf(b) - endOf(a))
  return { requests: requests.slice(0, most), since: Math.max(...parts.map(({ since }) => since)) }
}

export interface RecentSizes {
  /** Requests of all accounts. */
  readonly all: number
  /** Accounts of which the newest requests are remembered beside those: the ones at work last, or nearly so. */
  readonly accounts: number
  readonly each: number
}

/**
 * The newest requests of this process, served or not, so that refusals can be explained: those of all, and those of each
 * account, which a busier one cannot push out. Their numbers lie in arrays, because objects that live on for some seconds cost
 * the garbage collector more than all else of a request.
 */
export class RecentRequests implements Remembered {
  readonly #since: EpochMs
  readonly #sizes: RecentSizes
  readonly #slots: Slots
  readonly #accounts = new Map<string, Place>()
  readonly #places: Place[] = []
  /** Where to look for an account that makes room. */
  #hand = 0
  #count = 0
  #evictedAt: EpochMs

  /** `since` is the start of the process. */
  constructor(since: EpochMs, sizes: RecentSizes = USUAL_SIZES) {
    this.#since = since
    this.#evictedAt = since
    this.#sizes = sizes
    this.#slots = new Slots(sizes.all + sizes.accounts * sizes.each)
  }

  /** A request is over. An answered read without a credential is not kept: probes of balancers would push out what operators look for. */
  add(request: RequestEnd): void {
    if (isRead(request)) return
    const { all, each } = this.#sizes
    const first = this.#count++ % all
    this.#slots.put(first, request)
    if (request.account === undefined) return
    const place = this.#placeOf(request.account, request)
    place.at = this.#count
    this.#slots.copy(first, place.first + (place.count++ % each))
  }

  /** All of them, newest first, and since when none is missing. */
  newest(): RecentOf {
    const { all } = this.#sizes
    const requests = this.#slots.newest(0, this.#count, all)
    return { requests, since: sinceOf(requests, this.#count > all, this.#since) }
  }

  newestOf(account: string): RecentOf {
    const place = this.#accounts.get(account)
    if (!place) return { requests: [], since: this.#evictedAt }
    const { each } = this.#sizes
    const requests = this.#slots.newest(place.first, place.count, each)
    return { requests, since: sinceOf(requests, place.count > each, place.since) }
  }

  find(requestId: string): RequestEnd | undefined {
    return this.#slots.find(requestId)
  }

  #placeOf(account: string, request: RequestEnd): Place {
    const known = this.#accounts.get(account)
    if (known) return known
    const place = this.#free(request)
    place.account = account
    place.since = this.#evictedAt
    this.#accounts.set(account, place)
    return place
  }

  /** Where the requests of one more account go: in the place of one that was at work long ago, where there is none left. */
  #free(request: RequestEnd): Place {
    const { all, accounts, each } = this.#sizes
    const { length } = this.#places
    if (length < accounts) {
      const place = { account: '', first: all + length * each, since: 0, count: 0, at: 0 }
      this.#places.push(place)
      return place
    }
    const evicted = this.#longestIdle()
    this.#accounts.delete(evicted.account)
    this.#evictedAt = endOf(request)
    evicted.count = 0
    return evicted
  }

  /** The longest idle of a few, which are others each time: keeping all in order would cost each request more than all else here. */
  #longestIdle(): Place {
    let found: Place | undefined
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const place = this.#places[this.#hand]
      if (place && (!found || place.at < found.at)) found = place
      this.#hand = (this.#hand + 1) % this.#places.length
    }
    if (!found) throw new Error('no account is remembered')
    return found
  }
}

export const USUAL_SIZES: RecentSizes = { all: 5000, accounts: 2000, each: 50 }

/** Such as `/readyz` and `/v1/models`. */
const isRead = ({ account, method, status }: RequestEnd): boolean =>
  account === undefined && status < 400 && (method === 'GET' || method === 'HEAD')

const endOf = ({ at, ms }: RequestEnd): EpochMs => at + ms

function sinceOf(requests: readonly RequestEnd[], isFull: boolean, otherwise: EpochMs): EpochMs {
  const oldest = requests.at(-1)
  return isFull && oldest ? endOf(oldest) : otherwise
}

/** Where the requests of an account lie, of which there were `count`, and when the last one came: after so many of all. */
interface Place {
  readonly first: number
  account: string
  since: EpochMs
  count: number
  at: number
}

const LOOKED_AT = 16

/** Requests in places that are written again and again. */
class Slots {
  readonly #size: number
  #numbers = new Float64Array()
  #names = new Uint16Array()
  readonly #known = new Names()
  readonly #ids: (string | undefined)[] = []
  readonly #accounts: (string | undefined)[] = []
  readonly #keys: (string | undefined)[] = []
  readonly #sessions: (string | undefined)[] = []
  readonly #labels: (Labels | undefined)[] = []
  /** Members that few requests have. */
  readonly #others: (Others | undefined)[] = []

  constructor(size: number) {
    this.#size = size
  }

  put(slot: number, request: RequestEnd): void {
    this.#reach(slot)
    const numbers = this.#numbers
    let at = slot * NUMBERS
    numbers[at++] = request.at
    numbers[at++] = request.status
    numbers[at++] = request.ms
    numbers[at++] = request.inputTokens ?? NONE
    numbers[at++] = request.outputTokens ?? NONE
    numbers[at++] = request.cachedTokens ?? NONE
    numbers[at++] = request.cacheWriteTokens ?? NONE
    numbers[at++] = request.cost ?? NONE
    numbers[at] = request.estimated === undefined ? NONE : Number(request.estimated)
    const names = this.#names
    const known = this.#known
    at = slot * NAMES
    names[at++] = known.numberOf(request.method)
    names[at++] = known.numberOfMadeUp(request.path)
    names[at++] = known.numberOf(request.plan)
    // A name that led to a model is one of the files.
    names[at++] = request.model === undefined ? known.numberOfMadeUp(request.asked) : known.numberOf(request.asked)
    names[at++] = known.numberOf(request.model)
    names[at++] = known.numberOf(request.rule)
    names[at++] = known.numberOf(request.pool)
    names[at++] = known.numberOf(request.code)
    names[at] = known.numberOf(request.type)
    this.#ids[slot] = request.requestId
    this.#accounts[slot] = request.account
    this.#keys[slot] = request.key
    this.#sessions[slot] = request.session
    this.#labels[slot] = request.labels
    this.#others[slot] = othersOf(request)
  }

  copy(from: number, to: number): void {
    this.#reach(to)
    const numbers = this.#numbers
    for (let at = 0; at < NUMBERS; at++) numbers[to * NUMBERS + at] = numbers[from * NUMBERS + at] ?? NONE
    const names = this.#names
    for (let at = 0; at < NAMES; at++) names[to * NAMES + at] = names[from * NAMES + at] ?? 0
    this.#ids[to] = this.#ids[from]
    this.#accounts[to] = this.#accounts[from]
    this.#keys[to] = this.#keys[from]
    this.#sessions[to] = this.#sessions[from]
    this.#labels[to] = this.#labels[from]
    this.#others[to] = this.#others[from]
  }

  /** Numbers and names of a full set take 9 MB, and labels and sessions as much again; a gateway with few accounts needs little of it. */
  #reach(slot: number): void {
    const [length, most] = [slot + 1, this.#size]
    this.#numbers = lengthened(Float64Array, this.#numbers, { length: length * NUMBERS, most: most * NUMBERS })
    this.#names = lengthened(Uint16Array, this.#names, { length: length * NAMES, most: most * NAMES })
  }

  /** The requests still there of `count` that were put from `first` on into a ring of `size`, newest first. */
  newest(first: number, count: number, size: number): RequestEnd[] {
    const found = Math.min(count, size)
    return Array.from({ length: found }, (_, index) => this.#read(first + ((count - 1 - index) % size)))
  }

  find(requestId: string): RequestEnd | undefined {
    const slot = this.#ids.indexOf(requestId)
    return slot === -1 ? undefined : this.#read(slot)
  }

  #read(slot: number): RequestEnd {
    const number = (place: number) => this.#numbers[slot * NUMBERS + place] ?? NONE
    const some = (place: number) => (number(place) === NONE ? undefined : number(place))
    const name = (place: number) => this.#known.nameOf(this.#names[slot * NAMES + place] ?? 0)
    const cost = some(7)
    const estimated = some(8)
    return {
      requestId: this.#ids[slot] ?? '',
      at: number(0),
      status: number(1),
      ms: number(2),
      inputTokens: some(3),
      outputTokens: some(4),
      cachedTokens: some(5),
      cacheWriteTokens: some(6),
      cost: cost === undefined ? undefined : nanoUsd(cost),
      estimated: estimated === undefined ? undefined : estimated === 1,
      method: name(0) ?? '',
      path: name(1) ?? '',
      plan: name(2),
      asked: name(3),
      model: name(4),
      rule: name(5),
      pool: name(6),
      code: name(7),
      type: name(8),
      account: this.#accounts[slot],
      key: this.#keys[slot],
      session: this.#sessions[slot],
      labels: this.#labels[slot],
      ...this.#others[slot],
    }
  }
}

const NUMBERS = 9
const NAMES = 9
/** For a number that there is none of; all others are 0 or more. */
const NONE = -1

type Others = Pick<RequestEnd, 'tools' | 'failures' | 'interrupted' | 'skippedEvents' | 'message' | 'limit'>

function othersOf(entry: RequestEnd): Others | undefined {
  const { tools, failures, interrupted, skippedEvents, message, limit } = entry
  const isPlain = interrupted === undefined && skippedEvents === undefined && message === undefined
  if (!tools && !failures && isPlain && !limit) return undefined
  return { tools, failures, interrupted, skippedEvents, limit, message: message && copiedText(message) }
}

/**
 * Names as small numbers. Most are of the files, or ours; there is room for those, however many clients make up: what they
 * may take is a part of it.
 */
class Names {
  readonly #numbers = new Map<string, number>()
  readonly #names: (string | undefined)[] = [undefined, '…']
  #madeUp = 0

  numberOf(name: string | undefined): number {
    if (name === undefined) return 0
    const short = shortened(name)
    return this.#numbers.get(short) ?? (this.#names.length < MOST_NAMES ? this.#add(short) : MANY)
  }

  /** The number of a name that a client may have made up. */
  numberOfMadeUp(name: string | undefined): number {
    if (name === undefined) return 0
    const short = shortened(name)
    const known = this.#numbers.get(short)
    if (known !== undefined) return known
    if (this.#madeUp >= MOST_MADE_UP) return MANY
    this.#madeUp++
    return this.#add(short)
  }

  #add(name: string): number {
    const kept = copiedText(name)
    this.#numbers.set(kept, this.#names.length)
    return this.#names.push(kept) - 1
  }

  nameOf(number: number): string | undefined {
    return this.#names[number]
  }
}

/** Stands for names when there were too many. */
const MANY = 1
const MOST_MADE_UP = 10_000
const MOST_NAMES = 60_000
const MOST_CHARACTERS = 256

const shortened = (name: string): string => (name.length > MOST_CHARACTERS ? name.slice(0, MOST_CHARACTERS) : name)
