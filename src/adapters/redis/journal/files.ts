import { mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Alarm } from '../../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../../policy/config.ts'
import { isObject } from '../../../wire/json-safety.ts'
import type { Acknowledged } from './acknowledged.ts'

/**
 * The entries of a journal on the disk of this process, so that a successor repeats them where it is killed: files of ten
 * seconds each, one JSON line an entry. They are handed to the kernel and not synced: a machine that fails loses them.
 */
export class JournalFiles {
  readonly #directory: string
  readonly #alarm: Alarm
  #waiting: Waiting[] = []
  /** The files, each with the number behind its last entry; the newest is at the end. */
  #written: Written[] = []
  #handle: FileHandle | undefined
  #since = 0
  #count = 0
  #queue: Promise<unknown> = Promise.resolve()
  #isFailing = false
  #isStuck = false

  /** No other process may use the directory. */
  constructor(directory: string, alarm: Alarm) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#directory = directory
    this.#alarm = alarm
  }

  /** Recent entries of an earlier process for the store with this epoch, in the order of their writing. */
  async readLeft(epoch: string): Promise<readonly Left[]> {
    const names = (await readdir(this.#directory)).filter(name => FILE.test(name)).sort()
    this.#count = names.length === 0 ? 0 : Number(FILE.exec(names.at(-1) ?? '')?.[1]) + 1
    let left: Left[] = []
    for (const name of names) {
      const file = join(this.#directory, name)
      for (const line of (await readFile(file, 'utf8')).split('\n')) {
        const { moved, at = 0, of, by = '', ...what } = parse(line) ?? {}
        if (moved) left = left.map(each => ({ ...each, server: '' }))
        else if (at > Date.now() - KEPT_MS && of === epoch) left.push({ what: what as Acknowledged, server: by, at })
      }
      this.#written.push({ file, end: left.length })
    }
    this.forgetBefore(0)
    return left
  }

  /** Resolves when the kernel has the entry, or cannot take it. */
  append({ what, number, server, epoch }: Numbered): Promise<void> {
    return this.#append({ at: Date.now(), of: epoch, by: server, ...what }, number + 1)
  }

  /** Slots are at another server: of what was written before, none knows for certain which one has it. */
  moved(): Promise<void> {
    return this.#append({ at: Date.now(), moved: true }, 0)
  }

  #append(line: Line, end: number): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ line: `${JSON.stringify(line)}\n`, end, done })
      if (this.#waiting.length === 1) this.#alone(() => this.#write())
    })
  }

  /** Removes the files all of whose entries come before a number, the newest too: the next entry begins another one. */
  forgetBefore(number: number): void {
    if (this.#written.some(({ end }) => end <= number)) this.#alone(() => this.#remove(number))
  }

  /** A file that cannot be removed is tried again with the next ones. A successor repeats its entries, which changes nothing. */
  async #remove(number: number): Promise<void> {
    const over = this.#written.filter(({ end }) => end <= number)
    const kept = this.#written.filter(({ end }) => end > number)
    if (kept.length === 0) await this.#endFile()
    this.#written = kept
    for (const [place, { file }] of over.entries()) {
      try {
        await rm(file, { force: true })
      } catch (error) {
        this.#written.unshift(...over.slice(place))
        if (!this.#isStuck)
          this.#alarm('the journal of what Redis acknowledged cannot be removed', { error: String(error) })
        this.#isStuck = true
        return
      }
    }
    this.#isStuck = false
  }

  async close(): Promise<void> {
    await this.#alone(() => this.#endFile())
  }

  async #write(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const handle = await this.#current()
      // An empty line first: a full disk may have taken half a line of the batch before.
      await handle.appendFile(`\n${batch.map(({ line }) => line).join('')}`)
      const newest = this.#written.at(-1)
      if (newest) newest.end = Math.max(newest.end, ...batch.map(({ end }) => end))
      this.#isFailing = false
    } catch (error) {
      // In memory it is kept all the same.
      if (!this.#isFailing)
        this.#alarm('the journal of what Redis acknowledged cannot be written', { error: String(error) })
      this.#isFailing = true
    }
    for (const { done } of batch) done()
  }

  async #current(): Promise<FileHandle> {
    if (this.#handle && performance.now() - this.#since < FILE_MS) return this.#handle
    await this.#endFile()
    const file = join(this.#directory, `journal-${String(this.#count++).padStart(9, '0')}.ndjson`)
    this.#handle = await open(file, 'a', 0o600)
    this.#since = performance.now()
    this.#written.push({ file, end: this.#written.at(-1)?.end ?? 0 })
    return this.#handle
  }

  async #endFile(): Promise<void> {
    const before = this.#handle
    this.#handle = undefined
    await before?.close()
  }

  #alone(run: () => Promise<unknown>): Promise<unknown> {
    const done = this.#queue.then(run)
    this.#queue = done.catch(() => {})
    return done
  }
}

/** An entry of an earlier process: who acknowledged it, where that is certain, and when. */
export interface Left {
  readonly what: Acknowledged
  readonly server: string
  readonly at: EpochMs
}

/** An entry with its number, who acknowledged it, and of which store. */
interface Numbered {
  readonly what: Acknowledged
  readonly number: number
  readonly server: string
  readonly epoch: string
}

/** An entry with its moment, the epoch of its store and its server, or that slots moved. */
type Line = Partial<Acknowledged> & {
  readonly at?: EpochMs
  readonly of?: string
  readonly by?: string
  readonly moved?: boolean
}

interface Waiting {
  readonly line: string
  readonly end: number
  readonly done: () => void
}

interface Written {
  readonly file: string
  end: number
}

const FILE = /^journal-(\d{9})\.ndjson$/
const FILE_MS: Millis = 10_000
/** Older entries are with every replica, or have been given up. */
export const KEPT_MS: Millis = 600_000

function parse(line: string): Line | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? (entry as Line) : undefined
  } catch {
    // A kill or a full disk cut it short, before it was acknowledged, or it is the empty line between two batches.
    return undefined
  }
}
