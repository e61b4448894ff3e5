import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DecisionSettings } from '../../config/settings.ts'

interface Open {
  readonly directory: string
  readonly number: number
  readonly handle: FileHandle
  bytes: number
}

/** Appends to the newest file of a directory, begins the next one when it is full, and removes the oldest. */
export class Rotation {
  readonly #settings: () => DecisionSettings
  #open: Open | undefined

  /** The settings are asked before every write. */
  constructor(settings: () => DecisionSettings) {
    this.#settings = settings
  }

  /** Writes the lines in their order. After a rejection some may be there, the last of them cut short. */
  async append(lines: Lines): Promise<void> {
    for (let from = 0; from < lines.count; ) {
      const file = await this.#withRoom(lines.fitting(from, 0).bytes.length)
      const { bytes, count } = lines.fitting(from, this.#settings().maxBytes - file.bytes)
      await file.handle.appendFile(bytes)
      file.bytes += bytes.length
      from += count
    }
  }

  /** The next append opens the file again. */
  async close(): Promise<void> {
    const file = this.#open
    this.#open = undefined
    await file?.handle.close()
  }

  /** A file with room for this many bytes, or an empty one. */
  async #withRoom(bytes: number): Promise<Open> {
    const { directory, maxBytes, files } = this.#settings()
    const isFull = (file: Open) => file.bytes > 0 && file.bytes + bytes > maxBytes
    if (this.#open?.directory === directory && !isFull(this.#open)) return this.#open
    await this.close()
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const newest = (await logFiles(directory)).at(-1)?.number ?? 0
    let opened = await openFile(directory, Math.max(1, newest))
    if (isFull(opened)) {
      await opened.handle.close()
      opened = await openFile(directory, newest + 1)
    }
    this.#open = opened
    const { number } = opened
    const old = (await logFiles(directory)).filter(file => file.number <= number - files)
    await Promise.all(old.map(({ path }) => rm(path, { force: true })))
    return opened
  }
}

async function openFile(directory: string, number: number): Promise<Open> {
  const handle = await open(logFile(directory, number).path, 'a', 0o600)
  try {
    let { size: bytes } = await handle.stat()
    if (bytes > 0) {
      // A new line first: a crash or a full disk may have left half a line before.
      await handle.appendFile('\n')
      bytes++
    }
    return { directory, number, handle, bytes }
  } catch (error) {
    // Each line tries again while a disk is full, and would leave another file open.
    await handle.close()
    throw error
  }
}

/** One file of a log. Numbers grow: the highest is the newest. */
export interface LogFile {
  readonly number: number
  readonly path: string
}

const NAME = /^decisions-(\d{6,})\.ndjson$/

const logFile = (directory: string, number: number): LogFile => ({
  number,
  path: join(directory, `decisions-${String(number).padStart(6, '0')}.ndjson`),
})

/** The files of a log, oldest first. Rejects where the directory cannot be read. */
export async function logFiles(directory: string): Promise<LogFile[]> {
  const numbers = (await readdir(directory)).flatMap(name => NAME.exec(name)?.[1] ?? []).map(Number)
  return numbers.sort((a, b) => a - b).map(number => logFile(directory, number))
}

/** Where the worker of a slot writes, in the directory of the log. */
export const workerLog = (directory: string, slot: number): string => join(directory, `${OF_WORKER}${slot}`)

const OF_WORKER = 'worker-'

/**
 * The logs in a directory, each with its files, oldest first: its own, and those of workers. Rejects where the directory
 * cannot be read.
 */
export async function logsIn(directory: string): Promise<LogFile[][]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const ofWorkers = entries.filter(entry => entry.isDirectory() && entry.name.startsWith(OF_WORKER))
  const logs = await Promise.all([directory, ...ofWorkers.map(({ name }) => join(directory, name))].map(logFiles))
  return logs.filter(files => files.length > 0)
}

/** Removes logs of workers that no longer exist, except as many of their newest files as a log may have. */
export async function trimLogs(directory: string, workers: number, most: number): Promise<void> {
  const logs = await logsIn(directory).catch(() => [])
  const current = new Set([directory, ...Array.from({ length: workers }, (_, slot) => workerLog(directory, slot))])
  const old = logs.flat().filter(({ path }) => !current.has(dirname(path)))
  const dated = await Promise.all(old.map(async ({ path }) => ({ path, at: (await stat(path)).mtimeMs })))
  const removed = dated.sort((a, b) => b.at - a.at).slice(most)
  await Promise.all(removed.map(({ path }) => rm(path, { force: true })))
}

/**
 * Lines of ASCII one after the other, as bytes. A line is copied as soon as it is made, so that its many parts need not
 * stay in memory.
 */
export class Lines {
  #bytes = Buffer.allocUnsafeSlow(FIRST)
  #length = 0
  #ends: number[] = []

  get count(): number {
    return this.#ends.length
  }

  /** The bytes of all lines. */
  get length(): number {
    return this.#length
  }

  add(line: string): void {
    const end = this.#length + line.length
    if (end > this.#bytes.length) this.#grow(end)
    this.#bytes.write(line, this.#length, 'latin1')
    this.#length = end
    this.#ends.push(end)
  }

  /** The lines from `from` on that fit into `room` bytes, but one at least. They are valid until `clear`. */
  fitting(from: number, room: number): { readonly bytes: Buffer; readonly count: number } {
    const start = this.#endOf(from - 1)
    let to = from + 1
    while (to < this.#ends.length && this.#endOf(to) - start <= room) to++
    return { bytes: this.#bytes.subarray(start, this.#endOf(to - 1)), count: to - from }
  }

  clear(): void {
    if (this.#bytes.length > KEPT) this.#bytes = Buffer.allocUnsafeSlow(FIRST)
    this.#length = 0
    this.#ends = []
  }

  #endOf(line: number): number {
    return this.#ends[line] ?? 0
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** The largest buffer that is kept from one write to the next. */
const KEPT = 1_048_576
const FIRST = 65_536
