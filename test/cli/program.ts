import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderOf } from './compiled.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a run of svcctl left. */
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

/** Where the sources were compiled to: once for all the files that a worker runs. */
let compiled: string | undefined

function compile(): string {
  const out = folderOf(process.ppid, process.pid)
  const demo = demoOf(out)
  tsc('demo/tsconfig.json', join(demo, 'dist'))
  cpSync(join(root, 'demo/package.json'), join(demo, 'package.json'))
  tsc('tsconfig.build.json', out)
  return out
}

/** Where the package of the demo is compiled to: nearer to the compiled gateway than the one that npm linked. */
const demoOf = (out: string): string => join(out, 'node_modules/svc-gateway-demo')

function tsc(project: string, out: string): void {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--outDir', out]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout + stderr)
}

/** The sources as they are, and what is started of them. */
export function compileProgram(): Program {
  compiled ??= compile()
  const main = join(compiled, 'cli/main.js')
  const children = new Set<ChildProcess>()
  const launch = (command: string, words: readonly string[], { cwd = root, env = {} }: Options = {}) => {
    const child = spawn(command, words, {
      cwd,
      env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
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
    demo: join(demoOf(compiled), 'dist'),
    run: (words, options) => ran(launch(process.execPath, [main, ...words], options)),
    shell: (command, options) => ran(launch('bash', ['-c', command], options)),
    start: (words, options) => running(launch(process.execPath, [main, ...words], options)),
    end: async () => {
      await Promise.all([...children].map(child => child.kill('SIGKILL') && once(child, 'exit')))
    },
  }
}

function running(child: ChildProcess): Running {
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
    signal: signal => void child.kill(signal),
    ended: code,
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return code
    },
  }
}
