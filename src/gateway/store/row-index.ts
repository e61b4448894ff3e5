import { crc32 } from 'node:zlib'
import type { Millis } from '../../policy/config.ts'
import { isWasted, type LedgerRow } from '../../records/ledger-row.ts'
import type { PastQuery } from './ledger-store.ts'
import type { Placed } from './newest-rows.ts'

/**
 * An index of a part of the ledger, block by block, so that a query of the past reads those blocks
 * alone which may have what it looks for. It is kept in memory, is made beside requests, and takes 5 bytes a row, and 9 in
 * blocks of 32: a filter of bits says of an account, a key, a model and a pool that it is not in a block, or that it may be.
 */
export class RowIndex {
  /** Oldest first; each begins with the first row of a request. */
  readonly #blocks: Block[] = []
  readonly #size: IndexSize
  /** The filters of the newest blocks in one array: many small arrays would take more than their bits. */
  #filters = new Uint8Array()
  #free = 0
  #last: Placed | undefined
  /** How many rows it has. */
  count = 0

  constructor(size: IndexSize) {
    this.#size = size
  }

  /** The place of the newest row that it has: rows behind it are to be added. */
  get end(): string | undefined {
    return this.#last?.place
  }

  /** The place of the oldest one. */
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

  /** A row was written among those that it has, or behind them: these are still to be added. */
  note(row: LedgerRow): void {
    if (!this.#last || row.requestId > this.#last.row.requestId) return
    const block = this.#blocks[this.#at(`${row.requestId}\uffff`)]
    if (!block) return
    mark(block, row)
    // It may come before the first one of its request that was added.
    if (block.from.startsWith(row.requestId)) block.from = row.requestId
  }

  /** Where to look on from a place, where nothing that is asked for is in between. Undefined: right there. */
  skip(before: string | undefined, query: PastQuery): Skipped | undefined {
    if (before === undefined || this.#last === undefined || before > this.#last.place) return undefined
    const first = this.#at(before)
    let at = first
    for (let block = this.#blocks[at]; block && !mayHave(block, query); block = this.#blocks[--at]);
    const to = this.#blocks[at + 1]
    // The row read last begins a block, or lies in one that was skipped.
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
    // Part of a text keeps all of it in memory.
    const from = Buffer.from(place).toString()
    const block: Block = { from, ...filter, rows: 0, slowest: 0, hasFailures: false, hasCopies: false }
    this.#blocks.push(block)
    // The oldest ones are then looked at row by row.
    if (this.#blocks.length > this.#size.blocks) this.count -= this.#blocks.shift()?.rows ?? 0
    return block
  }

  /** The last block that begins before a place; -1 where none does. */
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

/** Where to look on. */
export interface Skipped {
  readonly before: string
  /** Whether the row read last is whole: else it lies among those skipped. */
  readonly isBetween: boolean
}

export interface IndexSize {
  /** Rows of a block, or a few more: the rows of a request stay in one block. */
  readonly rows: number
  readonly blocks: number
}

interface Block {
  /** The place of its first row. */
  from: string
  /** Its filter is so many bytes of an array. */
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

/** Four bits of a block's array for a text: two parts of its hash make as good ones as four hashes would. */
function bitsOf(text: string, { start, bytes }: Block): readonly number[] {
  const hash = crc32(text)
  const step = (hash >>> 15) | 1
  const mask = bytes * 8 - 1
  const first = start * 8
  return [0, 1, 2, 3].map(times => first + ((hash + times * step) & mask))
}

/** How old requests may be to be in an index that begins anew. */
export const INDEXED_MS: Millis = 2 * 86_400_000
/** Bits for an account and a key; models and pools are few. */
const BITS_A_ROW = 32
const MIN_BITS = 1024
/** An array of filters is freed once all of its blocks are gone. */
const FILTERS_AT_ONCE = 16
