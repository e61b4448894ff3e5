import { setTimeout as sleep } from 'node:timers/promises'
import { createCluster } from '@keyv/redis'
import { BUCKETS, Layout } from '../../../src/adapters/redis/layout.ts'
import { type Commands, commandsOf } from './redis.ts'

const POLL_MS = 100
const layout = new Layout('svc')

/** How many requests a cluster has as open, of all accounts and of what these share. */
export async function leasesIn(url: string): Promise<number> {
  const rootNodes = url
    .replace('redis+cluster://', '')
    .split(',')
    .map(at => ({ url: `redis://${at}` }))
  const cluster = createCluster({ rootNodes })
  cluster.on('error', () => {})
  await cluster.connect()
  const names = [...BUCKETS.map(bucket => layout.bucket(bucket).leases), layout.guests.sharedLeases]
  const counts = await Promise.all(names.map(name => cluster.zCard(name)))
  cluster.destroy()
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Sees which holds gateways left behind in Redis, and how long they last after the death. */
export class LeaseWatch {
  readonly #redis: Commands
  /** When the gateway of a request died. */
  readonly #left = new Map<string, number>()
  readonly #released: number[] = []
  #timer: NodeJS.Timeout | undefined
  #closed = false

  static async open(url: string): Promise<LeaseWatch> {
    const watch = new LeaseWatch(await commandsOf(url))
    watch.#pollLater()
    return watch
  }

  private constructor(redis: Commands) {
    this.#redis = redis
  }

  /** Whatever is held now, while no client waits, was left behind at that moment. */
  async left(at: number): Promise<void> {
    for (const requestId of await this.#held()) if (!this.#left.has(requestId)) this.#left.set(requestId, at)
  }

  /** Resolves with how long each of them was held after the death; rejects when one still is after `withinMs`. */
  async allReleased(withinMs: number): Promise<readonly number[]> {
    const until = performance.now() + withinMs
    while (this.#left.size > 0) {
      if (performance.now() > until) throw new Error(`still held: ${[...this.#left.keys()].slice(0, 5).join(', ')}`)
      await sleep(POLL_MS)
    }
    return this.#released
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#redis.destroy()
  }

  #pollLater(): void {
    this.#timer = setTimeout(async () => {
      if (this.#left.size > 0) await this.#poll()
      if (!this.#closed) this.#pollLater()
    }, POLL_MS)
  }

  async #poll(): Promise<void> {
    const held = await this.#held()
    for (const [requestId, at] of this.#left) {
      if (held.has(requestId)) continue
      this.#left.delete(requestId)
      this.#released.push(performance.now() - at)
    }
  }

  async #held(): Promise<Set<string>> {
    const pages = BUCKETS.map(bucket => this.#redis.zRange(layout.bucket(bucket).leases, 0, -1))
    return new Set((await Promise.all(pages)).flat())
  }
}
