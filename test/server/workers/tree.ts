import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compiledBy } from '../../cli/compiled.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'

/** A gateway of several processes. */
export interface Tree {
  readonly url: string
  readonly admin: string
  readonly file: string
  readonly process: ChildProcess
  /** Output for operators, from all processes. */
  readonly said: string[]
  readonly logged: string[]
  /** The processes of workers, and the one of the store. */
  pids(what: 'worker' | 'store'): readonly number[]
  /** All of its processes, main first. */
  processes(): readonly number[]
  ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown; readonly text: string }>
  chat(key: string, body?: object, signal?: AbortSignal): Promise<Response>
  mint(plan: string, account: string): Promise<string>
  readonly directory: string
  /** Its exit code. */
  readonly ended: Promise<number | null>
  /** Has it drain. Resolves with the exit code. */
  drain(): Promise<number | null>
  /** Stops it too, and removes its files. */
  end(): Promise<number | null>
}

const TOKEN = 'test-admin-token'

/** In a directory of its own, or in that of a tree that ended; `under` a command that starts another one. */
export async function startTree(
  workers: number,
  yaml: (directory: string) => string,
  before?: Pick<Tree, 'directory'>,
  under: readonly string[] = [],
): Promise<Tree> {
  const built = compiledBy(process.ppid).gateway
  const directory = before?.directory ?? (await mkdtemp(join(tmpdir(), 'tree-')))
  const file = join(directory, 'config.yaml')
  const main = yaml(directory).replace('server: {', `server: { workers: ${workers},`)
  await writeFile(file, `${main}log: { format: json }\n`)
  const [command, ...words] = [...under, process.execPath, join(built, 'cli/main.js'), 'serve', '-c', file] as const
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SVCCTL_TOKEN: TOKEN },
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const said: string[] = []
  const logged: string[] = []
  createInterface({ input: child.stderr }).on('line', line => said.push(line))
  const { listen: url, admin } = await new Promise<{ listen: string; admin: string }>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', line => {
      if (line.includes('"serving"')) resolve(JSON.parse(line) as { listen: string; admin: string })
      else logged.push(line)
    })
    void ended.then(code => reject(new Error(`it ended with ${code}: ${said.join('\n')}`)))
  })
  const ask: Tree['ask'] = async (method, path, body) => {
    const response = await fetch(admin + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined }
  }
  return {
    ...{ url, admin, file, directory, process: child, said, logged, ask, ended },
    drain: () => {
      child.kill('SIGTERM')
      return ended
    },
    processes: () => [...(child.pid === undefined ? [] : [child.pid]), ...childrenOf(child.pid ?? 0, '-process')],
    pids: what => childrenOf(child.pid ?? 0, what === 'worker' ? 'worker-process' : 'store-process'),
    chat: (key, body = {}, signal) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        // Each on a connection of its own, so that all workers get some.
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
        ...(signal && { signal }),
      }),
    mint: async (plan, account) => {
      const { body, text } = await ask('POST', '/admin/keys', { plan, account })
      const { value } = body as { value?: string }
      if (value === undefined) throw new Error(text)
      return value
    },
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      const code = await ended
      await removeFolder(directory)
      return code
    },
  }
}

/** The children of a process whose command names a module. */
export function childrenOf(parent: number, name: string): readonly number[] {
  return readdirSync('/proc')
    .filter(each => /^\d+$/.test(each))
    .flatMap(each => {
      try {
        const isChild = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${parent}`
        return isChild && readFileSync(`/proc/${each}/cmdline`, 'utf8').includes(name) ? [Number(each)] : []
      } catch {
        // It ended meanwhile.
        return []
      }
    })
}
