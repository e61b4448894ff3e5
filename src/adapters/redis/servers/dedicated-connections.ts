import type { Client, Link } from '../client.ts'
import type { Shard, Shards } from './shards.ts'

/** A connection of its own to each server of a store, for what may take its time. */
export class DedicatedConnections {
  readonly #shards: Shards
  readonly #links = new Map<Shard, Promise<Link>>()

  constructor(shards: Shards) {
    this.#shards = shards
  }

  /** Connects to the server that has a key. */
  to(key: string): Promise<Link> {
    return this.#linkTo(this.#shards.shardOf(key))
  }

  async run<T>(key: string, commands: (client: Client) => Promise<T>): Promise<T> {
    return commands((await this.to(key)).client)
  }

  all(): Promise<readonly Link[]> {
    return Promise.all(this.#shards.all().map(shard => this.#linkTo(shard)))
  }

  close(): void {
    // One that could not be opened has nothing to close.
    for (const link of this.#links.values()) link.then(open => open.close()).catch(() => {})
  }

  #linkTo(shard: Shard): Promise<Link> {
    const link = this.#links.get(shard) ?? shard.dialAside()
    this.#links.set(shard, link)
    return link
  }
}
