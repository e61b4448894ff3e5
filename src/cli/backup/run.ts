import type { Trust } from '../../gateway/backup/read.ts'
import { exitCodes } from '../../server/failure.ts'
import { jsonLine } from '../../wire/printable.ts'
import { withOperator } from '../kit/options.ts'
import { writeOut } from '../kit/terminal.ts'
import type { BackupOptions, VerifyOptions } from './backup.ts'
import { checkedFile, trustOf } from './checked-file.ts'
import { writeNewFile } from './new-file.ts'
import { backupJson, backupText } from './text.ts'

/** Writes a backup, and reads it again: what cannot be restored is no backup. */
export async function backUp(file: string, { json, config }: BackupOptions): Promise<void> {
  await withOperator({ config }, operator => writeNewFile(file, operator.backup()))
  // The key stays with the gateway, which may be another machine's.
  await show(file, { unsigned: true }, json)
}

/** Reads a backup again, and says what it has. Fails where it is not signed by the key that is trusted. */
export async function verify(file: string, { json, ...options }: VerifyOptions): Promise<void> {
  await show(file, await trustOf(options), json)
}

async function show(file: string, trust: Trust, json = false): Promise<void> {
  const checked = await checkedFile(file, trust)
  await writeOut([json ? jsonLine(backupJson(file, checked)) : backupText(file, checked)])
  if (checked.wrong.length > 0) process.exitCode = exitCodes.bad
}
