import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'

/** A new folder among the temporary files, for as long as the test: its name begins with this. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => removeFolder(folder))
  return folder
}
