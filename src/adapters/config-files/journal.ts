import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FileText } from '../../config/settings.ts'
import { synced } from '../../gateway/synced.ts'

/** The files that a change writes and removes, by names relative to the directory of the main one. */
export interface Change {
  readonly write: readonly FileText[]
  readonly remove: readonly string[]
}

/** A file with the change in flight: it exists from the moment the change is sure to happen until it has happened. */
export class Journal {
  /** Hidden, so that no pattern of an `include` finds it. */
  readonly path: string
  readonly #steps: Steps

  constructor(main: string, steps: Steps) {
    this.path = join(dirname(main), `.${basename(main)}.apply`)
    this.#steps = steps
  }

  /** After this the change happens even if the process ends. Replaces a change in flight. */
  async begin(change: Change): Promise<void> {
    const next = `${this.path}.next`
    await this.#steps.create(next, JSON.stringify({ sum: sumOf(change), ...change }))
    await this.#steps.replace(next, this.path)
  }

  /** The change in flight; undefined where there is none. Rejects with DamagedJournal. */
  async read(): Promise<Change | undefined> {
    const text = await textIfThere(this.path)
    if (text === undefined) return undefined
    const change = changeIn(text)
    if (!change)
      throw new DamagedJournal(`${this.path} is damaged: remove it once the files beside it are as they should be`)
    return change
  }

  /** Removes the journal: the change has happened, or is given up. */
  async end(): Promise<void> {
    await this.#steps.remove(`${this.path}.next`)
    await this.#steps.remove(this.path)
  }
}

/** A journal that cannot be read: how far the change of the files came is unknown. */
class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal'
}

const sumOf = ({ write, remove }: Change): string =>
  createHash('sha256')
    .update(JSON.stringify([write.map(({ file, text }) => [file, text]), remove]))
    .digest('hex')

function changeIn(text: string): Change | undefined {
  try {
    const { sum, write, remove } = JSON.parse(text) as Partial<Change & { sum: string }>
    if (!write || !remove || sum !== sumOf({ write, remove })) return undefined
    return { write, remove }
  } catch {
    return undefined
  }
}

/** The steps that change files. A step that resolved survives a crash. */
export interface Steps {
  /** Makes a directory, and those above it. */
  makeDirectory(path: string): Promise<void>
  /** Writes a new file whole; only its owner reads it, unless it is to be `like` another file. */
  create(path: string, text: string, like?: string): Promise<void>
  /** Puts one file in the place of another, or where none was. */
  replace(from: string, to: string): Promise<void>
  /** Removes a file, which need not be there. */
  remove(path: string): Promise<void>
}

/** The steps on the disk of this machine. */
export const machineSteps: Steps = {
  makeDirectory: async path => {
    await mkdir(path, { recursive: true })
    await synced(dirname(path))
  },
  create: async (path, text, like) => {
    // An existing file may be a link to another place.
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
      if (like !== undefined) {
        const { mode, uid, gid } = await stat(like)
        await file.chmod(mode & 0o777)
        // Only root may change the owner; another user has files of its own anyway.
        await file.chown(uid, gid).catch(() => {})
      }
      await file.sync()
    } finally {
      await file.close()
    }
  },
  replace: async (from, to) => {
    await rename(from, to)
    await synced(dirname(to))
  },
  remove: async path => {
    await rm(path, { force: true })
    // Where the directory is gone too, there is no name to make durable.
    if (existsSync(dirname(path))) await synced(dirname(path))
  },
}

/** The text of a file; undefined where there is none. Rejects where it cannot be read. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
}
