import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether a library can be compiled here that is preloaded into a process. */
export const canFailWrites: boolean = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

/** The disk below a directory, as a process sees it that is started with `env`: its writes fail with EIO when the test says so. */
export interface FailingWrites {
  /** Assignments for `env`, before the command. */
  readonly env: readonly string[]
  fail(isFailing: boolean): void
  /** Removes its files. */
  remove(): void
}

export function makeFailingWrites(under: string): FailingWrites {
  const directory = mkdtempSync(join(tmpdir(), 'failing-writes-'))
  const [library, file] = [join(directory, 'failing-writes.so'), join(directory, 'switch')]
  const source = fileURLToPath(new URL('failing-writes.c', import.meta.url))
  execFileSync('cc', ['-O1', '-Wall', '-shared', '-fPIC', '-o', library, source])
  writeFileSync(file, Buffer.alloc(8))
  return {
    env: [`LD_PRELOAD=${library}`, `FAILING_WRITES_FILE=${file}`, `FAILING_WRITES_UNDER=${under}`],
    // In place, since processes have the file mapped.
    fail: isFailing => writeFileSync(file, Buffer.of(isFailing ? 1 : 0, 0, 0, 0, 0, 0, 0, 0), { flag: 'r+' }),
    remove: () => rmSync(directory, { recursive: true }),
  }
}
