import dns from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import { redisCommand, replicatedFrom } from './command.ts'
import { type RedisServer, startRedis } from './redis.ts'

/** A primary and its replica behind one name, and the wire between them. */
export interface RedisPair {
  readonly url: string
  /** From now on the replica gets nothing, and the primary does not notice. */
  hold(): void
  /** Kills the primary and what is still on the wire; the name then leads to the replica. */
  failOver(): Promise<void>
  /** The replica takes over behind the name, while the primary goes on for whoever is connected to it. */
  part(): Promise<void>
  /** Waits until the primary knows that the replica has everything. */
  replicated(): Promise<void>
  readonly primary: RedisServer
  readonly replica: RedisServer
}

/** Until the test is over. */
export async function startRedisPair(): Promise<RedisPair> {
  const primary = await startRedis({ durable: true, flags: { 'repl-diskless-sync-delay': '0' } })
  onTestFinished(() => primary.stop())
  const wire = await startWire(primary.port)
  const at = { host: '127.0.0.2', port: primary.port }
  const replica = await startRedis({ durable: true, at, flags: { replicaof: `127.0.0.1 ${wire.port}` } })
  onTestFinished(() => replica.stop())
  const known = dns.lookup
  const lookup = vi.spyOn(dns, 'lookup')
  onTestFinished(() => lookup.mockRestore())
  const pointTo = (address: string) =>
    lookup.mockImplementation(((name: string, options: { all?: boolean }, done: (...found: unknown[]) => void) => {
      if (name !== HOST) known(name, options, done)
      else if (options.all) done(null, [{ address, family: 4 }])
      else done(null, address, 4)
    }) as unknown as typeof dns.lookup)
  pointTo('127.0.0.1')
  await vi.waitFor(
    async () => expect(await redisCommand(replica, 'INFO', 'replication')).toContain('link_status:up'),
    PATIENCE,
  )
  return {
    url: `redis://${HOST}:${primary.port}`,
    primary,
    replica,
    hold: wire.hold,
    replicated: () => replicatedFrom(primary),
    part: async () => {
      wire.cut()
      await redisCommand(replica, 'REPLICAOF', 'NO', 'ONE')
      pointTo('127.0.0.2')
    },
    failOver: async () => {
      await primary.kill()
      wire.cut()
      await redisCommand(replica, 'REPLICAOF', 'NO', 'ONE')
      pointTo('127.0.0.2')
    },
  }
}

const HOST = 'redis.internal'
const PATIENCE = { timeout: 60_000, interval: 20 }

/** A wire on which bytes can be held up, as long as it is not cut. */
async function startWire(to: number) {
  let isHeld = false
  const sockets = new Set<Socket>()
  const server = createServer(replica => {
    const primary = connect(to, '127.0.0.1')
    for (const socket of [replica, primary]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    replica.on('data', data => primary.write(data))
    // Bytes that are held here were sent by the primary and never arrive.
    primary.on('data', data => isHeld || replica.write(data))
    replica.on('close', () => primary.destroy())
    primary.on('close', () => replica.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(cut)
  const hold = () => {
    isHeld = true
  }
  return { port: (server.address() as AddressInfo).port, hold, cut }
}
