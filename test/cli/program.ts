import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../support/child-env.ts'
import { compiledBy } from './compiled.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The result of a run of svcctl. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A svcctl that keeps running. */
export interface Running {
  /** Everything it has said so far. */
  readonly said: () => string
  /** Resolves with what it has said once this is part of it; rejects when it ends first. */
  until(text: string | RegExp): Promise<string>
  /** Sends the signal, and lets it run on. */
  signal(signal: NodeJS.Signals): void
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** Sends the signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** The real svcctl, compiled from the sources as they are. */
export interface Program {
  run(args: readonly string[], options?: Options): Promise<Ran>
  /** The compiled main module. */
  readonly main: string
  /** The folder of the compiled demo. */
  readonly demo: string
  shell(command: string, options?: Options): Promise<Ran>
  start(args: readonly string[], options?: Options): Running
  /** Ends what still runs. */
  end(): Promise<void>
}

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The sources as they are, and what is started of them. */
export function compileProgram(): Program {
  const { gateway, demo } = compiledBy(process.ppid)
  return programOf(join(gateway, 'cli/main.js'), demo)
}

/** The entry points of a compiled main module. */
export function programOf(main: string, demo: string): Program {
  const children = new Set<ChildProcess>()
  const launch = (command: string, words: readonly string[], { cwd = root, env = {} }: Options = {}) => {
    const child = spawn(command, words, {
      cwd,
      env: childEnv({ NO_COLOR: '1', ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const ran = async (child: ReturnType<typeof launch>): Promise<Ran> => {
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', bytes => (said.stdout += bytes))
    child.stderr.on('data', bytes => (said.stderr += bytes))
    const [code] = await once(child, 'close')
    return { code, ...said }
  }
  return {
    main,
    demo,
    run: (words, options) => ran(launch(process.execPath, [main, ...words], options)),
    shell: (command, options) => ran(launch('bash', ['-c', command], options)),
    start: (words, options) => running(launch(process.execPath, [main, ...words], options)),
    end: async () => {
      await Promise.all([...children].map(child => child.kill('SIGKILL') && once(child, 'exit')))
    },
  }
}

/** A process that was started, and what it says; `kill` sends it signals. */
export function running(child: ChildProcess, kill = (signal: NodeJS.Signals): unknown => child.kill(signal)): Running {
  let text = ''
  const heard = new Set<() => void>()
  const hear = (bytes: Buffer) => {
    text += bytes
    for (const listener of [...heard]) listener()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const ended = once(child, 'close')
  const code = ended.then(([exitCode]): number | null => exitCode)
  return {
    said: () => text,
    until: wanted =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!(typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text))) return
          heard.delete(look)
          resolve(text)
        }
        heard.add(look)
        look()
        ended.then(() => reject(new Error(`ended before it said ${wanted}:\n${text}`)))
      }),
    signal: signal => void kill(signal),
    ended: code,
    end: (signal = 'SIGTERM') => {
      kill(signal)
      return code
    },
  }
}
