import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, type describe } from 'vitest'
import { describeNeeding } from '../lanes/lane.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { freePort } from './free-port.ts'

/** Where Debian puts the programs of a server, the newest version last. */
const DEBIAN = '/usr/lib/postgresql'

/** Where the programs of the server are. */
const bin: string | undefined = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .sort((a, b) => Number(a) - Number(b))
      .map(version => join(DEBIAN, version, 'bin'))
      .findLast(path => existsSync(join(path, 'initdb')))
  : undefined

/** Tests that need PostgreSQL. */
export const describePostgres: typeof describe.skip = describeNeeding({
  isThere: bin !== undefined,
  missing: 'tests that need PostgreSQL. Install it: apt-get install postgresql',
})

/** A real server of its own. Its owner is `owner`, with the password `secret`. */
export interface PostgresServer {
  readonly port: number
  /** `postgres://owner@127.0.0.1:1234/postgres` */
  readonly url: string
  /** Runs a statement as its owner. */
  query<R extends pg.QueryResultRow>(sql: string, values?: unknown[], database?: string): Promise<R[]>
  /** Makes a database without tables. Resolves to its name. */
  createDatabase(): Promise<string>
  /** Answers nothing, as a busy machine would. */
  pause(): void
  resume(): void
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Starts it again, on the same port with the same files; ends it first if it runs. */
  restart(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** PEM of the server, which then takes no connection without TLS. */
interface Tls {
  readonly certificate: string
  readonly key: string
}

/** One server for all tests of a describe. */
export function usePostgres(tls?: Tls): () => PostgresServer {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres(tls)
  }, STARTS_MS)
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error('PostgreSQL is started before the first test, not while they are collected')
    return server
  }
}

/** It makes its files first. */
const STARTS_MS = 60_000

const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a server on a free port in a directory of its own. Resolves when it answers. */
export async function startPostgres(tls?: Tls): Promise<PostgresServer> {
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const programs = bin
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'))
  await chmod(directory, 0o755)
  const as = userOfServer()
  if (as.uid !== undefined) await chown(directory, as.uid, as.gid ?? as.uid)
  const data = join(directory, 'data')
  await writeFile(join(directory, 'password'), 'secret')
  const initdb = ['-D', data, '-U', 'owner', '-A', 'scram-sha-256', '--pwfile', join(directory, 'password'), '-N']
  const made = spawnSync(join(programs, 'initdb'), [...initdb, '--no-locale', '-E', 'UTF8'], {
    ...as,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb ended: ${made.stderr}`)
  if (tls) await addTls(data, tls, as)
  const port = await freePort()
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory]
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(join(programs, 'postgres'), flags, { ...as, stdio: 'ignore' })
    running.add(child)
    const exit = once(child, 'exit').then(() => running.delete(child))
    // After a crash the processes of the one before may need a moment to end.
    const isUp = await Promise.race([answers(port, child).then(() => true), exit.then(() => false)])
    return isUp ? child : start()
  }
  let child = await start()
  const clientOf = (database: string) => new pg.Client({ ...connectionOf(port, tls), database })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    // The postmaster alone: its children see that it is gone, as after a crash.
    child.kill('SIGKILL')
    await exit
  }
  let databases = 0
  const query = async <R extends pg.QueryResultRow>(sql: string, values?: unknown[], database = 'postgres') => {
    const client = clientOf(database)
    await client.connect()
    try {
      return (await client.query<R>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    url: `postgres://owner@127.0.0.1:${port}/postgres`,
    query,
    createDatabase: async () => {
      const name = `test_${++databases}`
      await query(`CREATE DATABASE ${name}`)
      return name
    },
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

/** The server refuses to run as root. */
function userOfServer(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map(flag =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout || NOBODY),
  )
  return { uid: uid ?? NOBODY, gid: gid ?? NOBODY }
}

const NOBODY = 65_534

async function addTls(data: string, { certificate, key }: Tls, { uid, gid }: ReturnType<typeof userOfServer>) {
  for (const [name, pem] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    const path = join(data, name)
    await writeFile(path, pem, { mode: 0o600 })
    if (uid !== undefined) await chown(path, uid, gid ?? uid)
  }
  await appendFile(join(data, 'postgresql.conf'), 'ssl = on\n')
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n')
}

const connectionOf = (port: number, tls?: Tls) => ({
  ...{ host: '127.0.0.1', port, user: 'owner', password: 'secret' },
  ...(tls && { ssl: { rejectUnauthorized: false } }),
})

/** Resolves once connections are taken; a password that is asked for is an answer. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const client = new pg.Client({ ...connectionOf(port), database: 'postgres' })
    client.on('error', () => {})
    const error = await client.connect().then(
      () => undefined,
      (failure: unknown) => failure,
    )
    await client.end().catch(() => {})
    if (error === undefined || /no pg_hba.conf entry/.test(String(error))) return
    await setTimeout(20)
  }
}
