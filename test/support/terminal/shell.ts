import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'

/** Whether there is such a shell here; where there is none that is said, and its tests are skipped. */
export function hasShell(shell: string): boolean {
  const { error } = spawnSync(shell, ['--version'])
  if (error) console.warn(`SKIPPED: tests of completion in ${shell}, which is not installed`)
  return !error
}

/** A shell's complaints about a script that it parses without running it; empty if the script is fine. */
export function shellFaults(shell: string, script: string): string {
  const file = join(temporaryFolder('svc-shell'), 'script')
  writeFileSync(file, script)
  const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
  return status === 0 ? stderr : `exit ${status}: ${stderr}`
}
