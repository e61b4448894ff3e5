import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Alarm } from '../../../gateway/ports.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { Millis } from '../../../policy/config.ts'
import { type DiskLook, lookAt } from './look.ts'
import { type CommitSize, pagesFor, type TreeUse } from './page-bound.ts'

export interface RoomTerms {
  /** A data file that LMDB has open. */
  readonly path: string
  /** Reads what its last commit left. */
  readonly use: () => TreeUse
  readonly alarm?: Alarm
  readonly look?: (path: string) => DiskLook
}

/**
 * Allocates the blocks of the data file before LMDB writes into them, because its native code may overflow its heap when a
 * write fails. A commit goes ahead only while the blocks that it may take are allocated, so that neither a full disk, nor a
 * quota, nor another process that fills the disk meanwhile can fail it. Some more blocks are held back: without them no
 * request is admitted, while those that run are still settled.
 */
export class DiskRoom {
  readonly #path: string
  readonly #file: FileHandle
  readonly #use: () => TreeUse
  readonly #alarm: Alarm
  readonly #lookAt: (path: string) => DiskLook
  /** Bytes of the file that are allocated, without a rest that is no page. */
  #allocated: number
  /** Pages of commits under way. */
  #promised = 0
  #look: DiskLook
  #lookedAt = Number.NEGATIVE_INFINITY
  #extending: Promise<void> | undefined
  #shortage: Shortage | undefined
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(file: FileHandle, allocated: number, { path, use, alarm = () => {}, look = lookAt }: RoomTerms) {
    this.#path = path
    this.#file = file
    this.#allocated = allocated
    this.#use = use
    this.#alarm = alarm
    this.#lookAt = look
    this.#look = look(path)
  }

