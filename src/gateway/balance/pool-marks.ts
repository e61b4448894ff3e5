import type { MarkKey, PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import { BITS_OF_WORD, MarkTable, type TableBudget } from './mark-table.ts'

/** Who shares a prefix: an account, an org, or everybody in the pool. */
export interface CacheDomain extends MarkKey {
  /** Set where it is all of the pool: then nobody else's marks have to be spared. */
  readonly isPool?: true
}

/** Domains are counted in so many cells by their key: a count is never too low. */
const CELLS = 1024
/** One domain may fill this part of the young generation of all. */
const PART = 4
/** Domains that filled their part, and go on in a table of their own. */
const MOST_OWN = 4

/**
 * The beginnings of prompts that each replica of a pool was sent, by domain. A domain that has filled its part of the common
 * table goes on in one of its own: however many prompts it sends, it pushes out no other's.
 */
export class PoolMarks {
  readonly #budget: TableBudget
  #common: MarkTable
  /** In the order of their use, the newest last. */
  readonly #own = new Map<string, MarkTable>()
  readonly #counts = new Uint16Array(CELLS)
  #generation = 0
  /** The bit of each replica, by its URL. */
  readonly #bits = new Map<string, number>()

  constructor(budget: TableBudget) {
    this.#budget = budget
    this.#common = new MarkTable(budget)
  }

  /** Bytes of the prompt that each replica was sent before, by the same domain. */
  knownBytes(sketch: PromptSketch, domain: CacheDomain, urls: readonly string[]): readonly number[] {
    const known = urls.map(() => 0)
    const own = this.#own.get(nameOf(domain))
    for (let word = 0; word < this.#common.words; word++) {
      const bits = urls.map(url => this.#bitIn(url, word))
      this.#measure(sketch, domain, { own, word, bits }, known)
    }
    return known
  }

  /** A replica is sent a prompt: its cache will have it. */
  remember(sketch: PromptSketch, domain: CacheDomain, url: string): void {
    const { word, bit } = this.#placeOf(url)
    const table = this.#tableFor(domain)
    const { low, high } = sketch
    let added = 0
    for (let at = 0; at < low.length; at++) {
      if (table.add(lowOf(low, at, domain), highOf(high, at, domain), word, bit)) added++
    }
    if (table === this.#common && !domain.isPool) this.#count(domain, added)
  }

  /** The cache of a replica is gone. */
  forget(url: string): void {
    if (!this.#bits.has(url)) return
    const { word, bit } = this.#placeOf(url)
    for (const table of this.#tables) table.forget(word, bit)
  }

  /** The pool has these replicas from now on. */
  keep(urls: readonly string[]): void {
    for (const url of this.#bits.keys()) {
      if (urls.includes(url)) continue
      this.forget(url)
      this.#bits.delete(url)
    }
  }

  /** Gives the memory back. */
  close(): void {
    for (const table of this.#tables) table.close()
  }

  get #tables(): readonly MarkTable[] {
    return [this.#common, ...this.#own.values()]
  }

  #measure(
    { low, high, ends }: PromptSketch,
    domain: CacheDomain,
    {
      own,
      word,
      bits,
    }: { readonly own: MarkTable | undefined; readonly word: number; readonly bits: readonly number[] },
    known: number[],
  ): void {
    let mask = bits.reduce((all, bit) => all | bit, 0)
    let end = 0
    const reached = (these: number) => {
      for (let place = 0; place < bits.length; place++) if (((bits[place] ?? 0) & these) !== 0) known[place] = end
    }
    for (let at = 0; at < low.length && mask !== 0; at++) {
      const lower = lowOf(low, at, domain)
      const upper = highOf(high, at, domain)
      const left = mask & (this.#common.bits(lower, upper, word) | (own?.bits(lower, upper, word) ?? 0))
      if (left !== mask) reached(mask & ~left)
      mask = left
      end = ends[at] ?? 0
    }
    reached(mask)
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

  /** More replicas than there are bits: begins anew with more of them. */
  #widen(): void {
    const words = this.#common.words + 1
    this.close()
    this.#own.clear()
    this.#common = new MarkTable(this.#budget, words)
    this.#beginCounts()
  }

  #tableFor(domain: CacheDomain): MarkTable {
    if (domain.isPool) return this.#common
    const name = nameOf(domain)
    const own = this.#own.get(name)
    if (own) {
      this.#own.delete(name)
      this.#own.set(name, own)
      return own
    }
    if (this.#common.generation !== this.#generation) this.#beginCounts()
    const most = Math.floor(this.#common.most / PART)
    return (this.#counts[cellOf(domain)] ?? 0) < most ? this.#common : this.#begunFor(name)
  }

  #begunFor(name: string): MarkTable {
    const [oldest] = this.#own.keys()
    if (oldest !== undefined && this.#own.size >= MOST_OWN) {
      this.#own.get(oldest)?.close()
      this.#own.delete(oldest)
    }
    const table = new MarkTable(this.#budget, this.#common.words, OWN_SLOTS)
    this.#own.set(name, table)
    return table
  }

  #count(domain: CacheDomain, added: number): void {
    if (this.#common.generation !== this.#generation) this.#beginCounts()
    const cell = cellOf(domain)
    this.#counts[cell] = Math.min(MOST_COUNTED, (this.#counts[cell] ?? 0) + added)
  }

  #beginCounts(): void {
    this.#counts.fill(0)
    this.#generation = this.#common.generation
  }
}

/** A quarter of the slots that the common table may have. */
const OWN_SLOTS = 16_384
const MOST_COUNTED = 65_535

const nameOf = ({ low, high }: MarkKey): string => `${low}.${high}`
const cellOf = ({ low }: MarkKey): number => (low >>> 0) % CELLS

/** A mark of a domain: equal texts of two domains have different ones. */
const lowOf = (low: Int32Array, at: number, key: MarkKey): number => (low[at] ?? 0) ^ key.low
const highOf = (high: Int32Array, at: number, key: MarkKey): number => ((high[at] ?? 0) ^ key.high) | 1
