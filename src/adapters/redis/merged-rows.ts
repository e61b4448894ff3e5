import type { Ask } from './servers/shards.ts'

/** The texts of rows of some buckets in the order of request ids, read in pages of each bucket. */
export async function* mergedRows(
  ask: Ask,
  ledgers: readonly string[],
  pages: Pages,
): AsyncGenerator<string, void, undefined> {
  const readers = ledgers.map(ledger => new RowReader(ask, ledger, pages))
  await Promise.all(readers.map(reader => reader.fill()))
  const heap = new Merge(readers)
  for (let text = await heap.next(); text !== undefined; text = await heap.next()) yield text
}

interface Pages {
  /** Rows of each bucket that are held at once. */
  readonly size: number
  /** Rows from this text on are not read. */
  readonly end?: string
}

/** The rows of one bucket, in pages. */
export class RowReader {
  readonly #ask: Ask
  readonly #key: string
  readonly #size: number
  readonly #end: string
  #page: string[] = []
  #at = 0
  #ended = false

  constructor(ask: Ask, key: string, { size, end }: Pages) {
    this.#ask = ask
    this.#key = key
    this.#size = size
    this.#end = end === undefined ? '+' : `(${end}`
  }

  get first(): string | undefined {
    return this.#page[this.#at]
  }

  async advance(): Promise<void> {
    this.#at++
    if (this.first === undefined) await this.fill()
  }

  async fill(): Promise<void> {
    const last = this.#page.at(-1)
    this.#at = 0
    if (this.#ended) {
      this.#page = []
      return
    }
    const min = last === undefined ? '-' : `(${last}`
    const LIMIT = { offset: 0, count: this.#size }
    this.#page = await this.#ask(this.#key, client => client.zRange(this.#key, min, this.#end, { BY: 'LEX', LIMIT }))
    this.#ended = this.#page.length < this.#size
  }
}

/** The smallest first of many sorted readers: a binary heap. */
class Merge {
  readonly #heap: RowReader[]

  constructor(readers: readonly RowReader[]) {
    this.#heap = readers.filter(({ first }) => first !== undefined)
    for (let at = this.#heap.length >> 1; at >= 0; at--) this.#sink(at)
  }

  async next(): Promise<string | undefined> {
    const [reader] = this.#heap
    if (!reader) return undefined
    const text = reader.first
    await reader.advance()
    if (reader.first === undefined) {
      const last = this.#heap.pop()
      if (last && last !== reader) this.#heap[0] = last
    }
    this.#sink(0)
    return text
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#before(child, least)) least = child
      if (least === at) return
      const [one, other] = [this.#heap[at], this.#heap[least]]
      if (one && other) [this.#heap[at], this.#heap[least]] = [other, one]
      at = least
    }
  }

  #before(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one]?.first, this.#heap[other]?.first]
    return a !== undefined && b !== undefined && a < b
  }
}
