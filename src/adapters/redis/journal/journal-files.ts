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
  #waiting: { readonly line: string; readonly done: () => void }[] = []
  /** Written before, with the number behind their last entry; the newest is at the end. */
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

  /** What a process before this one wrote lately, in the order in which it did. */
  async readLeft(): Promise<readonly Acknowledged[]> {
    const names = (await readdir(this.#directory)).filter(name => FILE.test(name)).sort()
    this.#count = names.length === 0 ? 0 : Number(FILE.exec(names.at(-1) ?? '')?.[1]) + 1
    const left: Acknowledged[] = []
    for (const name of names) {
      const file = join(this.#directory, name)
      for (const line of (await readFile(file, 'utf8')).split('\n')) {
        const entry = parse(line)
        if (entry && entry.at > Date.now() - LEFT_MS) left.push(entry.what)
      }
      this.#written.push({ file, end: left.length })
    }
    return left
  }

  /** Resolves when the kernel has the entry, or cannot take it. */
  append(what: Acknowledged, number: number): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ line: `${JSON.stringify({ at: Date.now(), ...what })}\n`, done })
      if (this.#waiting.length === 1) this.#alone(() => this.#write(number))
    })
  }

  /** Removes the files all of whose entries come before a number. */
  forgetBefore(number: number): void {
    const over = this.#written.filter(({ end }) => end <= number && this.#written.at(-1)?.end !== end)
    if (over.length === 0) return
    this.#written = this.#written.filter(each => !over.includes(each))
    this.#alone(() => this.#remove(over))
  }

  /** What cannot be removed is tried again with the next ones: a successor has its entries once more, and they change nothing. */
  async #remove(over: readonly Written[]): Promise<void> {
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
    await this.#alone(async () => this.#handle?.close())
  }

  async #write(first: number): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const handle = await this.#current(first)
      // An empty line first: a full disk may have taken half a line of the batch before.
      await handle.appendFile(`\n${batch.map(({ line }) => line).join('')}`)
      const newest = this.#written.at(-1)
      if (newest) newest.end = first + batch.length
      this.#isFailing = false
    } catch (error) {
      // In memory it is kept all the same.
      if (!this.#isFailing)
        this.#alarm('the journal of what Redis acknowledged cannot be written', { error: String(error) })
      this.#isFailing = true
    }
    for (const { done } of batch) done()
  }

  async #current(first: number): Promise<FileHandle> {
    if (this.#handle && performance.now() - this.#since < FILE_MS) return this.#handle
    const before = this.#handle
    this.#handle = undefined
    await before?.close()
    const file = join(this.#directory, `journal-${String(this.#count++).padStart(9, '0')}.ndjson`)
    this.#handle = await open(file, 'a', 0o600)
    this.#since = performance.now()
    this.#written.push({ file, end: first })
    return this.#handle
  }

  #alone(run: () => Promise<unknown>): Promise<unknown> {
    const done = this.#queue.then(run)
    this.#queue = done.catch(() => {})
    return done
  }
}

interface Written {
  readonly file: string
  end: number
}

const FILE = /^journal-(\d{9})\.ndjson$/
const FILE_MS: Millis = 10_000
/** Older ones are with every replica, or have been given up. */
const LEFT_MS: Millis = 600_000

function parse(line: string): { readonly at: EpochMs; readonly what: Acknowledged } | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (!isObject(entry)) return undefined
    const { at, ...what } = entry
    return { at: Number(at), what: what as unknown as Acknowledged }
  } catch {
    // A kill or a full disk cut it short, before it was acknowledged, or it is the empty line between two batches.
    return undefined
  }
}
