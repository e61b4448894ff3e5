import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** A process of the demo. It says its port in one line of JSON, and ends when its standard input does. */
export type Child = ChildProcessByStdio<Writable, Readable, null>

export interface Listening {
  readonly port: number
  readonly pid: number
}

const START_MS = 10_000
const END_MS = 2000

/** Starts a compiled script. Secrets go into `env`: arguments are for everyone on the machine to read. */
export function startChild(script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Child {
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  // Closing the input of a process that has just been killed is no error.
  child.stdin.on('error', () => {})
  return child
}

/** Resolves when the process has said its port; rejects if it ends, or says nothing for START_MS. */
export async function listening(name: string, child: Child): Promise<Listening> {
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the demo ${name} ended with ${code} before it listened`)
  })
  const [line]: unknown[] = await Promise.race([once(lines, 'line', { signal: AbortSignal.timeout(START_MS) }), ended])
  const port = /"port":(\d+)/.exec(String(line))?.[1]
  if (port === undefined || child.pid === undefined) throw new Error(`the demo ${name} said no port`)
  return { port: Number(port), pid: child.pid }
}

/** Ends the process, by force if it does not within END_MS. */
export async function endChild(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  child.stdin.end()
  await exited
  clearTimeout(timer)
}
