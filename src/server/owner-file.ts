import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

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
