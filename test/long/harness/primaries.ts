import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyv/redis'
import { type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { Door } from './door.ts'
import { between } from './size.ts'
import { until } from './until.ts'

const SYNCED_WITHIN_MS = 30_000
const DURABLE = { durable: true, flags: { appendfsync: 'everysec', 'repl-diskless-sync-delay': '0' } }

/** A primary that is killed again and again, and the replica that takes over. */
export interface Mortal {
  readonly url: string
  /** Kills the primary and all that it has sent and that did not arrive; the replica takes over. */
  failOver(): Promise<void>
  /** Starts what was killed, which follows the other one. */
  heal(): Promise<void>
  /** Who has the keys. */
  serving(): Promise<readonly RedisServer[]>
  close(): Promise<void>
}

/** Two Redis, of which one follows the other behind a lag, and one address that leads to the primary. */
export class Primaries implements Mortal {
  readonly url: string
  #primary: RedisServer
  #replica: RedisServer
  readonly #front: Door
  #wire: Door
  readonly #lagMs: number

  private constructor(primary: RedisServer, replica: RedisServer, front: Door, wire: Door, lagMs: number) {
    this.#primary = primary
    this.#replica = replica
    this.#front = front
    this.#wire = wire
    this.#lagMs = lagMs
    this.url = `redis://127.0.0.1:${front.port}`
  }

  static async open(lagMs: number): Promise<Primaries> {
    const [primary, replica] = await Promise.all([startRedis(DURABLE), startRedis(DURABLE)])
    const [front, wire] = await Promise.all([Door.open(primary.port, 0), Door.open(primary.port, lagMs)])
    const both = new Primaries(primary, replica, front, wire, lagMs)
    await both.#follow()
    return both
  }

  async failOver(): Promise<void> {
    const lost = this.#primary
    // Before the kill: the kernel of this machine would still deliver what was sent.
    this.#wire.close()
    await lost.kill()
    this.#front.drop()
    await sleep(between(200, 600))
    await ask(this.#replica, 'REPLICAOF', 'NO', 'ONE')
    this.#primary = this.#replica
    this.#replica = lost
    this.#front.to = this.#primary.port
  }

  async heal(): Promise<void> {
    await this.#replica.restart()
    this.#wire = await Door.open(this.#primary.port, this.#lagMs)
    await this.#follow()
  }

  async serving(): Promise<readonly RedisServer[]> {
    return [this.#primary]
  }

  async close(): Promise<void> {
    this.#front.close()
    this.#wire.close()
    await Promise.all([this.#primary.stop(), this.#replica.stop()])
  }

  async #follow(): Promise<void> {
    await ask(this.#replica, 'REPLICAOF', '127.0.0.1', String(this.#wire.port))
    await until(SYNCED_WITHIN_MS, async () => (await ask(this.#replica, 'INFO', 'replication')).includes('status:up'))
  }
}

async function ask({ url }: RedisServer, ...words: string[]): Promise<string> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return String(await client.sendCommand(words))
  } finally {
    client.destroy()
  }
}
