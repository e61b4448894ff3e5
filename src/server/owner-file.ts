import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Replaces the file or link at a path atomically. By default only its owner may read it. */
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

/** Where a gateway leaves the token of its admin listener, for operators who may read its files. */
export const tokenFile = (stateDir: string): string => join(stateDir, 'admin.token')

/** Writes the token so that only the owner of the process reads it. */
export function saveToken(stateDir: string, token: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  replaceFile(tokenFile(stateDir), `${token}\n`)
}
