import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { MOST_OWN_BYTES, readBoundedBytes } from '../../server/bounded-file.ts'
import { CommandFailed } from '../../server/failure.ts'
import { replaceFile } from '../../server/owner-file.ts'

/** A file of an agent as it is on disk. */
export interface OnDisk {
  /** Behind all links: this is the file that is replaced. */
  readonly path: string
  /** Undefined where there is no file yet. */
  readonly text: string | undefined
  readonly mode: number
}

/**
 * Reads a file below the home directory that is to be changed. Rejects, before anything is changed, whatever could not be
 * changed without loss: a link that leads nowhere, a device, a file of another user or with a second name, one that cannot be
 * written, and a text that is not UTF-8.
 */
export function readForChange(below: string): OnDisk {
  const path = join(homeDir(), below)
  if (lstat(path)?.isSymbolicLink() && !existsSync(path)) throw refused(path, 'is a link that leads nowhere')
  if (!existsSync(path)) {
    checkWritable(firstThere(dirname(path)), path)
    return { path, text: undefined, mode: NEW_MODE }
  }
  const real = realpathSync(path)
  const stat = statSync(real)
  if (!stat.isFile()) throw refused(path, 'is not a regular file')
  if (stat.uid !== process.getuid?.()) throw refused(path, 'belongs to another user')
  if (stat.nlink > 1) throw refused(path, 'has another name (a hard link), which would keep the old content')
  checkWritable(real, path)
  checkWritable(dirname(real), path)
  return { path: real, text: textOf(real), mode: stat.mode & 0o777 }
}

/** The home directory in which agents look for their files. */
export const homeDir = (): string => process.env.HOME || homedir()

/** A file of settings may hold a key. */
const NEW_MODE = 0o600

function lstat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

const firstThere = (folder: string): string => (existsSync(folder) ? folder : firstThere(dirname(folder)))

function checkWritable(path: string, named: string): void {
  try {
    accessSync(path, constants.W_OK)
  } catch {
    throw refused(named, `cannot be written: this user has no permission to write ${path}`)
  }
}

function textOf(path: string): string {
  let bytes: Buffer
  try {
    bytes = readBoundedBytes(path, MOST_OWN_BYTES)
  } catch (error) {
    throw refused(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw refused(path, 'is not UTF-8')
  return text
}

/** Writes a file whole, unless it changed since it was read; `text` undefined removes it. Returns the folders that it made. */
export function writeChanged({ path, text: read, mode }: OnDisk, text: string | undefined): readonly string[] {
  if (currentText(path) !== read) throw refused(path, 'was changed meanwhile by another program: run the command again')
  try {
    if (text === undefined) {
      rmSync(path)
      return []
    }
    const made = missingFolders(dirname(path))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    replaceFile(path, text, mode)
    return made
  } catch (error) {
    throw refused(path, `cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The text of a file now; undefined where there is none. */
export const currentText = (path: string): string | undefined => (existsSync(path) ? textOf(path) : undefined)

/** Outermost first. */
const missingFolders = (folder: string): readonly string[] =>
  existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder]

/** Removes folders that are empty again. */
export function removeFolders(made: readonly string[]): void {
  for (const folder of made.toReversed())
    try {
      rmdirSync(folder)
    } catch {
      // Something else is in it by now.
      return
    }
}

const refused = (path: string, problem: string): CommandFailed =>
  new CommandFailed(`✗ ${path} ${problem}. Nothing was changed.`)
