import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'

export const CHROOT = '/usr/sbin/chroot'

/** Whether this user may have programs run in a root of their own. */
const mayChroot: boolean = spawnSync(CHROOT, ['/', process.execPath, '--version']).status === 0
/** Whether this user may have programs see mounts of their own. */
export const mayMount: boolean = mayChroot && spawnSync('unshare', ['--mount', 'true']).status === 0
if (!mayChroot) console.warn('SKIPPED: a root of its own needs a user who may chroot')

/** A root with these programs, by the paths that they have there, the libraries that they are linked with, and nothing else. */
export function rootWith(programs: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-root-'))
  // Other users go through it.
  chmodSync(root, 0o755)
  onTestFinished(() => removeFolder(root))
  for (const [to, from] of Object.entries(programs)) {
    const linked = execFileSync('ldd', [from], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
    for (const file of linked) put(root, realpathSync(file), file)
    put(root, realpathSync(from), to)
  }
  // Each container has it, and Node takes no connection without it.
  mkdirSync(join(root, 'dev'))
  writeFileSync(join(root, 'dev/null'), '')
  mkdirSync(join(root, 'tmp'), { mode: 0o777 })
  return root
}

function put(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true })
  cpSync(from, join(root, to), { recursive: true })
}