  static async open(terms: RoomTerms): Promise<DiskRoom> {
    // Appended writes go to the end, and so never over a page.
    const file = await open(terms.path, 'a')
    try {
      return new DiskRoom(file, wholePages((await file.stat()).size, terms.use()), terms)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Why no request may be admitted; undefined while there is room. */
  get shortage(): Shortage | undefined {
    return this.#shortage
  }

  /**
   * Resolves once a commit of that size cannot fail for want of room; call what it resolves to when the commit is over.
   * Rejects with StoreUnavailable.
   */
  async promise(size: CommitSize): Promise<() => void> {
    this.#lookAgain()
    if (this.#look.isReadOnly) throw this.#refusal(READ_ONLY)
    // Read once: it is most of what this costs.
    const use = this.#use()
    const pages = pagesFor(size, use)
    this.#promised += pages
    const written = () => {
      this.#promised -= pages
    }
    try {
      if (!this.#fits(use)) await this.#makeRoom()
    } catch (error) {
      written()
      // A commit of many rows may find no room before a smaller one found the reserve too small.
      void this.keepReserve()
      throw error
    }
    if (this.#shortage || this.#isScarce() || !this.#hasAllocated(reserveFor(use), use)) void this.keepReserve()
    return written
  }

  /** Commits that begin while the file grows need room too: only a file that grows no more is full. */
  async #makeRoom(): Promise<void> {
    for (let before = -1; !this.#fits(this.#use()); ) {
      if (this.#allocated === before) throw this.#refusal(FULL)
      before = this.#allocated
      await this.#extend(this.#promised)
    }
  }

  /** Allocates what is held back, and judges whether requests may be admitted. Never rejects. */
  async keepReserve(): Promise<void> {
    if (this.#isClosed) return
    this.#lookAgain()
    const use = this.#use()
    const reserve = reserveFor(use)
    if (!this.#hasAllocated(reserve, use) && !this.#isScarce()) await this.#extend(reserve + STEP_PAGES)
    if (this.#isClosed) return
    const isFull = this.#isScarce() || !this.#hasAllocated(reserve, this.#use())
    this.#judge(this.#look.isReadOnly ? READ_ONLY : isFull ? FULL : undefined, reserve)
  }

  /** Gives back to the disk what no page uses. Only while no commit runs. */
  async trim(): Promise<void> {
    const file = await open(this.#path, 'r+')
    try {
      await file.truncate(usedBytes(this.#use()))
    } finally {
      await file.close()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#again)
    await this.#extending
    await this.#file.close()
  }

  /** Whether the commits under way fit. Where a write over an allocated block takes another one, free space has to say so too. */
  #fits(use: TreeUse): boolean {
    const needed = this.#promised * use.pageBytes
    return this.#hasAllocated(this.#promised, use) && (this.#look.writesInPlace || needed <= this.#look.free)
  }

  /** True if this many pages are allocated after the last used one. */
  #hasAllocated(pages: number, use: TreeUse): boolean {
    return endOf(pages, use) <= this.#allocated
  }

  #isScarce(): boolean {
    return this.#look.free < this.#look.margin
  }

  #lookAgain(): void {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    this.#look = this.#lookAt(this.#path)
  }

  /** Allocates this many pages after the last used one, or as many as there is room for. */
  #extend(pages: number): Promise<void> {
    const before = this.#extending ?? Promise.resolve()
    const extending = before.then(() => this.#append(pages))
    this.#extending = extending
    return extending
  }

  async #append(pages: number): Promise<void> {
    if (this.#isClosed) return
    let wanted = endOf(pages, this.#use()) - this.#allocated
    // A disk that is full for others too is not filled to its last byte.
    if (wanted <= 0 || wanted > this.#look.free) return
    try {
      while (wanted > 0) {
        const length = Math.min(wanted, ZEROS.length)
        const { bytesWritten } = await this.#file.write(ZEROS, 0, length)
        wanted = bytesWritten < length ? 0 : wanted - length
      }
    } catch {
      // The file's size tells how much could be allocated.
    }
    const size = await this.#file.stat().then(
      stat => stat.size,
      () => this.#allocated,
    )
    this.#allocated = wholePages(size, this.#use())
    this.#look = this.#lookAt(this.#path)
  }

  #judge(shortage: Shortage | undefined, reserve: number): void {
    if (this.#isClosed) return
    if (shortage !== this.#shortage) {
      const details = {
        path: dirname(this.#path),
        free_bytes: Number.isFinite(this.#look.free) ? this.#look.free : null,
        held_back_bytes: reserve * this.#use().pageBytes,
      }
      if (shortage) this.#alarm(`${shortage}: requests get 503 until it has room again`, details)
      else this.#alarm('the disk of the store has room again: requests are served', details)
    }
    this.#shortage = shortage
    if (shortage) this.#again ??= setTimeout(() => this.#judgeAgain(), AGAIN_MS).unref()
  }

  #judgeAgain(): void {
    this.#again = undefined
    this.#lookedAt = Number.NEGATIVE_INFINITY
    void this.keepReserve()
  }

  #refusal(why: string): StoreUnavailable {
    return new StoreUnavailable(`${why} (${dirname(this.#path)})`)
  }
}

const FULL = 'the disk of the store is full'
const READ_ONLY = 'the disk of the store is read-only'
type Shortage = typeof FULL | typeof READ_ONLY

/** How old a look at the disk may be: a commit's own pages are always allocated. */
const LOOK_MS: Millis = 100
/** How often a full disk is looked at. */
const AGAIN_MS: Millis = 1000

/** An eighth of the file, from 1 to 16 MB: a new store holds back little, and one of many requests has room for all that run. */
function reserveFor(use: TreeUse): number {
  const bytes = Math.min(Math.max(usedBytes(use) / 8, MIB), 16 * MIB)
  return pagesFor({ records: 0 }, use) + Math.ceil(bytes / use.pageBytes)
}

/** Where so many pages behind the last one that was used end. */
const endOf = (pages: number, use: TreeUse): number => usedBytes(use) + pages * use.pageBytes
const usedBytes = ({ lastPage, pageBytes }: TreeUse): number => (lastPage + 1) * pageBytes
const wholePages = (bytes: number, { pageBytes }: TreeUse): number => bytes - (bytes % pageBytes)

const MIB = 2 ** 20
/** Allocated at once, so that not every commit has to. */
const STEP_PAGES = 64
const ZEROS = Buffer.alloc(MIB)
