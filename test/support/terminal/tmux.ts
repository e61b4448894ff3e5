import { spawnSync } from 'node:child_process'
import { describe, expect } from 'vitest'
import { endSession } from '../end-session.ts'

/** Whether tmux is on the PATH. */
const hasTmux: boolean = spawnSync('tmux', ['-V']).status === 0

if (!hasTmux) console.warn('SKIPPED: tests that need a terminal. Install it: apt-get install tmux')

/** Tests that need tmux: skipped, and counted as such, where it is missing. */
export const describeTmux: typeof describe.skip = describe.skipIf(!hasTmux)

/** A real terminal of 120 columns and 30 rows, with a shell in it. */
export interface Terminal {
  /** The current screen. */
  screen(): string
  /** The current screen with its escape codes. */
  looks(): string
  /** Resolves once it shows this. */
  shows(text: string | RegExp): Promise<string>
  /** Keys as tmux names them: `Enter`, `C-c`, `Down`; anything else is typed. */
  press(...keys: readonly string[]): void
  /** Whether a program took the screen for itself, and whether the cursor is to be seen. */
  state(): { readonly alternate: boolean; readonly cursor: boolean }
  resize(columns: number, rows: number): void
  /** Ends all that runs in it. */
  close(): Promise<void>
}

let terminals = 0

/** Opens a terminal with a server of its own, so that nobody else's tmux is touched. */
export function openTerminal(env: Readonly<Record<string, string>>, cwd: string): Terminal {
  const server = `svc-${process.pid}-${++terminals}`
  const all = { PATH: process.env.PATH ?? '', HOME: cwd, HISTFILE: '/dev/null', LC_ALL: 'C.UTF-8', ...env }
  const tmux = (...args: readonly string[]): string => {
    const ran = spawnSync('tmux', ['-u', '-L', server, '-f', '/dev/null', ...args], { cwd, env: all, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`tmux ${args.join(' ')}: ${ran.stderr}`)
    return ran.stdout
  }
  tmux('new-session', '-d', '-x', '120', '-y', '30', 'bash --norc --noprofile')
  const screen = () => tmux('capture-pane', '-p')
  return {
    screen,
    looks: () => tmux('capture-pane', '-p', '-e'),
    shows: async text => {
      await expect.poll(screen, { interval: 50 }).toMatch(text)
      return screen()
    },
    press: (...keys) => void tmux('send-keys', ...keys),
    state: () => {
      const [alternate, cursor] = tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').trim().split(' ')
      return { alternate: alternate === '1', cursor: cursor === '1' }
    },
    resize: (columns, rows) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    close: async () => {
      const ask = (...args: readonly string[]) =>
        spawnSync('tmux', ['-L', server, ...args], { encoding: 'utf8' }).stdout
      const shells = ask('list-panes', '-a', '-F', '#{pane_pid}').split('\n').filter(Boolean)
      ask('kill-server')
      for (const shell of shells) await endSession(Number(shell))
    },
  }
}
