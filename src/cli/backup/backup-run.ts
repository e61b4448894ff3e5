import { exitCodes } from '../../server/failure.ts'
import { jsonLine } from '../../wire/printable.ts'
import { withOperator } from '../options.ts'
import { writeOut } from '../terminal.ts'
import type { BackupOptions } from './backup.ts'
import { backupJson, backupText } from './backup-text.ts'
import { checkedFile } from './checked-file.ts'
import { writeNewFile } from './new-file.ts'

/** Writes a backup, and reads it again: what cannot be restored is no backup. */
export async function backUp(file: string, { json, config }: BackupOptions): Promise<void> {
  await withOperator({ config }, operator => writeNewFile(file, operator.backup()))
  await verify(file, { ...(json && { json }) })
}

/** Reads a backup again, and says what it has. */
export async function verify(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const checked = await checkedFile(file)
  await writeOut([json ? jsonLine(backupJson(file, checked)) : backupText(file, checked)])
  if (checked.wrong.length > 0) process.exitCode = exitCodes.bad
}
