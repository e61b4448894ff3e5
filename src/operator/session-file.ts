import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Lock, lockDirectory, StoreLocked } from '../adapters/embedded/store-directory.ts'
import { MOST_OWN_BYTES, readBounded } from '../server/bounded-file.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { replaceFile } from '../server/owner-file.ts'
import { userConfigDir } from '../server/user-dirs.ts'

/** Where svcctl keeps what belongs to its user. */
export const configDir = (): string => userConfigDir('svcctl')

/** The content of a file of svcctl; undefined when there is none. */
export function readJsonFile(path: string): unknown {
  let text: string
  try {
    text = readBounded(path, MOST_OWN_BYTES)
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

/** Runs one change of the files of svcctl while no other process changes them. */
export async function locked<T>(change: () => Promise<T> | T): Promise<T> {
  const lock = await lockOwn()
  try {
    return await change()
  } finally {
    await lock.release()
  }
}

async function lockOwn(): Promise<Lock> {
  const directory = configDir()
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return await lockDirectory(directory, LOCK_PATIENCE_MS)
  } catch (error) {
    if (error instanceof StoreLocked)
      throw new CommandFailed(
        `✗ another svcctl has been changing ${directory} for ${LOCK_PATIENCE_MS / 1000} s: try again`,
        exitCodes.unreachable,
      )
    throw new CommandFailed(`✗ ${directory} cannot be locked: ${messageOf(error)}`)
  }
}

/** A renewal asks the provider twice, and each answer may take 10 s. */
const LOCK_PATIENCE_MS = 30_000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
