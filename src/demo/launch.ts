import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { castFor } from './cast.ts'

/** The backends of the demo, each a process of its own. One that is killed stays dead. */
export interface DemoBackends {
  readonly backends: readonly DemoBackend[]
  /** The variables that the policies of this repository ask for. */
  readonly env: Readonly<Record<string, string>>
  /** What this demo has to do without, a sentence each; `env` lacks the variables of what is missing. */
  readonly missing: readonly string[]
  /** Calls the listener with the name of each backend that ends before `close`. */
  onExit(listener: (name: string) => void): void
  /** Ends all of them. */
  close(): Promise<void>
}

interface DemoBackend {
  readonly name: string
  /** Base URL, with /v1. */
  readonly url: string
  readonly pid: number
}

export interface LaunchOptions {
  /** The compiled backend-main. */
  readonly script?: string
  /** Milliseconds before each token of a stream. */
  readonly paceMs?: number
}

const SCRIPT = fileURLToPath(new URL('./backend-main.js', import.meta.url))
const START_MS = 10_000
const END_MS = 2000

/** Starts the backends of the demo and waits until all listen. Rejects, leaving none behind, if one does not. */
export async function launchBackends({ script = SCRIPT, paceMs = 15 }: LaunchOptions = {}): Promise<DemoBackends> {
  const key = randomBytes(24).toString('base64url')
  const { parts, missing } = castFor(script)
  const children = parts.map(({ name, serves, keyed }) => {
    const args = [script, '--name', name, ...serves, '--pace', String(paceMs)]
    // Not an argument: those are for everyone on the machine to read.
    const env = keyed ? { ...process.env, DEMO_BACKEND_KEY: key } : process.env
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    // Closing the input of a process that has just been killed is no error.
    child.stdin.on('error', () => {})
    return { name, child }
  })
  let closing = false
  const close = async () => {
    closing = true
    await Promise.all(children.map(({ child }) => end(child)))
  }
  const started = children.map(({ name, child }) => listening(name, child))
  const backends = await Promise.all(started).catch(async error => {
    await close()
    throw error
  })
  return {
    backends,
    env: Object.fromEntries([
      ...parts.flatMap(({ variables }, i) => variables.map(variable => [variable, backends[i]?.url])),
      ['CLOUD_KEY', key],
    ]),
    missing,
    onExit: listener => {
      for (const { name, child } of children) child.on('exit', () => closing || listener(name))
    },
    close,
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** Resolves when the process has said its port; rejects if it ends, or says nothing for START_MS. */
async function listening(name: string, child: Child): Promise<DemoBackend> {
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the demo backend ${name} ended with ${code} before it listened`)
  })
  const [line]: unknown[] = await Promise.race([once(lines, 'line', { signal: AbortSignal.timeout(START_MS) }), ended])
  const port = /"port":(\d+)/.exec(String(line))?.[1]
  if (port === undefined || child.pid === undefined) throw new Error(`the demo backend ${name} said no port`)
  return { name, url: `http://127.0.0.1:${port}/v1`, pid: child.pid }
}

async function end(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  child.stdin.end()
  await exited
  clearTimeout(timer)
}
