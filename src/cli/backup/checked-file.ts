import { type CheckedBackup, checkBackup } from '../../gateway/backup/check.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

/** Reads a whole backup. Fails with CommandFailed where it is not as it was written. */
export async function checkedFile(file: string): Promise<CheckedBackup> {
  return checkBackup(file).catch(error => {
    throw failureOf(file, error) ?? error
  })
}

/** The failure of a backup that cannot be read; undefined for any other error. */
export function failureOf(file: string, error: unknown): CommandFailed | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'BackupDamaged') return new CommandFailed(`✗ ${file} cannot be used: ${error.message}`)
  if (!('syscall' in error && 'code' in error)) return undefined
  const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message
  return new CommandFailed(`✗ ${file} cannot be read: ${reason}`, exitCodes.usage)
}
