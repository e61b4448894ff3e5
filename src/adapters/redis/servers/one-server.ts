import type { Link, Server } from '../client.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { Proven, Shard, Shards } from './shards.ts'

/** The one server that has all keys, or the primary that sentinels know. */
export class OneServer implements Shards {
  readonly #connection: Connection

  constructor(options: Omit<ConnectionOptions, 'slots'>) {
    this.#connection = new Connection({ ...options, slots: ALL })
  }

  get up(): boolean {
    return this.#connection.up
  }

  open(): Promise<void> {
    return this.#connection.open()
  }

  run<T>(_key: string, commands: (link: Link) => Promise<T>, late?: (answer: T) => void): Promise<T> {
    return this.#connection.run(commands, late)
  }

  slotOf(): number {
    return ONLY
  }

  shardOf(): Shard {
    return this.#connection
  }

  all(): readonly Shard[] {
    return [this.#connection]
  }

  prove(server: Server): Promise<Proven> {
    return this.#connection.prove(server)
  }

  close(): void {
    this.#connection.close()
  }
}

/** A server alone has no slots: all keys are as of one. */
const ONLY = 0
const ALL: ReadonlySet<number> = new Set([ONLY])
