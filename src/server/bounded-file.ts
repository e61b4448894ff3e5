import { closeSync, openSync, readSync } from 'node:fs'
import { CommandFailed } from './failure.ts'

/**
 * Reads a UTF-8 file, or stdin as 0, of at most `mostBytes`. Throws as `readFileSync` does, or an Error if the file is larger. It
 * reads no further than that, not even from a pipe or a device.
 */
export const readBounded = (path: string | 0, mostBytes: number): string =>
  readBoundedBytes(path, mostBytes).toString('utf8')

/** Reads a file of bytes up to a size. */
export function readBoundedBytes(path: string | 0, mostBytes: number): Buffer {
  const file = path === 0 ? path : openSync(path, 'r')
  try {
    const chunks: Buffer[] = []
    for (let size = 0; ; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, mostBytes + 1 - size))
      const bytes = readSync(file, chunk)
      if (bytes === 0) return Buffer.concat(chunks, size)
      size += bytes
      if (size > mostBytes) throw new Error(`it is larger than ${sizeText(mostBytes)}`)
      chunks.push(chunk.subarray(0, bytes))
    }
  } finally {
    if (file !== 0) closeSync(file)
  }
}

/** The line in a file that a gateway wrote; undefined if the file does not exist. Throws CommandFailed, whose message names `what`. */
export function readOwn(file: string, what: string): string | undefined {
  try {
    return readBounded(file, MOST_LINE_BYTES)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ ${what} in ${file} cannot be read: ${reason}`)
  }
}

/** The limit for sessions, profiles and certificates. */
export const MOST_OWN_BYTES = 1_000_000
/** The limit for a token, a secret or a name on one line. */
export const MOST_LINE_BYTES = 64_000

const CHUNK = 64 * 1024

const sizeText = (bytes: number): string => (bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes / 1e3} KB`)
