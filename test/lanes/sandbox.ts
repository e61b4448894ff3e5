import { chmodSync, mkdirSync, mkdtempSync, realpathSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { removeFolderAtExit } from './remove-folder.ts'

/** A memory file system on Linux: a ledger on it is durable at once, where a disk makes every settlement wait for a flush. */
const IN_MEMORY = '/dev/shm'
const IN_MEMORY_MIN_BYTES = 2e9

/** Programs that a test may run without being listed in `PROCESSES`. The shell is the one that POSIX puts at `/bin/sh`. */
const PROGRAMS = ['node', 'npm', 'npx', 'git', 'sh']

/** Settings of the person who runs the tests: no test may read them. */
const PERSONAL = /^(XDG_|SVC_|SVCCTL_|GIT_|NODE_OPTIONS$|npm_(?!config_registry$))/i

/** The folder that tests write to: a home directory, the temporary files, and the programs that `npm test` may run. */
export interface Sandbox {
  /** The value of PATH with those programs alone. */
  readonly path: string
  /** Removes the folder. */
  leave(): void
}

/** Makes a sandbox and moves this process into it: its environment names no other home and no setting of the person. */
export function enterSandbox(): Sandbox {
  const dir = realpathSync(mkdtempSync(join(parentFolder(), 'svc-lane-')))
  const [home, path, temporary] = [join(dir, 'home'), join(dir, 'bin'), join(dir, 'tmp')]
  for (const folder of [home, path, temporary]) mkdirSync(folder)
  // Tests of `npm run test:install` run programs as another user, whose home is among the temporary files.
  for (const folder of [dir, temporary]) chmodSync(folder, 0o711)
  for (const program of PROGRAMS) linkProgram(program, path)
  for (const name of Object.keys(process.env)) if (PERSONAL.test(name)) delete process.env[name]
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = test\nemail = test@example.com\n')
  Object.assign(process.env, { HOME: home, USERPROFILE: home, TMPDIR: temporary })
  return { path, leave: () => removeFolderAtExit(dir) }
}

function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    if (bavail * bsize >= IN_MEMORY_MIN_BYTES) return IN_MEMORY
  } catch {
    // Other systems have none.
  }
  return tmpdir()
}

function linkProgram(name: string, bin: string): void {
  const path = name === 'node' ? process.execPath : pathOf(name)
  if (path !== undefined) symlinkSync(path, join(bin, name))
}

function pathOf(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      return realpathSync(join(folder, name))
    } catch {
      // The next folder may have it.
    }
  }
  return undefined
}
