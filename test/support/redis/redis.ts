import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, type describe } from 'vitest'
import { describeNeeding } from '../../lanes/lane.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { freePort } from '../free-port.ts'

/** The server that tests start: `REDIS_SERVER=/usr/bin/valkey-server` runs them on Valkey. */
export const REDIS_SERVER = process.env.REDIS_SERVER ?? 'redis-server'

/** Whether it is there. */
export const hasRedis: boolean = spawnSync(REDIS_SERVER, ['--version']).status === 0

/** Tests that need it. */
export const describeRedis: typeof describe.skip = describeNeeding({
  isThere: hasRedis,
  missing: 'tests that need Redis. Install it: apt-get install redis-server',
})

/** A real redis-server of its own. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Holds every command up, as a busy or swapping machine would. */
  pause(): void
  resume(): void
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Starts it again, on the same port with the same files; ends it first if it runs. */
  restart(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

export interface RedisOptions {
  /** Writes every command to disk before it answers. */
  readonly durable?: boolean
  /** Flags of redis-server, which win over those of here: `{ 'maxmemory-policy': 'allkeys-lru' }`. */
  readonly flags?: Readonly<Record<string, string>>
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Where it listens; without it on a free port of 127.0.0.1. */
  readonly at?: { readonly host: string; readonly port: number }
}

/** One server for all tests of a describe. */
export function useRedis(options?: RedisOptions): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis(options)
  })
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error('redis-server is started before the first test, not while they are collected')
    return server
  }
}

const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts redis-server on a free port in a directory of its own. Resolves when it answers. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-'))
  for (let tries = 1; ; tries++) {
    const at = options.at ?? { host: '127.0.0.1', port: await freePort() }
    const argv = argumentsOf(at, directory, options)
    try {
      const start = () => launch(at, argv, options.env)
      return serverOf(at, directory, start, await start())
    } catch (error) {
      // Another process may take the port first.
      if (tries < 5 && String(error).includes('Address already in use')) continue
      await removeFolder(directory)
      throw error
    }
  }
}

type Place = NonNullable<RedisOptions['at']>

function serverOf(at: Place, directory: string, start: () => Promise<ChildProcess>, first: ChildProcess): RedisServer {
  let child = first
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
  return {
    url: `redis://${at.host}:${at.port}`,
    port: at.port,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
    restart: async () => {
      await kill()
      child = await start()
    },
    stop: async () => {
      await kill()
      await removeFolder(directory)
    },
  }
}

function argumentsOf({ host, port }: Place, dir: string, { durable = false, flags }: RedisOptions): string[] {
  const all: Record<string, string> = {
    port: String(port),
    bind: host,
    dir,
    save: '',
    'maxmemory-policy': 'noeviction',
    appendonly: durable ? 'yes' : 'no',
    ...(durable && { appendfsync: 'always' }),
    ...flags,
  }
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
}

/** Resolves when the server answers; rejects with what it said when it ends instead. */
async function launch(at: Place, argv: readonly string[], env: RedisOptions['env'] = {}): Promise<ChildProcess> {
  const child = spawn(REDIS_SERVER, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const said: string[] = []
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', line => {
        said.push(line)
        if (line.includes('Ready to accept connections')) resolve()
      })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`redis-server ended:\n${said.join('\n')}`)))
  })
  await ready
  await ping(at)
  return child
}

async function ping({ host, port }: Place): Promise<void> {
  const socket = connect(port, host)
  try {
    socket.write('PING\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    if (!/^[+-]/.test(answer.toString())) throw new Error(`redis-server answered ${answer}`)
  } finally {
    socket.destroy()
  }
}
