import type { Alarm } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Client, Link } from './client.ts'
import { ANSWER_MS, Connection } from './connection.ts'
import { checkServer, openIdentity, readIdentity, type StoreIdentity } from './identity.ts'
import { Layout } from './layout.ts'
import { type Reply, runScript, type ScriptName } from './scripts.ts'

export interface RedisStoreOptions {
  /** `redis://` or `rediss://`, with user and password. */
  readonly url: string
  /** What all keys begin with. */
  readonly prefix: string
  /**
   * Where this process keeps settlements that could not be told; no other process may use it. Without it they reject,
   * and an empty Redis is refused: only a gateway begins a store.
   */
  readonly stateDir?: string
  readonly alarm: Alarm
  readonly wrote?: Wrote
  /** How long rows are kept: what waited longer for the store could be charged twice. */
  readonly keep?: () => Millis
  /** In place of Redis' own clock, for tests. */
  readonly now?: () => EpochMs
  /** In place of 200 ms, for tests: how long to wait for an answer of Redis. */
  readonly answerMs?: Millis
}

/** Asks Redis; rejects with StoreUnavailable. What takes long is asked in pages, each of which must be answered in time. */
export type Ask = <T>(commands: (client: Client) => Promise<T>) => Promise<T>

const EMPTIED =
  'it was emptied or replaced since this gateway began; restore it, or, if this was meant, remove store-epoch from each state_dir and restart'

/** Redis as the store uses it: a connection, and the certainty that what is at its other end is the store it was. */
export class Access {
  readonly layout: Layout
  readonly wrote: Wrote
  readonly #options: RedisStoreOptions
  readonly #connection: Connection
  #identity: StoreIdentity | undefined

  /** `back` runs each time Redis can be used again. */
  constructor(options: RedisStoreOptions, back: () => void) {
    this.#options = options
    this.wrote = options.wrote ?? (() => {})
    this.layout = new Layout(options.prefix)
    const { url, alarm, answerMs = ANSWER_MS } = options
    const admit = (link: Link) => this.#verify(link)
    this.#connection = new Connection({ url, owners: this.layout.owners, alarm, answerMs, admit, back })
  }

  /** Connects. Rejects with StoreUnavailable when Redis does not answer, with StoreRefused when it must not be used. */
  open(): Promise<void> {
    return this.#connection.open()
  }

  get up(): boolean {
    return this.#connection.up
  }

  /** First day of the store, in days since the epoch. */
  get since(): number {
    return this.#identity?.since ?? 0
  }

  readonly ask: Ask = commands => this.#connection.run(({ client }) => commands(client))

  /** What is not found may be unknown, or the store may have been emptied: only the first may be told a client. */
  readonly find = <T>(commands: (link: Link) => Promise<T | undefined | null>): Promise<T | undefined> =>
    this.#connection.run(async link => {
      const found = await commands(link)
      if (found !== undefined && found !== null) return found
      const identity = await readIdentity(link.client, this.layout)
      if (identity?.epoch !== this.#identity?.epoch) this.#emptied()
      return undefined
    })

  readonly run = <T>(commands: (link: Link) => Promise<T>): Promise<T> => this.#connection.run(commands)

  /** Runs a script on the bucket of an account. `late` gets an answer that came after it was given up. */
  script(
    account: string,
    name: ScriptName,
    keys: readonly string[],
    values: readonly (string | number)[],
    late?: (reply: Reply) => void,
  ): Promise<Reply> {
    const { epoch } = this.#identity ?? { epoch: '' }
    const now = this.#options.now?.() ?? ''
    return this.#connection.run(async ({ client }) => {
      const bucket = this.layout.of(account)
      const reply = await runScript(client, name, [bucket.epoch, ...keys], [epoch, now, ...values])
      if (reply[0] === 'wiped') this.#emptied()
      return reply
    }, late)
  }

  readonly now = (): Promise<EpochMs> => this.ask(client => this.#timeOf(client))

  close(): void {
    this.#connection.close()
  }

  #emptied(): never {
    this.#connection.suspect(EMPTIED)
    throw new StoreUnavailable(`Redis cannot be used: ${EMPTIED}`)
  }

  /** Whether the server may be used: at first, and each time it comes back. */
  async #verify({ client }: Link): Promise<void> {
    const { alarm, stateDir } = this.#options
    const warnings = await checkServer(client)
    if (this.#identity) {
      const found = await readIdentity(client, this.layout)
      if (found?.epoch !== this.#identity.epoch) throw new Error(EMPTIED)
    } else {
      this.#identity = await openIdentity(client, this.layout, stateDir, await this.#timeOf(client))
      for (const warning of warnings) alarm(warning)
    }
  }

  async #timeOf(client: Client): Promise<EpochMs> {
    if (this.#options.now) return this.#options.now()
    const [seconds, micros] = await client.time()
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  }
}
