import { join } from 'node:path'
import { BackupKey } from '../gateway/backup/key.ts'
import type { Random } from '../gateway/ports.ts'
import { readOwn } from './bounded-file.ts'
import { CommandFailed } from './failure.ts'
import { createOnce } from './owner-file.ts'

/** Where a gateway keeps the key that signs its backups. */
export const backupKeyFile = (stateDir: string): string => join(stateDir, 'backup-key')

/** The key of a gateway. The first backup makes one; gateways on one store may share it by a copy of the file. */
export async function ensureBackupKey(stateDir: string, random: Random): Promise<BackupKey> {
  const file = backupKeyFile(stateDir)
  const known = await readBackupKey(file)
  if (known) return known
  await createOnce(file, `${Buffer.from(random(BackupKey.BYTES)).toString('base64url')}\n`, random)
  const made = await readBackupKey(file)
  if (!made) throw new CommandFailed(`✗ the key that signs backups could not be kept in ${file}`)
  return made
}

/** The key in a file; undefined where there is no such file. Rejects with CommandFailed where it holds no key. */
export async function readBackupKey(file: string): Promise<BackupKey | undefined> {
  const text = readOwn(file, 'the key that signs backups')
  if (text === undefined) return undefined
  const secret = Buffer.from(text.trim(), 'base64url')
  if (secret.length === BackupKey.BYTES) return new BackupKey(secret)
  throw new CommandFailed(`✗ ${file} is not a backup signing key: a gateway writes one of ${BackupKey.BYTES} bytes`)
}
