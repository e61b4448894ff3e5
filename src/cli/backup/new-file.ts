import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readSeal, SEAL_BYTES } from '../../gateway/backup/seal.ts'
import { synced } from '../../gateway/synced.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

/**
 * Writes a backup to a file that appears only once it is complete and synced, readable by its owner alone. Removes the file and
 * rejects with CommandFailed if the backup arrives incomplete or cannot be written.
 */
export async function writeNewFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  refuseExisting(file)
  await removeParts(file)
  const aside = join(dirname(file), `${partOf(file)}${randomBytes(6).toString('hex')}.part`)
  try {
    const handle = await open(aside, 'wx', 0o600)
    try {
      await writeSealed(handle, bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    refuseExisting(file)
    await rename(aside, file)
    await synced(dirname(file))
  } catch (error) {
    await rm(aside, { force: true })
    throw unwritten(file, error) ?? error
  }
}

const partOf = (file: string): string => `.${basename(file)}.`

/** Removes the leftovers of a killed backup to the same file. */
async function removeParts(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => [])
  const parts = names.filter(name => name.startsWith(partOf(file)) && /\.[0-9a-f]{12}\.part$/.test(name))
  for (const name of parts) await rm(join(dirname(file), name), { force: true })
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new CommandFailed(`✗ ${file} exists: name a new file`, exitCodes.usage)
}

/** Fails unless the last bytes are the seal of all bytes before them: the gateway stopped, or the connection was cut. */
async function writeSealed(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const digest = createHash('sha256')
  let tail = Buffer.alloc(0)
  for await (const chunk of bytes) {
    await handle.appendFile(chunk)
    const last = Buffer.concat([tail, chunk])
    const end = Math.max(0, last.length - SEAL_BYTES)
    digest.update(last.subarray(0, end))
    tail = last.subarray(end)
  }
  const seal = readSeal(tail)
  // The seal of an older gateway is shorter.
  digest.update(tail.subarray(0, tail.length - (seal?.length ?? 0)))
  if (!seal || !digest.digest().equals(seal.digest))
    throw new CommandFailed('✗ the backup broke off; its file was removed')
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; the incomplete file was removed',
  EDQUOT: 'the disk quota is used up; the incomplete file was removed',
  EFBIG: 'it exceeds the maximum file size; the incomplete file was removed',
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory does not exist',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
}

/** The failure of a file that could not be written; undefined for any other error. */
function unwritten(file: string, error: unknown): CommandFailed | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined
  return new CommandFailed(`✗ ${file} cannot be written: ${REASONS[String(error.code)] ?? error.message}`)
}
