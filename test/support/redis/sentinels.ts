import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { removeFolder } from '../../lanes/remove-folder.ts'
import type { Certificate } from '../certificate.ts'
import { freePort } from '../free-port.ts'
import { redisCommand } from './command.ts'
import { REDIS_SERVER, type RedisOptions, type RedisServer, startRedis } from './redis.ts'
import { tlsFlags } from './tls-redis.ts'

/** A primary with a replica, and three sentinels that know them, until the test is over. */
export interface SentinelSite {
  /** `redis+sentinel://…/main`, or with `rediss`. */
  readonly url: string
  readonly primary: RedisServer
  readonly replica: RedisServer
  /** Resolves once the sentinels name the replica as the primary, or that of the two. */
  failedOver(to?: RedisServer): Promise<void>
  /** That of the two which the sentinels name. */
  named(): Promise<RedisServer>
  tellSentinels(...words: string[]): Promise<void>
  tellPrimary(...words: string[]): Promise<void>
  tellReplica(...words: string[]): Promise<void>
}

const NAME = 'main'
const COUNT = 3

export interface SentinelOptions extends Pick<RedisOptions, 'flags'> {
  readonly password?: string
  /** Sentinels, servers and replicas speak TLS alone to each other, with this certificate on all sides. */
  readonly certificate?: Certificate
  /** How long a primary is silent before another takes over. */
  readonly downAfterMs?: number
  /** Opens a port by which clients, sentinels and replicas reach a server in place of its own. */
  readonly door?: () => Promise<{ readonly port: number; to: number }>
  /** Is given what ends each server; without it they end with the test. */
  readonly atEnd?: (end: () => Promise<void>) => void
}

/**
 * One site for all tests of a suite, whose replica is away. With one, a store that is opened again repeats what it wrote in the last
 * minutes, also rows that a test has removed since: those of a gateway are days old by then.
 */
export function useSentinels(): () => SentinelSite {
  let site: SentinelSite
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    site = await startSentinels({ downAfterMs: 60_000, atEnd: end => ends.unshift(end) })
    await site.replica.kill()
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => site
}

export async function startSentinels(more: SentinelOptions = {}): Promise<SentinelSite> {
  const { atEnd = onTestFinished } = more
  const doors = new Map<RedisServer, number>()
  const tls = more.certificate && { ...(await tlsFlags(more.certificate)), 'tls-replication': 'yes' }
  const startServer = async (follows: Readonly<Record<string, string>> = {}) => {
    const at = await more.door?.()
    const port = tls ? await freePort() : at?.port
    const announced = port !== undefined && { 'replica-announce-port': String(port) }
    const secured = tls && { 'tls-port': String(port), ...tls }
    const flags = { ...FLAGS, ...more.flags, ...secured, ...announced, ...follows }
    const server = await startRedis({ durable: true, flags })
    atEnd(async () => void (await server.stop()))
    if (at) at.to = server.port
    doors.set(server, port ?? server.port)
    return server
  }
  const portOf = (server: RedisServer) => doors.get(server) ?? server.port
  const primary = await startServer()
  const replica = await startServer({ replicaof: `127.0.0.1 ${portOf(primary)}` })
  await vi.waitFor(
    async () => expect(await redisCommand(replica, 'INFO', 'replication')).toContain('link_status:up'),
    LONG,
  )
  const ports: number[] = []
  for (let count = 0; count < COUNT; count++) ports.push(await startSentinel(portOf(primary), more, tls))
  const [first = 0] = ports
  const each = (...words: string[]) => Promise.all(ports.map(port => askSentinel(port, ...words)))
  const scheme = tls ? 'rediss' : 'redis'
  const login = more.password === undefined ? '' : `:${more.password}@`
  const askSentinel = (port: number, ...words: string[]) =>
    redisCommand({ url: `${scheme}://${login}127.0.0.1:${port}`, certificate: more.certificate }, ...words)
  const namedPort = async () => {
    const said = await askSentinel(first, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)
    return Number((said as readonly string[])[1])
  }
  // They have to know each other and the replica before they agree on anything.
  await vi.waitFor(async () => {
    for (const said of await each('SENTINEL', 'MASTER', NAME)) {
      const text = String(said)
      expect(text).toContain(`num-other-sentinels,${COUNT - 1}`)
      expect(text).toContain('num-slaves,1')
    }
  }, LONG)
  return {
    url: `${scheme}+sentinel://${ports.map(port => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    primary,
    replica,
    named: async () => ((await namedPort()) === portOf(replica) ? replica : primary),
    failedOver: (to = replica) =>
      vi.waitFor(async () => {
        expect(await namedPort()).toBe(portOf(to))
        expect(await redisCommand(to, 'INFO', 'replication')).toContain('role:master')
      }, LONG),
    tellPrimary: async (...words) => void (await redisCommand(primary, ...words)),
    tellReplica: async (...words) => void (await redisCommand(replica, ...words)),
    tellSentinels: async (...words) => {
      await each(...words)
    },
  }
}

const FLAGS = { 'repl-diskless-sync-delay': '0', 'repl-ping-replica-period': '1' }
const LONG = { timeout: 60_000, interval: 50 }

async function startSentinel(
  primary: number,
  { password, downAfterMs = 500, atEnd = onTestFinished }: SentinelOptions,
  tls: Readonly<Record<string, string>> | undefined,
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'sentinel-'))
  const port = await freePort()
  const file = join(directory, 'sentinel.conf')
  const lines = [
    ...(tls ? ['port 0', `tls-port ${port}`] : [`port ${port}`]),
    ...Object.entries(tls ?? {}).map(([name, value]) => `${name} ${value}`),
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 3000`,
    ...(password === undefined ? [] : [`requirepass ${password}`, `sentinel sentinel-pass ${password}`]),
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const child = spawn(REDIS_SERVER, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'pipe'] })
  atEnd(async () => {
    await ended(child)
    await removeFolder(directory)
  })
  await new Promise<void>((resolve, reject) => {
    child.once('close', () => reject(new Error('the sentinel ended')))
    createInterface({ input: child.stdout }).on('line', line => {
      if (line.includes('Sentinel ID is')) resolve()
    })
  })
  return port
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
