import { exitCodes } from '../../server/failure.ts'
import { jsonLine } from '../../wire/printable.ts'
import { writeOut } from '../terminal.ts'
import { backupJson, backupText } from './backup-text.ts'
import { checkedFile } from './checked-file.ts'

/** Reads a backup again, and says what it has. */
export async function verify(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const checked = await checkedFile(file)
  await writeOut([json ? jsonLine(backupJson(file, checked)) : backupText(file, checked)])
  if (checked.wrong.length > 0) process.exitCode = exitCodes.bad
}
