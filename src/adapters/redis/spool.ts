import { existsSync, mkdirSync } from 'node:fs'
import { appendFile, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settlement } from '../../gateway/store/hold-store.ts'
import type { Hold } from '../../policy/standing.ts'
import { isObject } from '../../wire/openai/body.ts'

/** The end of a request that the store could not be told. */
export type Spooled = { readonly settle: Settlement } | { readonly refund: Hold }

/**
 * Ends of requests that wait for the store, in a file of this process: one JSON line each, on disk before the client
 * sees the end of its answer. They are told once the store is back; telling one twice changes nothing.
 */
export class Spool {
  readonly #file: string
  /** What is being told, while new ones go to the file. */
  readonly #telling: string
  readonly #refused: string
  readonly #directory: string
  #handle: FileHandle | undefined
  #waiting: { readonly line: string; readonly done: () => void; readonly failed: (error: unknown) => void }[] = []
  /** One thing at a time is done to the files. */
  #queue: Promise<unknown> = Promise.resolve()

  /** Keeps its files in `directory`, which no other process may use. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#directory = directory
    this.#file = join(directory, 'spool.ndjson')
    this.#telling = join(directory, 'spool.telling.ndjson')
    this.#refused = join(directory, 'spool.refused.ndjson')
  }

  /** Resolves when it is on disk. Rejects when it could not be written. */
  add(entry: Spooled): Promise<void> {
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed })
    })
    // What comes before the write begins shares it.
    if (this.#waiting.length === 1) this.#alone(() => this.#write())
    return written
  }

  /** Whether something waits to be told. */
  get pending(): boolean {
    return existsSync(this.#file) || existsSync(this.#telling)
  }

  /**
   * Tells everything, oldest first, and forgets it. Rejects, with nothing forgotten, when `tell` does. What `tell`
   * finds impossible (false) is kept aside for the operator. Returns how many were told.
   */
  async drain(tell: (entry: Spooled) => Promise<boolean>): Promise<number> {
    let told = 0
    while (this.pending) {
      if (!existsSync(this.#telling)) await this.#setAside()
      for (const line of await linesOf(this.#telling)) {
        const entry = parse(line)
        if (entry && (await tell(entry))) told++
        else await appendFile(this.#refused, `${line}\n`, { flush: true, mode: 0o600 })
      }
      await rm(this.#telling, { force: true })
    }
    return told
  }

  close(): Promise<void> {
    return this.#alone(() => this.#closeFile())
  }

  /** New entries go to a new file from here on. */
  #setAside(): Promise<void> {
    return this.#alone(async () => {
      await this.#closeFile()
      await rename(this.#file, this.#telling)
      await this.#syncDirectory()
    })
  }

  async #write(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const handle = this.#handle ?? (await this.#openFile())
      // On a line of its own, whatever a crash left of the one before.
      await handle.appendFile(`\n${batch.map(({ line }) => line).join('')}`)
      await handle.datasync()
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  async #openFile(): Promise<FileHandle> {
    this.#handle = await open(this.#file, 'a', 0o600)
    await this.#syncDirectory()
    return this.#handle
  }

  async #closeFile(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  /** Names are as durable as what they name. */
  async #syncDirectory(): Promise<void> {
    const directory = await open(this.#directory)
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }

  #alone(run: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(run)
    this.#queue = done.catch(() => {})
    return done
  }
}

/** Whole lines: one that a crash cut short was never acknowledged. */
async function linesOf(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.filter(line => line !== '')
}

function parse(line: string): Spooled | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isSpooled(entry) ? entry : undefined
  } catch {
    // The caller keeps it aside.
    return undefined
  }
}

function isSpooled(entry: unknown): entry is Spooled {
  if (!isObject(entry)) return false
  const { settle, refund } = entry
  return isObject(settle) ? isObject(settle.hold) && isObject(settle.bill) : isObject(refund)
}
