import { join } from 'node:path'
import type { Alarm } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Client, type Link, type Reply, runScript, type ScriptName, type Server } from './client.ts'
import { ANSWER_MS, Connection } from './connection.ts'
import type { ScriptCall } from './journal/acknowledged.ts'
import { Journal } from './journal/journal.ts'
import { JournalFiles } from './journal/journal-files.ts'
import { Replicated, type ReplicatedPorts } from './journal/replicated.ts'
import { Layout } from './layout.ts'
import { checkCertificates, checkServer, isFollowed, serverOf } from './server-check.ts'
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
/** Repeats what was acknowledged, on one connection or another. */
export interface Repeater {
  call(call: ScriptCall): Promise<Reply>
  command(words: readonly string[]): Promise<unknown>
  own(hash: string, account: string): Promise<unknown>
}

export interface AccessEvents {
  /** Redis can be used again. */
  readonly back: () => void
  /** Another server is there, which was sent nothing yet. */
  readonly moved: (server: string, repeater: Repeater) => Promise<void>
}

export type Ask = <T>(commands: (client: Client) => Promise<T>) => Promise<T>

type RunScript = (
  account: string,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<Reply>

/** A connection to Redis that makes sure that the store at the other end is still the same. */
export class Access {
  readonly layout: Layout
  readonly wrote: Wrote
  /** What Redis acknowledged; only gateways keep it. */
  readonly journal: Journal | undefined
  readonly #options: RedisStoreOptions
  readonly #connection: Connection
  readonly #events: AccessEvents
  readonly #replicated: Replicated
  #hasReplicas = false
  #identity: StoreIdentity | undefined
  #server: string | undefined
  #movedAt: EpochMs | undefined

  constructor(options: RedisStoreOptions, events: AccessEvents) {
    this.#options = options
    this.#events = events
    const { stateDir } = options
    if (stateDir !== undefined)
      this.journal = new Journal(options.alarm, new JournalFiles(join(stateDir, 'journal'), options.alarm))
    this.wrote = options.wrote ?? (() => {})
    this.layout = new Layout(options.prefix)
    const { url, sentinelPassword, tls, alarm, answerMs = ANSWER_MS } = options
    const server = { url, ...(sentinelPassword !== undefined && { sentinelPassword }), ...(tls && { tls }) }
    const admit = (link: Link) => this.#verify(link)
    this.#connection = new Connection({ server, owners: this.layout.owners, alarm, answerMs, admit, back: events.back })
    const aside: ReplicatedPorts['aside'] = commands => this.#connection.aside(commands)
    this.#replicated = new Replicated({ aside, probe: this.layout.writeProbe, alarm })
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
    return this.#connection.run(({ client }) => this.#runOn(client, { account, name, keys, values }), late)
  }

  /** Repeats what was acknowledged on the connection that serves. */
  readonly repeater: Repeater = {
    call: call => this.run(link => this.#repeaterOn(link).call(call)),
    command: words => this.run(link => this.#repeaterOn(link).command(words)),
    own: (hash, account) => this.run(link => this.#repeaterOn(link).own(hash, account)),
  }

  #repeaterOn({ client, owners }: Link): Repeater {
    return {
      call: call => this.#runOn(client, call),
      command: words => client.sendCommand([...words]),
      own: (hash, account) => owners.set(hash, account),
    }
  }

  /** Runs a command that changes nothing when it is repeated, and keeps it as `change` does. */
  async set(...words: readonly string[]): Promise<void> {
    await this.repeater.command(words)
    await this.journal?.add({ command: words })
  }

  async own(hash: string, account: string): Promise<void> {
    await this.repeater.own(hash, account)
    await this.journal?.add({ owner: { hash, account } })
  }

  /** As `script`, of a change that has its effect once: a server that takes over without it is given it again. */
  readonly change: RunScript = async (account, name, keys, values) => {
    const call = { account, name, keys, values }
    const reply = await this.repeater.call(call)
    await this.journal?.add({ call })
    return reply
  }

  /** As `change`, of what an operator or a person decides: resolves once a replica has it too, where there are any. */
  readonly control: RunScript = async (account, name, keys, values) => {
    const reply = await this.change(account, name, keys, values)
    if (this.#hasReplicas || this.journal?.hasReplicas) await this.#replicated.wait()
    return reply
  }

  async #runOn(client: Client, { account, name, keys, values }: ScriptCall): Promise<Reply> {
    const { epoch } = this.#identity ?? { epoch: '' }
    const now = this.#options.now?.() ?? ''
    const bucket = this.layout.of(account)
    const reply = await runScript(client, name, [bucket.epoch, ...keys], [epoch, now, ...values])
    if (reply[0] === 'wiped') this.#emptied()
    return reply
  }

  /** Whether what was admitted at a moment may be unknown to the server that is there now. */
  mayBeLost(admittedAt: EpochMs): boolean {
    return this.#movedAt !== undefined && admittedAt <= this.#movedAt
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
  async #verify(link: Link): Promise<void> {
    const { client } = link
    const { alarm, stateDir } = this.#options
    const { warnings, info } = await checkServer(client, this.layout)
    const server = serverOf(info)
    this.journal?.begin(info)
    this.#hasReplicas = isFollowed(info)
    if (this.#identity) {
      const found = await readIdentity(client, this.layout)
      if (found?.epoch !== this.#identity.epoch) throw new Error(EMPTIED)
    } else {
      this.#identity = await openIdentity(client, this.layout, stateDir, await this.#timeOf(client))
      for (const warning of warnings) alarm(warning)
    }
    if (this.#server !== undefined && server !== this.#server) {
      this.#movedAt = await this.#timeOf(client)
      await this.#events.moved(server, this.#repeaterOn(link))
    }
    this.#server = server
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
