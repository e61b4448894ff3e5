import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../../lanes/remove-folder.ts'

/** Whether a library can be compiled here that is preloaded into a server. */
export const canSetClocks: boolean = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

/** The time of day of a server, which a test sets while it runs. */
export interface SetClock {
  /** The environment of the server. */
  readonly env: Readonly<Record<string, string>>
  /** Sets it ahead of the clock of this machine, or back. */
  setTo(aheadMs: number): void
  /** Removes its files. */
  remove(): Promise<void>
}

export function makeClock(): SetClock {
  const directory = mkdtempSync(join(tmpdir(), 'set-clock-'))
  const [library, file] = [join(directory, 'set-clock.so'), join(directory, 'shift')]
  const source = fileURLToPath(new URL('set-clock.c', import.meta.url))
  execFileSync('cc', ['-O1', '-Wall', '-shared', '-fPIC', '-o', library, source])
  const setTo = (aheadMs: number) => {
    const shift = Buffer.alloc(8)
    shift.writeBigInt64LE(BigInt(aheadMs))
    // In place, since the server has the file mapped.
    writeFileSync(file, shift, { flag: 'r+' })
  }
  writeFileSync(file, Buffer.alloc(8))
  return {
    env: { LD_PRELOAD: library, SET_CLOCK_FILE: file },
    setTo,
    remove: () => removeFolder(directory),
  }
}
