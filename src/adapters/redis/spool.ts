import { existsSync, mkdirSync } from 'node:fs'
import { appendFile, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settlement } from '../../gateway/store/hold-store.ts'
import { synced } from '../../gateway/synced.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import { isObject } from '../../wire/json-safety.ts'

/** The end of a request that waits for the store. */
export type Spooled = { readonly settle: Settlement } | { readonly refund: Hold }

/** Whether an entry was written, is never to be, or waits on. */
export type Drained = boolean | 'later'

/**
 * Ends of requests that wait for the store, in a file of this process: one JSON line each, on disk before the client
 * sees the end of its answer. They are written to the store once it is back; writing one twice changes nothing.
 */
export class Spool {
  readonly #file: string
  /** The file that is being drained, while new entries go to `#file`. */
  readonly #draining: string
  readonly #refused: string
  readonly #directory: string
  #handle: FileHandle | undefined
  #waiting: { readonly line: string; readonly done: () => void; readonly failed: (error: unknown) => void }[] = []
  /** Operations on the files, one at a time. */
  #queue: Promise<unknown> = Promise.resolve()

  /** Keeps its files in `directory`, which no other process may use. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#directory = directory
    this.#file = join(directory, 'spool.ndjson')
    this.#draining = join(directory, 'spool.telling.ndjson')
    this.#refused = join(directory, 'spool.refused.ndjson')
  }

  /** Resolves when the entry is on disk. Rejects when it could not be written. */
  add(entry: Spooled): Promise<void> {
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed })
    })
    // Entries that arrive before the write begins share it.
    if (this.#waiting.length === 1) this.#alone(() => this.#write())
    return written
  }

  /** Whether entries wait for the store. */
  get pending(): boolean {
    return existsSync(this.#file) || existsSync(this.#draining)
  }

  /**
   * Passes all entries to `write`, oldest first, and removes them. Rejects, and removes none, when `write` rejects. An
   * entry for which `write` resolves to false is kept aside for the operator, and one that is to wait on stays. Resolves to
   * how many were written.
   */
  async drain(write: (entry: Spooled) => Promise<Drained>): Promise<number> {
    let written = 0
    while (this.pending) {
      if (!existsSync(this.#draining)) await this.#setAside()
      const waitOn: Spooled[] = []
      for (const line of await linesOf(this.#draining)) {
        const entry = parse(line)
        const drained = entry && (await write(entry))
        if (entry && drained === 'later') waitOn.push(entry)
        else if (drained) written++
        else await this.#setAsideLine(line)
      }
      // They are in the new file before the old one goes.
      await Promise.all(waitOn.map(entry => this.add(entry)))
      await rm(this.#draining, { force: true })
      if (waitOn.length > 0) return written
    }
    return written
  }

  /** Keeps an entry aside that is never to be written, for the operator. */
  refuse(entry: Spooled): Promise<void> {
    return this.#setAsideLine(JSON.stringify(entry))
  }

  #setAsideLine(line: string): Promise<void> {
    return appendFile(this.#refused, `${line}\n`, { flush: true, mode: 0o600 })
  }

  close(): Promise<void> {
    return this.#alone(() => this.#closeFile())
  }

  /** New entries go to a new file from here on. */
  #setAside(): Promise<void> {
    return this.#alone(async () => {
      await this.#closeFile()
      await rename(this.#file, this.#draining)
      await synced(this.#directory)
    })
  }

  async #write(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const handle = this.#handle ?? (await this.#openFile())
      // An empty line first: a crash may have left half a line before.
      await handle.appendFile(`\n${batch.map(({ line }) => line).join('')}`)
      await handle.datasync()
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  async #openFile(): Promise<FileHandle> {
    this.#handle = await open(this.#file, 'a', 0o600)
    await synced(this.#directory)
    return this.#handle
  }

  async #closeFile(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  #alone(run: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(run)
    this.#queue = done.catch(() => {})
    return done
  }
}

/** The whole lines of a file: one that a crash cut short was never acknowledged. */
async function linesOf(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.filter(line => line !== '')
}

function parse(line: string): Spooled | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isSpooled(entry) ? entry : undefined
  } catch {
    // Undefined makes the caller keep the line aside.
    return undefined
  }
}

function isSpooled(entry: unknown): entry is Spooled {
  if (!isObject(entry)) return false
  const { settle, refund } = entry
  return isObject(settle) ? isObject(settle.hold) && isObject(settle.bill) : isObject(refund)
}
