/** Bytes that the tables of all pools of a process may take together. */
const TABLE_BYTES = 16_777_216
/** Slots of a generation: a table begins with the least, and doubles until it has the most. */
const LEAST_SLOTS = 256
const MOST_SLOTS = 65_536
/** A generation is full when this share of its slots is taken: fuller ones are searched slowly. */
const FULL = 0.7
/** Replicas whose bits fit into one word of a slot. */
export const BITS_OF_WORD = 32

/** Memory that tables share. A table that gets no more keeps its size, and forgets sooner. */
export class TableBudget {
  readonly #most: number
  /** Bytes of all tables. */
  takenBytes = 0

  constructor(most = TABLE_BYTES) {
    this.#most = most
  }

  take(bytes: number): boolean {
    if (this.takenBytes + bytes > this.#most) return false
    this.takenBytes += bytes
    return true
  }

  /** Takes the least size of a table, which each has whatever the others took. */
  hold(bytes: number): void {
    this.takenBytes += bytes
  }

  give(bytes: number): void {
    this.takenBytes -= bytes
  }
}

/** Marks by open addressing: two halves of a mark, then the words with a bit for each replica. */
class Generation {
  readonly words: number
  readonly slots: number
  readonly #stride: number
  readonly #cells: Int32Array
  size = 0

  constructor(slots: number, words: number) {
    this.words = words
    this.slots = slots
    this.#stride = 2 + words
    this.#cells = new Int32Array(slots * this.#stride)
  }

  get isFull(): boolean {
    return this.size >= this.slots * FULL
  }

  /** Where the bits of a mark are; -1 where it is unknown. */
  find(low: number, high: number): number {
    const at = this.#slotOf(low, high)
    return this.#cells[at + 1] === 0 ? -1 : at + 2
  }

  /** Where the bits of a mark are, which is there from now on. */
  put(low: number, high: number): number {
    const at = this.#slotOf(low, high)
    if (this.#cells[at + 1] === 0) {
      this.#cells[at] = low
      this.#cells[at + 1] = high
      this.size++
    }
    return at + 2
  }

  word(at: number, word: number): number {
    return this.#cells[at + word] ?? 0
  }

  setWord(at: number, word: number, bits: number): void {
    this.#cells[at + word] = bits
  }

  clear(): void {
    this.#cells.fill(0)
    this.size = 0
  }

  /** Takes a bit from all marks. */
  forget(word: number, bit: number): void {
    for (let at = 2 + word; at < this.#cells.length; at += this.#stride) {
      this.#cells[at] = (this.#cells[at] ?? 0) & ~bit
    }
  }

  copyTo(other: Generation): void {
    for (let at = 0; at < this.#cells.length; at += this.#stride) {
      const [low = 0, high = 0] = [this.#cells[at], this.#cells[at + 1]]
      if (high === 0) continue
      const to = other.put(low, high)
      for (let word = 0; word < this.words; word++) other.setWord(to, word, this.#cells[at + 2 + word] ?? 0)
    }
  }

  /** The slot of a mark, or the free one where it would be. The high half of a mark is never 0. */
  #slotOf(low: number, high: number): number {
    const mask = this.slots - 1
    let slot = (low ^ (high >>> 7)) & mask
    for (;;) {
      const at = slot * this.#stride
      const found = this.#cells[at + 1]
      if (found === 0 || (found === high && this.#cells[at] === low)) return at
      slot = (slot + 1) & mask
    }
  }
}

/**
 * Which replicas were sent which beginnings of prompts: a bit for each replica by mark, in two generations. Marks that are
 * used again move to the young one; when that is full it becomes the old one, and what nobody used is gone.
 */
export class MarkTable {
  readonly #budget: TableBudget
  readonly #most: number
  #young: Generation
  #old: Generation | undefined
  #bytes: number
  /** How often the generations changed: what is counted of the young one begins anew with it. */
  generation = 0

  constructor(budget: TableBudget, words = 1, most = MOST_SLOTS) {
    this.#budget = budget
    this.#most = most
    this.#young = new Generation(LEAST_SLOTS, words)
    this.#bytes = bytesOf(this.#young)
    budget.hold(this.#bytes)
  }

  get words(): number {
    return this.#young.words
  }

  /** Marks that the young generation may have. */
  get most(): number {
    return Math.floor((this.#isGrown ? this.#young.slots : this.#most) * FULL)
  }

  /** The replicas that have a mark, of one word. */
  bits(low: number, high: number, word = 0): number {
    const at = this.#young.find(low, high)
    if (at >= 0) return this.#young.word(at, word)
    const old = this.#old?.find(low, high) ?? -1
    return old < 0 ? 0 : (this.#old?.word(old, word) ?? 0)
  }

  /** Gives a mark to a replica. Returns whether the mark is new in the young generation, or new to the replica alone. */
  add(low: number, high: number, word: number, bit: number): 'new' | 'new here' | 'known' {
    let at = this.#young.find(low, high)
    const isNew = at < 0
    if (isNew) {
      if (this.#young.isFull) this.#makeRoom()
      at = this.#young.put(low, high)
      const old = this.#old?.find(low, high) ?? -1
      if (this.#old && old >= 0)
        for (let each = 0; each < this.words; each++) this.#young.setWord(at, each, this.#old.word(old, each))
    }
    const before = this.#young.word(at, word)
    this.#young.setWord(at, word, before | bit)
    if (isNew) return 'new'
    return (before & bit) === 0 ? 'new here' : 'known'
  }

  /** Takes all marks from a replica. */
  forget(word: number, bit: number): void {
    for (const generation of this.#generations) generation.forget(word, bit)
  }

  /** Gives its memory back. */
  close(): void {
    this.#budget.give(this.#bytes)
    this.#bytes = 0
  }

  #isGrown = false

  get #generations(): readonly Generation[] {
    return this.#old ? [this.#young, this.#old] : [this.#young]
  }

  #makeRoom(): void {
    const { slots, words } = this.#young
    if (slots < this.#most && !this.#isGrown) {
      const larger = this.#taken(slots * 2)
      if (larger) {
        this.#young.copyTo(larger)
        this.#release(this.#young)
        this.#young = larger
        return
      }
    }
    this.#isGrown = true
    this.generation++
    const before = this.#old
    const reused = before?.slots === slots && before.words === words ? before : this.#taken(slots)
    // Without memory for a second generation, the only one begins anew.
    if (!reused) {
      this.#young.clear()
      return
    }
    if (before && reused !== before) this.#release(before)
    reused.clear()
    this.#old = this.#young
    this.#young = reused
  }

  #taken(slots: number): Generation | undefined {
    const bytes = slots * (2 + this.words) * 4
    if (!this.#budget.take(bytes)) return undefined
    this.#bytes += bytes
    return new Generation(slots, this.words)
  }

  #release(generation: Generation): void {
    const bytes = bytesOf(generation)
    this.#budget.give(bytes)
    this.#bytes -= bytes
  }
}

const bytesOf = ({ slots, words }: Generation): number => slots * (2 + words) * 4
