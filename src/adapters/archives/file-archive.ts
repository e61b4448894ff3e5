import { constants, createReadStream } from 'node:fs'
import { access, mkdir, open, rename, stat, truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import { type Archive, type ArchiveState, ArchiveUnavailable } from '../../gateway/archive/archive.ts'
import type { LeavingRow } from '../../gateway/store/archive-store.ts'
import { synced } from '../../gateway/synced.ts'
import { archivedLine, nameOf } from './archived-line.ts'
import { type DayEnd, dayEnds, dayFile, linesIn, reasonOf, STATE, unlessMissing } from './day-files.ts'
import { FileReads } from './file-reads.ts'

/** Lets one process at a time write into a directory. Rejects where another one does. */
export type LockDirectory = (path: string) => Promise<{ release(): Promise<void> }>

/**
 * A directory with a compressed file per UTC day of admissions. A batch is appended to its file, and then `archive.json` records
 * the file's length: bytes after that belong to an unfinished batch, and are cut off before the next one.
 */
export class FileArchive implements Archive {
  readonly shown: string
  readonly reader: FileReads
  readonly #directory: string
  readonly #lockDirectory: LockDirectory
  #lock: Awaited<ReturnType<LockDirectory>> | undefined
  #ends: ReadonlyMap<string, DayEnd> = new Map()

  constructor(directory: string, lockDirectory: LockDirectory) {
    this.shown = `file:${directory}`
    this.#directory = directory
    this.#lockDirectory = lockDirectory
    this.reader = new FileReads(directory, this.shown)
  }

  async write(rows: readonly LeavingRow[]): Promise<void> {
    try {
      if (!this.#lock) await this.#open()
      const days = new Map<string, LeavingRow[]>()
      for (const each of rows) {
        const day = new Date(each.row.admittedAt).toISOString().slice(0, 10)
        const own = days.get(day) ?? []
        own.push(each)
        days.set(day, own)
      }
      for (const [day, own] of days) await this.#add(day, own)
    } catch (error) {
      throw error instanceof ArchiveUnavailable ? error : this.#unavailable(reasonOf(error), error)
    }
  }

  async check(): Promise<ArchiveState> {
    const existing = await nearest(this.#directory)
    const isThere = existing === this.#directory
    await access(existing, constants.W_OK | constants.X_OK).catch(error => {
      throw this.#unavailable(`${existing} cannot be written: ${reasonOf(error)}`, error)
    })
    return { about: 'a file a day', ...(!isThere && { plan: 'makes the directory' }) }
  }

  async close(): Promise<void> {
    await this.#lock?.release()
    this.#lock = undefined
  }

  async #open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    this.#lock = await this.#lockDirectory(this.#directory)
    this.#ends = await dayEnds(this.#directory)
  }

  async #add(day: string, rows: readonly LeavingRow[]): Promise<void> {
    const file = dayFile(this.#directory, day)
    const end = this.#ends.get(day)
    const bytes = await this.#cut(file, end)
    const last = end?.last ?? (bytes > 0 ? LAST : '')
    // Rows come in the order of their ids: what is before the last one may be there, and is looked up.
    const doubtful = new Set(rows.map(rowName).filter(name => name <= last))
    const there = doubtful.size > 0 && bytes > 0 ? await this.#namesAmong(file, bytes, doubtful) : new Set<string>()
    const added = rows.filter(row => !there.has(rowName(row)))
    if (added.length === 0) return
    const packed = await compress(added.map(archivedLine).join(''))
    await append(file, packed)
    if (bytes === 0) await synced(this.#directory)
    const names = [...added.map(rowName), ...(end ? [end.last] : [])].sort()
    await this.#keep(day, { bytes: bytes + packed.length, last: names.at(-1) ?? '' })
  }

  /** Cuts off what an interrupted process left behind the end. Resolves to the length of the file. */
  async #cut(file: string, end: DayEnd | undefined): Promise<number> {
    const { size } = (await stat(file).catch(unlessMissing)) ?? { size: 0 }
    if (!end) {
      if (size === 0 || (await isWhole(file))) return size
      // The first batch of a day was interrupted, unless archive.json was removed.
      await rename(file, `${file}.unfinished`)
      return 0
    }
    if (size < end.bytes)
      throw this.#unavailable(`${file} is shorter than it was; put it back, or remove its line from ${STATE}`)
    if (size > end.bytes) await truncate(file, end.bytes)
    return end.bytes
  }

  async #namesAmong(file: string, bytes: number, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for await (const lines of linesIn(file, bytes))
      for (const line of lines) {
        const { request_id, place } = JSON.parse(line) as { request_id: string; place: number }
        const name = nameOf(request_id, place)
        if (names.has(name)) found.add(name)
      }
    return found
  }

  async #keep(day: string, end: DayEnd): Promise<void> {
    const days = [...new Map([...this.#ends, [day, end]])].sort(([a], [b]) => (a < b ? -1 : 1))
    const path = this.#path(STATE)
    const handle = await open(`${path}.new`, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(Object.fromEntries(days), undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${path}.new`, path)
    await synced(this.#directory)
    this.#ends = new Map(days)
  }

  #path(name: string): string {
    return join(this.#directory, name)
  }

  #unavailable(reason: string, cause?: unknown): ArchiveUnavailable {
    return new ArchiveUnavailable(`${this.shown}: ${reason}`, { cause })
  }
}

/** Sorts after the name of every row. */
const LAST = '\uffff'

const rowName = ({ place, row }: LeavingRow): string => nameOf(row.requestId, place)

/** A member of its own: members one after the other are one gzip file. */
const compress = promisify<string, Buffer>(gzip)

async function append(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function isWhole(file: string): Promise<boolean> {
  try {
    for await (const _ of createReadStream(file).pipe(createGunzip()));
    return true
  } catch {
    // It ends within a member.
    return false
  }
}

async function nearest(directory: string): Promise<string> {
  for (let path = directory; ; path = dirname(path))
    if ((await stat(path).catch(unlessMissing)) || path === dirname(path)) return path
}
