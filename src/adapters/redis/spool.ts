import { existsSync, mkdirSync } from 'node:fs'
import { appendFile, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settlement } from '../../gateway/store.ts'
import type { Hold } from '../../policy/standing.ts'

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
  #handle: FileHandle | undefined
  #waiting: { readonly line: string; readonly done: () => void; readonly failed: (error: unknown) => void }[] = []
  #writing: Promise<void> | undefined

  /** Keeps its files in `directory`, which no other process may use. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#file = join(directory, 'spool.ndjson')
    this.#telling = join(directory, 'spool.telling.ndjson')
    this.#refused = join(directory, 'spool.refused.ndjson')
  }

  /** Resolves when it is on disk. Rejects when it could not be written. */
  add(entry: Spooled): Promise<void> {
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed })
    })
    this.#writing ??= this.#write()
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
        else await appendFile(this.#refused, `${line}\n`, { flush: true })
      }
      await rm(this.#telling, { force: true })
    }
    return told
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#handle?.close()
    this.#handle = undefined
  }

  /** New entries go to a new file from here on. */
  async #setAside(): Promise<void> {
    await this.#writing
    await this.#handle?.close()
    this.#handle = undefined
    await rename(this.#file, this.#telling)
  }

  /** What comes while one write is under way shares the next. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        this.#handle ??= await open(this.#file, 'a', 0o600)
        // On a line of its own, whatever a crash left of the one before.
        await this.#handle.appendFile(`\n${batch.map(({ line }) => line).join('')}`)
        await this.#handle.datasync()
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.#writing = undefined
  }
}

/** Whole lines: one that a crash cut short was never acknowledged. */
async function linesOf(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.filter(line => line !== '')
}

function parse(line: string): Spooled | undefined {
  try {
    return JSON.parse(line) as Spooled
  } catch {
    // The caller keeps it aside.
    return undefined
  }
}
