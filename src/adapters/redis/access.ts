import type { Alarm } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Client, type Link, type Reply, runScript, type ScriptName, type Server } from './client.ts'
import { ANSWER_MS, Connection } from './connection.ts'
import { Layout } from './layout.ts'
import { checkCertificates, checkServer } from './server-check.ts'
import { openIdentity, readIdentity, type StoreIdentity } from './store-identity.ts'

export interface RedisStoreOptions extends Server {
  /** The prefix of all keys. */
  readonly prefix: string
  /**
   * The directory where this process keeps settlements while the store is down; no other process may use it. Without it
   * they reject, and an empty Redis is refused: only a gateway creates a store.
   */
  readonly stateDir?: string
  readonly alarm: Alarm
  readonly wrote?: Wrote
  /** How long rows are kept. A settlement that waited longer for the store could be charged twice. */
  readonly keep?: () => Millis
  /** Replaces the clock of Redis in tests. */
  readonly now?: () => EpochMs
  /** Replaces the 200 ms to wait for an answer of Redis, in tests. */
  readonly answerMs?: Millis
}

/** Runs commands; rejects with StoreUnavailable. Long reads are split into pages, each of which must be answered in time. */
export type Ask = <T>(commands: (client: Client) => Promise<T>) => Promise<T>

/** A connection to Redis that makes sure that the store at the other end is still the same. */
export class Access {
  readonly layout: Layout
  readonly wrote: Wrote
  readonly #options: RedisStoreOptions
  readonly #connection: Connection
  #identity: StoreIdentity | undefined

  /** `back` is called each time Redis can be used again. */
  constructor(options: RedisStoreOptions, back: () => void) {
    this.#options = options
    this.wrote = options.wrote ?? (() => {})
    this.layout = new Layout(options.prefix)
    const { url, sentinelPassword, tls, alarm, answerMs = ANSWER_MS } = options
    const server = { url, ...(sentinelPassword !== undefined && { sentinelPassword }), ...(tls && { tls }) }
    const admit = (link: Link) => this.#verify(link)
    this.#connection = new Connection({ server, owners: this.layout.owners, alarm, answerMs, admit, back })
  }

  /** Connects. Rejects with StoreUnavailable when Redis does not answer, with StoreRefused when it must not be used. */
  async open(): Promise<void> {
    checkCertificates(this.#options.tls)
    await this.#connection.open()
  }

  /** Proves another user, password or certificate; rejects where it is not accepted. What it resolves to puts it in force. */
  async prove(server: Server): Promise<() => void> {
    checkCertificates(server.tls)
    return this.#connection.prove(server)
  }

  get up(): boolean {
    return this.#connection.up
  }

  /** First day of the store, in days since the epoch. */
  get since(): number {
    return this.#identity?.since ?? 0
  }

  readonly ask: Ask = commands => this.#connection.run(({ client }) => commands(client))

  /** Looks a record up. Where it is missing, makes sure that the store was not emptied: only then is it unknown. */
  readonly find = <T>(commands: (link: Link) => Promise<T | undefined | null>): Promise<T | undefined> =>
    this.#connection.run(async link => {
      const found = await commands(link)
      if (found !== undefined && found !== null) return found
      const identity = await readIdentity(link.client, this.layout)
      if (identity?.epoch !== this.#identity?.epoch) this.#emptied()
      return undefined
    })

  readonly run = <T>(commands: (link: Link) => Promise<T>): Promise<T> => this.#connection.run(commands)

  /** Runs a script on the bucket of an account. `late` gets an answer that arrives after the call was given up. */
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

  /** Names in Redis that match a pattern, in the pages of one search: a name may come twice. */
  async *namesLike(pattern: string): AsyncGenerator<readonly string[], void, undefined> {
    let cursor = '0'
    do {
      const from = cursor
      const page = await this.ask(client => client.scan(from, { MATCH: pattern, COUNT: STEP }))
      cursor = String(page.cursor)
      yield page.keys
    } while (cursor !== '0')
  }

  readonly now = (): Promise<EpochMs> => this.ask(client => this.#timeOf(client))

  close(): void {
    this.#connection.close()
  }

  #emptied(): never {
    this.#connection.suspect(EMPTIED)
    throw new StoreUnavailable(`Redis cannot be used: ${EMPTIED}`)
  }

  /** Makes sure that the server may be used, at first and each time it comes back. Rejects with the reason. */
  async #verify({ client }: Link): Promise<void> {
    const { alarm, stateDir } = this.#options
    const warnings = await checkServer(client, this.layout)
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

/** Names that Redis examines in one step of a search. */
const STEP = 1000

const EMPTIED =
  'it was emptied or replaced since this gateway began; restore it, or, if this was meant, remove store-epoch from each state_dir and restart'
