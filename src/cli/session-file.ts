import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { CommandFailed } from './talk.ts'

/** Where svcctl keeps what belongs to its user. https://specifications.freedesktop.org/basedir-spec */
export function configDir(): string {
  const home = process.env.XDG_CONFIG_HOME ?? ''
  // A relative one counts as none.
  return join(isAbsolute(home) ? home : join(homedir(), '.config'), 'svcctl')
}

/** What a file of ours holds; undefined when there is none. */
export function readJsonFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CommandFailed(`✗ ${path} cannot be read: ${messageOf(error)}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's text quotes the file, which holds tokens.
    throw new CommandFailed(`✗ ${path} is not JSON: remove it`)
  }
}

/** Replaces a file at once, so that a crash leaves the old or the new one. Only its owner may read it, or its folder. */
export function writePrivate(path: string, value: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    chmodSync(dirname(path), 0o700)
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`)
  } catch (error) {
    throw new CommandFailed(`✗ ${path} cannot be written: ${messageOf(error)}`)
  }
}

/** Puts a new file in the place of whatever is there, also of a link, at once. By default only its owner may read it. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = openSync(next, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      // Not at its opening, where the umask would take from it.
      if (mode !== 0o600) fchmodSync(file, mode)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
