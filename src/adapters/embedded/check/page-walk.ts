import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The findings in one table of a data file. */
export interface CheckedTable {
  readonly name: string
  rows: number
  pages: number
  /** Numbers of pages that do not match their parent's entry. The walk did not reach the pages below them. */
  readonly damaged: number[]
}

/** The findings in a data file. */
export interface PageWalk {
  readonly tables: readonly CheckedTable[]
  /** Faults outside the pages of a table. */
  readonly faults: readonly string[]
  /** The first error of a disk that could not read all pages; those it could not read count as damaged. */
  readonly diskError?: string
  readonly pages: number
  /** False where the time was over before all pages were read. */
  readonly isDone: boolean
}

/**
 * Reads every page of an LMDB data file that can be reached from its newest root, without LMDB, which ends the process at
 * many damages. `isOver` is asked now and then. No process may write to the file meanwhile.
 */
export function walkPages(file: string, isOver: () => boolean = () => false): PageWalk {
  const descriptor = openSync(file, 'r')
  try {
    return new Walk(descriptor, isOver).run()
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a disk, or the file system on it, could not read what it has. */
export const isOfDisk = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && OF_DISK.has(error.code)

const OF_DISK: ReadonlySet<unknown> = new Set(['EIO', 'EBADMSG', 'EUCLEAN', 'ENODATA', 'ENXIO', 'ESTALE', 'EREMOTEIO'])

/** A tree of pages, as the page above it describes it. */
interface Tree {
  readonly depth: number
  readonly entries: number
  readonly root: number
}

/** Where a page puts its references. */
interface Below {
  readonly table: CheckedTable
  readonly trees: (readonly [string, Tree])[]
  readonly below: (page: number) => void
}

interface Meta {
  readonly pageBytes: number
  readonly transaction: number
  readonly lastPage: number
  readonly free: Tree
  readonly main: Tree
}

class Walk {
  readonly #descriptor: number
  readonly #isOver: () => boolean
  #page = Buffer.alloc(LEAST_PAGE_BYTES)
  readonly #tables: CheckedTable[] = []
  readonly #faults: string[] = []
  readonly #fileBytes: number
  #seen = new Uint8Array()
  #meta: Meta | undefined
  #pages = 0
  #isDone = true
  #isCutOff = false
  #diskError: string | undefined

  constructor(descriptor: number, isOver: () => boolean) {
    this.#descriptor = descriptor
    this.#isOver = isOver
    this.#fileBytes = fstatSync(descriptor).size
  }

  run(): PageWalk {
    const first = this.#readMeta(0)
    const second = first && this.#readMeta(first.pageBytes)
    if (first && second) this.#walkAll(first.transaction > second.transaction ? first : second)
    else this.#faults.push(`page ${first ? 1 : 0}, one of the two that have the roots`)
    const found = { tables: this.#tables, faults: this.#faults, pages: this.#pages, isDone: this.#isDone }
    return this.#diskError === undefined ? found : { ...found, diskError: this.#diskError }
  }

  #walkAll(meta: Meta): void {
    this.#meta = meta
    this.#page = Buffer.alloc(meta.pageBytes)
    this.#seen = new Uint8Array(Math.floor(this.#fileBytes / this.#page.length) + 1)
    this.#walkTree('(free pages)', meta.free)
    for (const [name, tree] of this.#walkTree('(tables)', meta.main)) this.#walkTree(name, tree)
    // A file may end before its last page where that is free.
    if (this.#isCutOff) this.#faults.unshift('the file is cut off')
  }

  /** Returns the trees that its records are roots of. */
  #walkTree(name: string, { depth, entries, root }: Tree): readonly (readonly [string, Tree])[] {
    const table: CheckedTable = { name, rows: 0, pages: 0, damaged: [] }
    this.#tables.push(table)
    const trees: (readonly [string, Tree])[] = []
    const left: [number: number, level: number][] = root === NO_PAGE ? [] : [[root, 1]]
    for (let next = left.pop(); next; next = left.pop()) {
      if (this.#pages % PAGES_PER_LOOK === 0 && this.#isOver()) {
        this.#isDone = false
        return trees
      }
      const [number, level] = next
      this.#walkPage(number, level === depth, { table, trees, below: page => left.push([page, level + 1]) })
    }
    if (table.damaged.length === 0 && table.rows !== entries)
      this.#faults.push(`${name} has ${table.rows} records, but its header counts ${entries}`)
    return trees
  }

  #walkPage(number: number, isLeaf: boolean, { table, trees, below }: Below): void {
    table.pages++
    const nodes = this.#readTreePage(number, isLeaf ? LEAF : BRANCH)
    if (!nodes) table.damaged.push(number)
    else if (isLeaf) this.#readLeaf(nodes, table, trees, number)
    else for (const node of nodes) below(this.#page.readUIntLE(node, 6))
  }

  #readLeaf(nodes: readonly number[], table: CheckedTable, trees: (readonly [string, Tree])[], number: number): void {
    const overflows: (readonly [number: number, bytes: number])[] = []
    for (const node of nodes) {
      const bytes = this.#page.readUInt32LE(node)
      const flags = this.#page.readUInt16LE(node + 4)
      const data = node + NODE_HEADER + this.#page.readUInt16LE(node + 6)
      const isLong = (flags & LONG_VALUE) !== 0
      if (data + (isLong ? LONG_VALUE_BYTES : bytes) > this.#page.length) {
        table.damaged.push(number)
        return
      }
      table.rows++
      if (isLong) overflows.push([wideAt(this.#page, data), bytes])
      if ((flags & TREE_VALUE) !== 0) trees.push([nameAt(this.#page, node), treeAt(this.#page, data)])
    }
    for (const [first, bytes] of overflows) {
      const count = Math.ceil((PAGE_HEADER + bytes) / this.#page.length)
      table.pages += count
      if (!this.#readOverflow(first, count)) table.damaged.push(first)
    }
  }

  /** Where the nodes of a page are; undefined where it is not such a page. */
  #readTreePage(number: number, kind: number): readonly number[] | undefined {
    if (!this.#readPage(number, kind)) return undefined
    const [lower, upper] = [this.#page.readUInt16LE(20), this.#page.readUInt16LE(22)]
    if (lower === 0 || lower % 2 !== 0 || lower > upper || PAGE_HEADER + upper > this.#page.length) return undefined
    const nodes: number[] = []
    for (let index = 0; index < lower / 2; index++) {
      const node = PAGE_HEADER + this.#page.readUInt16LE(PAGE_HEADER + 2 * index)
      if (node < PAGE_HEADER + upper || node + NODE_HEADER > this.#page.length) return undefined
      const keyBytes = this.#page.readUInt16LE(node + 6)
      const needsKey = kind === LEAF || index > 0
      if ((needsKey && keyBytes === 0) || node + NODE_HEADER + keyBytes > this.#page.length) return undefined
      nodes.push(node)
    }
    return nodes
  }

  #readOverflow(first: number, count: number): boolean {
    if (!this.#readPage(first, OVERFLOW) || this.#page.readUInt32LE(20) !== count) return false
    for (let number = first + 1; number < first + count; number++) if (!this.#take(number)) return false
    return true
  }

  /** Reads a page that no other one may lead to. */
  #readPage(number: number, kind: number): boolean {
    if (!this.#take(number)) return false
    const read = this.#read(this.#page.length, number * this.#page.length)
    return (
      read === this.#page.length &&
      wideAt(this.#page, 0) === number &&
      wideAt(this.#page, 8) <= (this.#meta?.transaction ?? 0) &&
      (this.#page.readUInt16LE(18) & KINDS) === kind
    )
  }

  #take(number: number): boolean {
    this.#pages++
    const isPage = number > 1 && number <= (this.#meta?.lastPage ?? 0)
    const isThere = (number + 1) * this.#page.length <= this.#fileBytes
    if (isPage && !isThere) this.#isCutOff = true
    if (!isPage || !isThere || this.#seen[number] === 1) return false
    this.#seen[number] = 1
    return true
  }

  /** How many bytes were read: none where the disk could not. */
  #read(bytes: number, at: number): number {
    try {
      return readSync(this.#descriptor, this.#page, 0, bytes, at)
    } catch (error) {
      if (!isOfDisk(error)) throw error
      this.#diskError ??= error.message
      return 0
    }
  }

  #readMeta(at: number): Meta | undefined {
    const read = this.#read(LEAST_PAGE_BYTES, at)
    const isMeta = read === LEAST_PAGE_BYTES && (this.#page.readUInt16LE(18) & META) !== 0
    if (!isMeta || this.#page.readUInt32LE(24) !== MAGIC || this.#page.readUInt32LE(28) !== VERSION) return undefined
    const pageBytes = this.#page.readUInt32LE(48)
    if (pageBytes < LEAST_PAGE_BYTES || pageBytes > MOST_PAGE_BYTES || pageBytes % LEAST_PAGE_BYTES !== 0)
      return undefined
    return {
      pageBytes,
      free: treeAt(this.#page, 48),
      main: treeAt(this.#page, 96),
      lastPage: wideAt(this.#page, 144),
      transaction: wideAt(this.#page, 152),
    }
  }
}

const treeAt = (page: Buffer, at: number): Tree => ({
  depth: page.readUInt16LE(at + 6),
  entries: wideAt(page, at + 32),
  root: wideAt(page, at + 40),
})

const wideAt = (page: Buffer, at: number): number => page.readUInt32LE(at) + page.readUInt32LE(at + 4) * 2 ** 32

const nameAt = (page: Buffer, node: number): string =>
  page
    .toString('latin1', node + NODE_HEADER, node + NODE_HEADER + page.readUInt16LE(node + 6))
    .replace(/[^\x20-\x7e]/g, '')

/** How often the time is looked at. */
const PAGES_PER_LOOK = 256

/** Those of the pages that LMDB makes on any system. */
const LEAST_PAGE_BYTES = 4096
const MOST_PAGE_BYTES = 65_536

// The layout of LMDB's files, version 2 of its data, on 64 bits with the least byte first.
const MAGIC = 0xbeefc0de
const VERSION = 2
const PAGE_HEADER = 24
const NODE_HEADER = 8
const BRANCH = 1
const LEAF = 2
const OVERFLOW = 4
const META = 8
const KINDS = 0x2f
const LONG_VALUE = 1
const TREE_VALUE = 2
const LONG_VALUE_BYTES = 24
/** All bits set, as a number. */
const NO_PAGE = 0xffffffff + 0xffffffff * 2 ** 32
