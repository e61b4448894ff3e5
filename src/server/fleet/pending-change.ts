import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MOST_LINE_BYTES, readBounded } from '../bounded-file.ts'
import { replaceFile } from '../owner-file.ts'

/**
 * The id of a change of all gateways that this one has promised to take, and perhaps has not: a file in its state
 * directory, so that the next start knows of it.
 */
export class PendingChange {
  readonly #path: string
  #id: string | undefined

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'fleet-change')
    this.#id = readIfThere(this.#path)
  }

  get id(): string | undefined {
    return this.#id
  }

  /** On the disk once it returns. */
  keep(id: string): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    replaceFile(this.#path, `${id}\n`)
    this.#id = id
  }

  /** Forgets it: this gateway has taken it, or need not. */
  clear(): void {
    rmSync(this.#path, { force: true })
    this.#id = undefined
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readBounded(path, MOST_LINE_BYTES).trim() || undefined
  } catch {
    return undefined
  }
}
