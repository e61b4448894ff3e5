import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../support/child-env.ts'
import type { Program, Ran } from './program.ts'

const script = fileURLToPath(new URL('in-turn.js', import.meta.url))

/** One command and what it is told besides. */
export interface Command {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** How the commands are run; `dir` is where they run, and where the list of them is left. */
interface Turn {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
  /** Shell code around the one process that runs them all: a reader of its stdout, or a terminal. */
  readonly around: (command: string) => string
}

/** Runs commands of the real svcctl in one process, one after the other. Rejects when one of them ended it. */
export async function runInTurn(program: Program, commands: readonly Command[], turn: Turn): Promise<readonly Ran[]> {
  const list = join(turn.dir, '.commands.json')
  const heard = join(turn.dir, '.stderr')
  writeFileSync(list, JSON.stringify(commands))
  const command = turn.around(`'${process.execPath}' '${script}' '${program.main}' '${list}' 2> '${heard}'`)
  const { code, stdout, stderr } = await program.shell(`${command}; code=$?; cat '${heard}' >&2; exit $code`, {
    cwd: turn.dir,
    env: { NO_COLOR: '', TERM: 'xterm', ...turn.env },
  })
  const [said, told] = [partsOf(stdout), partsOf(stderr)]
  if (code !== 0 || told.length !== commands.length) {
    throw new Error(`${commands[told.length]?.args.join(' ')} ended the process with ${code}: ${stderr}`)
  }
  return told.map(({ text, code }, index) => ({ code, stdout: said[index]?.text ?? '', stderr: text }))
}

/** A process that runs commands as they come, one after the other. */
export interface Turns {
  /** Rejects when the command ends the process. */
  run(args: readonly string[], options: Required<Pick<Turn, 'env'>> & { readonly cwd: string }): Promise<Ran>
  end(): Promise<void>
}

/** The real svcctl in one process, for files whose tests run many commands and hear of each what it says. */
export function openTurns(program: Program): Turns {
  const child = spawn(process.execPath, [script, program.main], {
    env: childEnv({ NO_COLOR: '1' }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const over = once(child, 'exit')
  const said = { stdout: '', stderr: '' }
  let heard = () => {}
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
      heard()
    })
  }
  const run = async (args: readonly string[], options: object): Promise<Ran> => {
    child.send({ args, ...options })
    const ended = over.then(() => {
      throw new Error(`${args.join(' ')} ended the process: ${said.stderr}`)
    })
    const told = new Promise<Ran>(resolve => {
      heard = () => {
        // Looked through once, when all is there.
        if (!said.stdout.endsWith('\0') || !said.stderr.endsWith('\0')) return
        const [out, err] = [partsOf(said.stdout)[0], partsOf(said.stderr)[0]]
        if (!out || !err) return
        said.stdout = ''
        said.stderr = ''
        resolve({ code: err.code, stdout: out.text, stderr: err.text })
      }
    })
    return Promise.race([told, ended])
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (args, options) => {
      const next = last.then(() => run(args, options))
      last = next.catch(() => {})
      return next
    },
    end: async () => {
      child.kill('SIGKILL')
      await over
    },
  }
}

/** The output up to each mark, with the exit code in it. */
const partsOf = (text: string): readonly { readonly text: string; readonly code: number }[] =>
  [...text.matchAll(/([^\0]*)\0(\d+)\0/g)].map(([, text = '', code]) => ({ text, code: Number(code) }))

/** A reader of all that is written. */
export const piped = (command: string): string => `set -o pipefail; ${command} | cat`

/** A reader that has left before anything is written. */
export const unread = (command: string): string =>
  `set +o pipefail; { ${command}; echo $? >&3; } 3>.code | true; (exit $(cat .code))`

/** A terminal, whose lines end with a carriage return too. */
export const onTerminal = (command: string): string =>
  `script --quiet --return --command "${command}" /dev/null < /dev/null`
