import { existsSync } from 'node:fs'
import { type CheckedBackup, checkBackup } from '../../gateway/backup/check.ts'
import type { Trust } from '../../gateway/backup/read.ts'
import { loadToShow } from '../../operator/load-files.ts'
import { backupKeyFile, readBackupKey } from '../../server/backup-key.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import type { TrustOptions } from './trust-options.ts'

/** The key that must have signed a backup: the one that is named, or else that of the gateway whose files these are, if both are on this machine. */
export async function trustOf({
  key: named,
  unsigned,
  config,
}: TrustOptions & { readonly config: string }): Promise<Trust> {
  const file = named ?? (existsSync(config) ? backupKeyFile(loadToShow(config).settings.server.stateDir) : undefined)
  const key = file === undefined ? undefined : await readBackupKey(file)
  if (named !== undefined && !key) throw new CommandFailed(`✗ ${named} cannot be read: no such file`, exitCodes.usage)
  return { key, ...(unsigned && { unsigned }) }
}

/** Reads a whole backup. Fails with CommandFailed where it is not as it was written, or is not trusted. */
export async function checkedFile(file: string, trust: Trust): Promise<CheckedBackup> {
  return checkBackup(file, trust).catch(error => {
    throw failureOf(file, error) ?? error
  })
}

/** The failure of a backup that cannot be read; undefined for any other error. */
export function failureOf(file: string, error: unknown): CommandFailed | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'BackupUntrusted')
    return new CommandFailed(
      `✗ ${file} is not trusted: ${error.message}\n  --key FILE names the key that signed it; --unsigned accepts it as it is`,
    )
  if (error.name === 'BackupDamaged') return new CommandFailed(`✗ ${file} cannot be used: ${error.message}`)
  if (!('syscall' in error && 'code' in error)) return undefined
  const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message
  return new CommandFailed(`✗ ${file} cannot be read: ${reason}`, exitCodes.usage)
}
