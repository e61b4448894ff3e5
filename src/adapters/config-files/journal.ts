import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { FileText } from '../../config/settings.ts'
import { type Steps, textIfThere } from './steps.ts'

/** The files that a change writes and removes, by names relative to the directory of the main one. */
export interface Change {
  readonly write: readonly FileText[]
  readonly remove: readonly string[]
}

/** A file with the change under way: it exists from the moment the change is sure to happen until it has happened. */
export class Journal {
  /** Hidden, so that no pattern of an `include` finds it. */
  readonly path: string
  readonly #steps: Steps

  constructor(main: string, steps: Steps) {
    this.path = join(dirname(main), `.${basename(main)}.apply`)
    this.#steps = steps
  }

  /** After this the change happens even if the process ends. Replaces a change under way. */
  async begin(change: Change): Promise<void> {
    const next = `${this.path}.next`
    await this.#steps.create(next, JSON.stringify({ sum: sumOf(change), ...change }))
    await this.#steps.replace(next, this.path)
  }

  /** The change under way; undefined where there is none. Rejects with DamagedJournal. */
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
