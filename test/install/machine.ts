import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Running, running } from '../cli/program.ts'
import { removeFolder } from '../lanes/remove-folder.ts'

/** A user who has just come: an empty home, an empty folder, and of programs those that are given. */
export interface Machine {
  readonly folder: string
  /** Runs a program to its end, and returns what it printed. */
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): string
  start(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Running
  remove(): Promise<void>
}

/** The equipment of a machine. */
export interface MachineOptions {
  /** Whether PATH has the folder of Node and npm, and what a Debian has without them; or nothing at all. */
  readonly node: boolean
  /** Whether its user is nobody's, who may write nowhere else. Where the tests may not become another user, they run as their own. */
  readonly ordinary?: boolean
}

const NOBODYS = 43_210

export function newMachine({ node, ordinary = false }: MachineOptions): Machine {
  const home = mkdtempSync(join(tmpdir(), 'svc-machine-'))
  const folder = join(home, 'work')
  mkdirSync(folder)
  const isOther = ordinary && process.getuid?.() === 0
  if (isOther) for (const path of [home, folder]) chownSync(path, NOBODYS, NOBODYS)
  const become = isOther ? ['setpriv', `--reuid=${NOBODYS}`, `--regid=${NOBODYS}`, '--clear-groups'] : []
  const wordsOf = (command: string, args: readonly string[]): [string, readonly string[]] => {
    const [first = command, ...rest] = [...become, command, ...args]
    return [first, rest]
  }
  const own = {
    HOME: home,
    NO_COLOR: '1',
    PATH: node ? `${dirname(process.execPath)}:/usr/bin:/bin` : join(home, 'no-programs'),
    // Where npm finds its packages on this machine, and whose certificate it shows.
    ...Object.fromEntries(
      ['npm_config_registry', 'NODE_EXTRA_CA_CERTS'].flatMap(name =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
  }
  return {
    folder,
    run: (command, args, env) =>
      execFileSync(...wordsOf(command, args), {
        cwd: folder,
        env: { ...own, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    start: (command, args, env) => {
      // npx passes no signal on to what it runs; a terminal signals all of them.
      const child = spawn(...wordsOf(command, args), {
        cwd: folder,
        env: { ...own, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      return running(child, signal => child.pid !== undefined && process.kill(-child.pid, signal))
    },
    remove: () => removeFolder(home),
  }
}
