import type { MarkKey, PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import { weightOf } from '../../policy/balance/rendezvous.ts'
import { BITS_OF_WORD, MarkTable, type TableBudget } from './mark-table.ts'
import type { DomainMarks } from './news.ts'

/** The owner of cached prefixes: an account, an org, or the whole pool. */
export interface CacheDomain extends MarkKey {
  /** Set if it is the whole pool: there are no other domains to protect. */
  readonly isPool?: true
}

/** Domains are counted in this many cells by their key. Collisions make a count too high, never too low. */
const CELLS = 1024
/** The fraction of the young generation that one domain may fill is 1 / PART. */
const PART = 4
/** The maximum of domains with a table of their own. */
const MOST_OWN = 4

/**
 * The prompt prefixes that each replica has received, by domain. A domain that fills its part of the common table gets
 * a table of its own, so that no number of its prompts evicts another domain's marks.
 */
export class PoolMarks {
  readonly #budget: TableBudget
  #common: MarkTable
  /** Least recently used first. */
  readonly #own = new Map<number, MarkTable>()
  readonly #counts = new Uint16Array(CELLS)
  #generation = 0
  /** The bit of each replica, by its URL. */
  readonly #bits = new Map<string, number>()

  constructor(budget: TableBudget) {
    this.#budget = budget
    this.#common = new MarkTable(budget)
  }

  /** The bytes of the prompt that each of these replicas received before, from the same domain. */
  knownBytes(
    sketch: PromptSketch,
    domain: CacheDomain,
    replicas: readonly { readonly url: string }[],
  ): readonly number[] {
    const known: number[] = []
    for (let place = 0; place < replicas.length; place++) known.push(0)
    const own = this.#own.size === 0 ? undefined : this.#own.get(ownerOf(domain))
    for (let word = 0; word < this.#common.words; word++) {
      const bits: number[] = []
      for (const { url } of replicas) bits.push(this.#bitIn(url, word))
      this.#measure(sketch, domain, { own, word, bits, known })
    }
    return known
  }

  /**
   * Records that a replica receives a prompt, which its cache will then hold. Returns the marks that other processes
   * lack for this replica, or all of them with `tellsAll`; undefined if there are none.
   */
  remember(sketch: PromptSketch, domain: CacheDomain, url: string, tellsAll = false): DomainMarks | undefined {
    const { word, bit } = this.#placeOf(url)
    const owner = ownerOf(domain)
    const table = this.#tableFor(owner)
    const { low, high } = sketch
    let news: number[] | undefined
    let added = 0
    for (let at = 0; at < low.length; at++) {
      const lower = lowOf(low[at] ?? 0, domain)
      const upper = highOf(high[at] ?? 0, lower, domain)
      const how = table.add(lower, upper, word, bit)
      if (how === 'new') added++
      // A mark that became young again is shared again, so that it stays young everywhere.
      if (how === 'known' && !tellsAll) continue
      news ??= []
      news.push(lower, upper)
    }
    this.#count(owner, table, added)
    return news && { domain: owner, halves: news }
  }

  /** Records that another process sent a replica prompts with these marks. */
  adopt({ domain, halves }: DomainMarks, url: string): void {
    const { word, bit } = this.#placeOf(url)
    for (let from = 0; from < halves.length; from += ADOPTED_AT_ONCE) {
      const table = this.#tableFor(domain)
      let added = 0
      for (let at = from; at + 1 < Math.min(halves.length, from + ADOPTED_AT_ONCE); at += 2) {
        // A half of 0 would mean a free slot.
        if (table.add(halves[at] ?? 0, (halves[at + 1] ?? 0) | 1, word, bit) === 'new') added++
      }
      this.#count(domain, table, added)
    }
  }

  /** Forgets what a replica had cached. */
  forget(url: string): void {
    if (!this.#bits.has(url)) return
    const { word, bit } = this.#placeOf(url)
    for (const table of this.#tables) table.forget(word, bit)
  }

  /** Drops replicas that the pool no longer has. */
  keep(urls: readonly string[]): void {
    for (const url of this.#bits.keys()) {
      if (urls.includes(url)) continue
      this.forget(url)
      this.#bits.delete(url)
    }
  }

  /** Frees the memory. */
  close(): void {
    for (const table of this.#tables) table.close()
  }

  get #tables(): readonly MarkTable[] {
    return [this.#common, ...this.#own.values()]
  }

  #measure({ low, high, ends }: PromptSketch, domain: CacheDomain, { own, word, bits, known }: Measuring): void {
    let mask = 0
    for (const bit of bits) mask |= bit
    let end = 0
    for (let at = 0; at < low.length && mask !== 0; at++) {
      const lower = lowOf(low[at] ?? 0, domain)
      const upper = highOf(high[at] ?? 0, lower, domain)
      const there = this.#common.bits(lower, upper, word)
      const left = mask & (own ? there | own.bits(lower, upper, word) : there)
      if (left !== mask) reached(mask & ~left, end, bits, known)
      mask = left
      end = ends[at] ?? 0
    }
    reached(mask, end, bits, known)
  }

  #bitIn(url: string, word: number): number {
    const place = this.#bits.get(url)
    return place === undefined || Math.floor(place / BITS_OF_WORD) !== word ? 0 : 1 << (place % BITS_OF_WORD)
  }

  #placeOf(url: string): { readonly word: number; readonly bit: number } {
    let place = this.#bits.get(url)
    if (place === undefined) {
      const taken = new Set(this.#bits.values())
      for (place = 0; taken.has(place); ) place++
      this.#bits.set(url, place)
      if (place >= this.#common.words * BITS_OF_WORD) this.#widen()
    }
    return { word: Math.floor(place / BITS_OF_WORD), bit: 1 << (place % BITS_OF_WORD) }
  }

  /** There are more replicas than bits: starts over with more bits. */
  #widen(): void {
    const words = this.#common.words + 1
    this.close()
    this.#own.clear()
    this.#common = new MarkTable(this.#budget, words)
    this.#beginCounts()
  }

  #tableFor(owner: number): MarkTable {
    if (owner === OF_POOL) return this.#common
    const own = this.#own.get(owner)
    if (own) {
      this.#own.delete(owner)
      this.#own.set(owner, own)
      return own
    }
    if (this.#common.generation !== this.#generation) this.#beginCounts()
    const most = Math.floor(this.#common.most / PART)
    return (this.#counts[cellOf(owner)] ?? 0) < most ? this.#common : this.#begunFor(owner)
  }

  #begunFor(owner: number): MarkTable {
    const [oldest] = this.#own.keys()
    if (oldest !== undefined && this.#own.size >= MOST_OWN) {
      this.#own.get(oldest)?.close()
      this.#own.delete(oldest)
    }
    const table = new MarkTable(this.#budget, this.#common.words, OWN_SLOTS)
    this.#own.set(owner, table)
    return table
  }

  #count(owner: number, table: MarkTable, added: number): void {
    if (table !== this.#common || owner === OF_POOL) return
    if (this.#common.generation !== this.#generation) this.#beginCounts()
    const cell = cellOf(owner)
    this.#counts[cell] = Math.min(MOST_COUNTED, (this.#counts[cell] ?? 0) + added)
  }

  #beginCounts(): void {
    this.#counts.fill(0)
    this.#generation = this.#common.generation
  }
}

/** Which replicas have how much of a prompt, by those of one word. */
interface Measuring {
  readonly own: MarkTable | undefined
  readonly word: number
  /** The bit of each replica; 0 for those of other words. */
  readonly bits: readonly number[]
  /** Bytes of the prompt that each replica has. */
  readonly known: number[]
}

/** The replicas of these bits have the prompt up to there. */
function reached(these: number, end: number, bits: readonly number[], known: number[]): void {
  for (let place = 0; place < bits.length; place++) if (((bits[place] ?? 0) & these) !== 0) known[place] = end
}

/** A quarter of the slots that the common table may have. */
const OWN_SLOTS = 16_384
const MOST_COUNTED = 65_535
/** After this many adopted halves, a domain is checked again: it may have filled its part. */
const ADOPTED_AT_ONCE = 1024

/** The owner of the marks of the whole pool. */
const OF_POOL = 0

/** The owner of a domain's marks, as processes name it to each other. It does not reveal the domain's key. */
function ownerOf({ low, high, isPool }: CacheDomain): number {
  if (isPool) return OF_POOL
  return weightOf(low ^ Math.imul(high, 0x5bd1e995), high) || 1
}

const cellOf = (owner: number): number => owner % CELLS

/**
 * The halves of a mark. Equal texts of two domains have different halves. The key multiplies as well, so that two marks
 * of a domain reveal nothing about each other.
 */
const lowOf = (low: number, key: MarkKey): number => {
  const mixed = Math.imul(low ^ key.low, key.high | 1)
  return mixed ^ (mixed >>> 15)
}
/** Never 0; `keyed` is the low half as stored. */
const highOf = (high: number, keyed: number, key: MarkKey): number => {
  const mixed = Math.imul(high ^ key.high ^ keyed, key.low | 1)
  return (mixed ^ (mixed >>> 13)) | 1
}
