import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileText } from '../../config/settings.ts'
import { type Change, Journal, machineSteps, type Steps, textIfThere } from './journal.ts'

/**
 * Changes the files of a configuration, all of them or none: if the process ends in the middle, `finish` leaves either
 * the old files or the new ones.
 */
export class ConfigFiles {
  readonly #directory: string
  readonly #main: string
  readonly #steps: Steps
  readonly #journal: Journal

  /** `main` is the absolute path of the main file. */
  constructor(main: string, steps: Steps = machineSteps) {
    this.#main = main
    this.#directory = dirname(main)
    this.#steps = steps
    this.#journal = new Journal(main, steps)
  }

  /** Whether a change was begun and not ended. */
  isUnderWay(): boolean {
    return existsSync(this.#journal.path)
  }

  /** Completes a change that this process or an earlier one began. Resolves to whether there was one. */
  async finish(): Promise<boolean> {
    const change = await this.#journal.read()
    if (!change) return false
    await this.#carryOut(change)
    return true
  }

  /** Rejects with ChangeFailed, whose `whole` is true where the files are the old ones. */
  async change(change: Change): Promise<void> {
    if (change.write.length + change.remove.length === 0) return
    const back = await this.#undoing(change)
    let begun = false
    try {
      for (const directory of this.#directoriesOf(change)) await this.#steps.makeDirectory(directory)
      await this.#journal.begin(change)
      begun = true
      await this.#carryOut(change)
    } catch (error) {
      // A change whose last step fails may have removed the journal, and one that fails to begin may have left it.
      await this.#undo(begun || this.isUnderWay() ? back : undefined, error)
    }
  }

  async #carryOut({ write, remove }: Change): Promise<void> {
    const paths = write.map(({ file }) => resolve(this.#directory, file))
    for (const directory of this.#directoriesOf({ write, remove })) await this.#steps.makeDirectory(directory)
    // All that may fail for want of room or permission, before the first file is another one.
    for (const [at, path] of paths.entries()) await this.#stage(path, write[at]?.text ?? '')
    for (const path of paths) await this.#steps.replace(nextOf(path), path)
    for (const file of remove) await this.#steps.remove(resolve(this.#directory, file))
    await this.#journal.end()
  }

  async #stage(path: string, text: string): Promise<void> {
    const isThere = await access(path, constants.F_OK).then(
      () => true,
      () => false,
    )
    await this.#steps.create(nextOf(path), text, isThere ? path : this.#main)
  }

  /** The change that takes another one back. */
  async #undoing({ write, remove }: Change): Promise<Change> {
    const names = [...write.map(({ file }) => file), ...remove]
    const before = await Promise.all(
      names.map(async file => ({ file, text: await textIfThere(resolve(this.#directory, file)) })),
    )
    const gone = before.flatMap(({ file, text }) => (text === undefined ? [file] : []))
    return {
      write: before.flatMap(({ file, text }): FileText[] => (text === undefined ? [] : [{ file, text }])),
      remove: gone,
    }
  }

  /** Without `back` no file was another one yet. */
  async #undo(back: Change | undefined, cause: unknown): Promise<never> {
    const reason = cause instanceof Error ? cause.message : String(cause)
    try {
      if (!back) await this.#journal.end()
      else {
        for (const file of back.remove) await this.#steps.remove(nextOf(resolve(this.#directory, file)))
        await this.#journal.begin(back)
        await this.#carryOut(back)
      }
    } catch (error) {
      const also = error instanceof Error ? error.message : String(error)
      throw new ChangeFailed(`the files could not be written (${reason}), nor put back (${also})`, false)
    }
    throw new ChangeFailed(`the files could not be written (${reason})${isForbidden(cause) ? ELSEWHERE : ''}`, true)
  }

  #directoriesOf({ write }: Change): ReadonlySet<string> {
    const needed = write.map(({ file }) => dirname(resolve(this.#directory, file)))
    return new Set(needed.filter(directory => directory !== this.#directory))
  }
}

/** The hint for files that come from elsewhere, such as a ConfigMap. */
const ELSEWHERE = ': change them at their source, then run svcctl reload'

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))

/** The files could not be changed. */
class ChangeFailed extends Error {
  override readonly name = 'ChangeFailed'
  /** True where the files are the old ones. Otherwise the next `finish` completes the change. */
  readonly whole: boolean

  constructor(message: string, whole: boolean) {
    super(message)
    this.whole = whole
  }
}

const nextOf = (path: string): string => join(dirname(path), `.${basename(path)}.next`)
