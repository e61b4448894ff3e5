import { crc32 } from 'node:zlib'
import type { Millis } from '../../policy/config.ts'
import { isWasted, type LedgerRow } from '../../records/ledger-row.ts'
import type { PastQuery } from './ledger-store.ts'
import type { Placed } from './newest-rows.ts'

/**
 * An in-memory index of part of the ledger, by blocks, so that a query about the past reads only blocks that may
 * contain matches. It is built beside requests, and takes 5 bytes a row, or 9 with blocks of 32 rows: a Bloom filter
 * per block says that an account, key, model or pool is not in it, or may be.
 */
export class RowIndex {
  /** Oldest first; each block begins with the first row of a request. */
  readonly #blocks: Block[] = []
  readonly #size: IndexSize
  /** The filters of the newest blocks share an array: many small arrays would cost more than their contents. */
  #filters = new Uint8Array()
  #free = 0
  #last: Placed | undefined
  /** The number of indexed rows. */
  count = 0

  constructor(size: IndexSize) {
    this.#size = size
  }

  /** The position of the newest indexed row: rows after it are to be added. */
  get end(): string | undefined {
    return this.#last?.place
  }

  /** The position of the oldest indexed row. */
  get start(): string | undefined {
    return this.#blocks[0]?.from
  }

  /** Adds the next row. */
  add(placed: Placed): void {
    const { place, row } = placed
    const isNext = row.requestId !== this.#last?.row.requestId
    const last = this.#blocks.at(-1)
    const block = last && !(isNext && last.rows >= this.#size.rows) ? last : this.#begin(place)
    block.rows++
    this.count++
    mark(block, row)
    this.#last = placed
  }

  /** A row was written among the indexed ones, or after them: those are yet to be added. */
  note(row: LedgerRow): void {
    if (!this.#last || row.requestId > this.#last.row.requestId) return
    const block = this.#blocks[this.#at(`${row.requestId}\uffff`)]
    if (!block) return
    mark(block, row)
    // It may precede the first added row of its request.
    if (block.from.startsWith(row.requestId)) block.from = row.requestId
  }

  /** Where to continue from a position, if nothing in between can match. Undefined: right there. */
  skip(before: string | undefined, query: PastQuery): Skipped | undefined {
    if (before === undefined || this.#last === undefined || before > this.#last.place) return undefined
    const first = this.#at(before)
    let at = first
    for (let block = this.#blocks[at]; block && !mayHave(block, query); block = this.#blocks[--at]);
    const to = this.#blocks[at + 1]
    // The last row read begins a block, or lies in a skipped one.
    return at === first || !to ? undefined : { before: to.from, isBetween: this.#blocks[first + 1]?.from === before }
  }

  #begin(place: string): Block {
    const bytes = Math.max(MIN_BITS, this.#size.rows * BITS_A_ROW) / 8
    if (this.#free === this.#filters.length) {
      this.#filters = new Uint8Array(bytes * FILTERS_AT_ONCE)
      this.#free = 0
    }
    const filter = { array: this.#filters, start: this.#free, bytes }
    this.#free += bytes
    // A substring would keep its whole text in memory.
    const from = Buffer.from(place).toString()
    const block: Block = { from, ...filter, rows: 0, slowest: 0, hasFailures: false, hasCopies: false }
    this.#blocks.push(block)
    // Blocks dropped here are scanned row by row.
    if (this.#blocks.length > this.#size.blocks) this.count -= this.#blocks.shift()?.rows ?? 0
    return block
  }

  /** The last block that begins before a position; -1 if none does. */
  #at(before: string): number {
    let [low, high] = [0, this.#blocks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#blocks[middle]?.from ?? '') < before) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Where to continue. */
export interface Skipped {
  readonly before: string
  /** Whether the rows of the last request are complete; otherwise the rest lies in a skipped block. */
  readonly isBetween: boolean
}

export interface IndexSize {
  /** The rows per block, or a few more: rows of one request stay together. */
  readonly rows: number
  readonly blocks: number
}

interface Block {
  /** The position of its first row. */
  from: string
  /** The filter is a range of this array. */
  readonly array: Uint8Array
  readonly start: number
  readonly bytes: number
  rows: number
  slowest: Millis
  hasFailures: boolean
  hasCopies: boolean
}

function mark(block: Block, row: LedgerRow): void {
  const { account, key, model, pool, kind, settledAt, admittedAt, mirror } = row
  const { array } = block
  for (const text of [`a${account}`, `k${key ?? ''}`, `m${model}`, `p${pool}`])
    for (const bit of bitsOf(text, block)) array[bit >> 3] = (array[bit >> 3] ?? 0) | (1 << (bit & 7))
  if (!mirror) block.slowest = Math.max(block.slowest, settledAt - admittedAt)
  block.hasFailures ||= isWasted(row) || kind === 'orphan'
  block.hasCopies ||= mirror !== undefined
}

function mayHave(block: Block, { account, key, model, pool, slow = 0, failed, copied }: PastQuery): boolean {
  if (block.slowest < slow || (failed && !block.hasFailures) || (copied && !block.hasCopies)) return false
  const has = (kind: string, name: string | undefined) =>
    name === undefined || bitsOf(kind + name, block).every(bit => ((block.array[bit >> 3] ?? 0) >> (bit & 7)) & 1)
  return has('a', account) && has('k', key) && has('m', model) && has('p', pool)
}

/** Four filter bits for a text: two parts of one hash are as good as four hashes. */
function bitsOf(text: string, { start, bytes }: Block): readonly number[] {
  const hash = crc32(text)
  const step = (hash >>> 15) | 1
  const mask = bytes * 8 - 1
  const first = start * 8
  return [0, 1, 2, 3].map(times => first + ((hash + times * step) & mask))
}

/** The oldest requests in a new index. */
export const INDEXED_MS: Millis = 2 * 86_400_000
/** Enough for an account and a key; there are few models and pools. */
const BITS_A_ROW = 32
const MIN_BITS = 1024
/** An array is freed once all of its blocks are gone. */
const FILTERS_AT_ONCE = 16
