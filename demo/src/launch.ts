import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { castFor } from './cast.ts'
import { type Child, endChild, listening, startChild } from './child.ts'

/** The backends of the demo, each a process of its own. One that is killed stays dead. */
export interface DemoBackends {
  readonly backends: readonly DemoBackend[]
  /** The variables that the policies of this repository ask for. */
  readonly env: Readonly<Record<string, string>>
  /** The parts that this demo has to do without, a sentence each; `env` lacks their variables. */
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

/** Starts the backends of the demo and waits until all listen. Rejects, leaving none behind, if one does not. */
export async function launchBackends({ script = SCRIPT, paceMs = 15 }: LaunchOptions = {}): Promise<DemoBackends> {
  const key = randomBytes(24).toString('base64url')
  const { parts, missing } = castFor(script)
  const children = parts.map(({ name, serves, keyed }) => {
    const env = keyed ? { ...process.env, DEMO_BACKEND_KEY: key } : process.env
    return { name, child: startChild(script, ['--name', name, ...serves, '--pace', String(paceMs)], env) }
  })
  let closing = false
  const close = async () => {
    closing = true
    await Promise.all(children.map(({ child }) => endChild(child)))
  }
  const started = children.map(({ name, child }) => backendOf(name, child))
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

async function backendOf(name: string, child: Child): Promise<DemoBackend> {
  const { port, pid } = await listening(`backend ${name}`, child)
  return { name, url: `http://127.0.0.1:${port}/v1`, pid }
}
