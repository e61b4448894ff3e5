import type { Client, Link, Server } from '../client.ts'

/** The servers of a store. Each has the keys of some slots. */
export interface Shards {
  /** Whether any server can be used. */
  readonly up: boolean
  /** Connects for the first time, where there are several servers to those that answer. Rejects with StoreUnavailable, or as a server is refused. */
  open(): Promise<void>
  /** Runs commands on keys of one slot, that of `key`. Rejects as `Connection.run` does. */
  run<T>(key: string, commands: (link: Link) => Promise<T>, late?: (answer: T) => void): Promise<T>
  slotOf(key: string): number
  /** The server that has a key. Throws StoreUnavailable where none is known. */
  shardOf(key: string): Shard
  all(): readonly Shard[]
  /** Proves another user, password or certificate at every server. */
  prove(server: Server): Promise<Proven>
  close(): void
}

/** Another way to reach a store, which servers accept. One of both is to be called. */
export interface Proven {
  /** Puts it in force, which no call notices. */
  readonly put: () => void
  /** Lets go of it: all stays as it was. */
  readonly drop: () => void
}

/** One server of a store. */
export interface Shard {
  readonly slots: ReadonlySet<number>
  readonly up: boolean
  run<T>(commands: (link: Link) => Promise<T>, late?: (answer: T) => void): Promise<T>
  /** Runs commands on a connection of their own, which may take their time. */
  aside<T>(commands: (client: Client) => Promise<T>): Promise<T>
  /** Opens such a connection, which the caller closes. */
  dialAside(): Promise<Link>
  /** Rejects all calls until the server was checked again. */
  suspect(cause: string): void
}

/** Runs commands on keys of the slot of `key`; rejects with StoreUnavailable. Long reads are split into pages, each of which must be answered in time. */
export type Ask = <T>(key: string, commands: (client: Client) => Promise<T>) => Promise<T>
