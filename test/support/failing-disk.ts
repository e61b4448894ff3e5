import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../lanes/remove-folder.ts'

/** Whether a library can be compiled here that is preloaded into a process. */
export const canFailDisks: boolean = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

/** The operations that a disk answers with EIO. */
export type Failing = 'nothing' | 'writes' | 'reads'

/** The disk below a directory, as a process sees it that is started with `env`: it fails when the test says so. */
export interface FailingDisk {
  /** Assignments for `env`, before the command. */
  readonly env: readonly string[]
  fail(what: Failing): void
  /** Removes its files. */
  remove(): Promise<void>
}

export function makeFailingDisk(under: string): FailingDisk {
  const directory = mkdtempSync(join(tmpdir(), 'failing-disk-'))
  const [library, file] = [join(directory, 'failing-disk.so'), join(directory, 'switch')]
  const source = fileURLToPath(new URL('failing-disk.c', import.meta.url))
  execFileSync('cc', ['-O1', '-Wall', '-shared', '-fPIC', '-pthread', '-o', library, source])
  writeFileSync(file, Buffer.alloc(8))
  return {
    env: [`LD_PRELOAD=${library}`, `FAILING_DISK_FILE=${file}`, `FAILING_DISK_UNDER=${under}`],
    // In place, since processes have the file mapped.
    fail: what => writeFileSync(file, Buffer.of(SWITCH[what], 0, 0, 0, 0, 0, 0, 0), { flag: 'r+' }),
    remove: () => removeFolder(directory),
  }
}

const SWITCH: Readonly<Record<Failing, number>> = { nothing: 0, writes: 1, reads: 2 }
