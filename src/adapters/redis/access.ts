import { join } from 'node:path'
import { STORE_SILENCE_MS } from '../../gateway/patience.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import { NEWEST_STEP } from '../../gateway/restrictions.ts'
import { LEASE_MS } from '../../gateway/store/hold-store.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { SchemaStep } from '../../records/terms.ts'
import { readAddress } from './address.ts'
import {
  type Client,
  type Link,
  type OtherScript,
  type Reply,
  runScript,
  type ScriptName,
  type Server,
  type WritingScript,
} from './client.ts'
import type { Acknowledged, ScriptCall } from './journal/acknowledged.ts'
import { JournalFiles } from './journal/files.ts'
import { type Entry, Journal } from './journal/journal.ts'
import { Replicated } from './journal/replicated.ts'
import { type Bucket, ClusterLayout, Layout } from './layout.ts'
import { ScriptGroups } from './script-groups.ts'
import {
  checkCertificates,
  checkServer,
  type Info,
  isFollowed,
  readInfo,
  StoreRefused,
  serverOf,
  type Warning,
} from './server-check.ts'
import { ClockWatch } from './servers/clock-watch.ts'
import { Cluster } from './servers/cluster.ts'
import { DedicatedConnections } from './servers/dedicated-connections.ts'
import { OneServer } from './servers/one-server.ts'
import type { Ask, Proven, Shard, Shards } from './servers/shards.ts'
import { type ServerSlots, SlotServers } from './servers/slot-servers.ts'
import { tagIn } from './servers/slots.ts'
import {
  knownEpoch,
  openIdentity,
  readBucketEpoch,
  readIdentity,
  type StoreIdentity,
  schemaOf,
  stepOfSchema,
} from './store-identity.ts'
import { noteSearched, stepOfContent } from './store-schema.ts'

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
  /** Replaces the longest silence of Redis, in tests. */
  readonly answerMs?: Millis
  /** Replaces the timers that wait for an answer, in tests. */
  readonly after?: Clock['after']
}

/** Repeats acknowledged calls, on one connection or another. */
export interface Repeater {
  call(call: ScriptCall): Promise<Reply>
  command(words: readonly string[]): Promise<unknown>
  own(hash: string, account: string): Promise<unknown>
}

export interface AccessEvents {
  /** Redis can be used again. */
  readonly back: () => void
  /** These slots are at another server, which was sent nothing yet. */
  readonly moved: (slots: ReadonlySet<number>, server: string, repeater: Repeater) => Promise<void>
}

/** An answer, and the server that gave it. */
interface Kept<T> {
  readonly answer: T
  readonly server: string
}

interface Keeping<T> {
  /** The entry that was kept before the call was sent. */
  readonly intended?: Entry
  /** True if an answer reports a change. */
  readonly isKept?: (answer: T) => boolean
}

interface RunScript {
  (account: string, name: OtherScript, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply>
  /** `step`: by which the script raises the schema. */
  (
    account: string,
    name: WritingScript,
    keys: readonly string[],
    values: readonly (string | number)[],
    step: SchemaStep,
  ): Promise<Reply>
}

type ChangeCall = [
  account: string,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
  step?: SchemaStep,
]

/** The servers of a store, and the certainty that the store there is still the same. */
export class Access {
  readonly layout: Layout
  readonly wrote: Wrote
  /** The writes that Redis acknowledged; only gateways keep them. */
  readonly journal: Journal | undefined
  readonly #options: RedisStoreOptions
  readonly #isCluster: boolean
  readonly #shards: Shards
  readonly #scripts: ScriptGroups
  readonly #events: AccessEvents
  /** State per connection: each failover closes one and opens another. */
  readonly #replicated = new WeakMap<Shard, Replicated>()
  #hasReplicas = false
  readonly #warned = new Set<string>()
  readonly #clocks: ClockWatch
  #identity: StoreIdentity | undefined
  /** The greatest step of the restrictions in the store, as far as this process knows. */
  #step = 0
  readonly #servers = new SlotServers()

  constructor(options: RedisStoreOptions, events: AccessEvents) {
    this.#options = options
    this.#events = events
    const { stateDir } = options
    if (stateDir !== undefined)
      this.journal = new Journal(options.alarm, new JournalFiles(join(stateDir, 'journal'), options.alarm))
    this.wrote = options.wrote ?? (() => {})
    const { url, sentinelPassword, tls, alarm, answerMs = STORE_SILENCE_MS, after } = options
    this.#isCluster = readAddress(url).isCluster
    this.#scripts = new ScriptGroups({ isCluster: this.#isCluster })
    const { prefix, now } = options
    this.layout = this.#isCluster ? new ClusterLayout(prefix, now) : new Layout(prefix, now)
    const server = { url, ...(sentinelPassword !== undefined && { sentinelPassword }), ...(tls && { tls }) }
    const admit = (link: Link, shard: Shard) => this.#verify(link, shard)
    const common = { server, owners: this.layout.owners, alarm, answerMs, after, admit, back: events.back }
    this.#shards = this.#isCluster
      ? new Cluster({ ...common, needed: this.layout.meta, gained: (shard, slots) => this.#gained(shard, slots) })
      : new OneServer(common)
    this.#clocks = new ClockWatch({
      shards: () => this.#shards.all(),
      read: shard => this.#readClock(shard),
      correct: (shard, ahead) => this.#correctClock(shard, ahead),
      alarm,
    })
  }

  /** Connects. Rejects with StoreUnavailable when Redis does not answer, with StoreRefused when it must not be used. */
  async open(): Promise<void> {
    checkCertificates(this.#options.tls)
    await this.#shards.open()
    this.#identity = await openIdentity(this.ask, this.layout, this.#options.stateDir, await this.now())
    this.#step = stepOfSchema(this.#identity.schema)
    if (this.#options.stateDir === undefined) return
    const { ask, layout } = this
    await this.#raise(await stepOfContent({ ask, layout, namesLike: pattern => this.namesLike(pattern) }))
    await noteSearched(this)
    if (!this.#options.now) this.#clocks.start()
  }

  /** Raises the schema before a restriction is written: an older build then refuses the store. */
  async #raise(step: number): Promise<void> {
    if (step === 0) return
    this.#step = Math.max(this.#step, step)
    const { meta } = this.layout
    const [outcome] = await this.#shards.run(meta, ({ client }) => this.#raiseAt(client))
    if (outcome === 'wiped') this.#emptied(meta)
  }

  #raiseAt(client: Client): Promise<Reply> {
    return runScript(client, 'raise', [this.layout.meta], [this.epoch, schemaOf(this.layout, this.#step)])
  }

  /** Proves another user, password or certificate; rejects where it is not accepted. */
  async prove(server: Server): Promise<Proven> {
    checkCertificates(server.tls)
    return this.#shards.prove(server)
  }

  get up(): boolean {
    return this.#shards.up
  }

  /** Which store it is. */
  get epoch(): string {
    return this.#identity?.epoch ?? ''
  }

  /** The epoch, as scripts take it. */
  get knownEpoch(): string {
    return knownEpoch(this.epoch)
  }

  /** Whether every server can be used. */
  get isWhole(): boolean {
    return this.#shards.all().every(({ up }) => up)
  }

  /** Whether the server of a key can be used. */
  readonly isUpAt = (key: string): boolean => {
    try {
      return this.#shards.shardOf(key).up
    } catch {
      // No server is known that has it.
      return false
    }
  }

  /** First day of the store, in days since the epoch. */
  get since(): number {
    return this.#identity?.since ?? 0
  }

  readonly ask: Ask = (key, commands) => this.#shards.run(key, ({ client }) => commands(client))

  readonly run = <T>(key: string, commands: (link: Link) => Promise<T>): Promise<T> => this.#shards.run(key, commands)

  /** Looks a record up. Where it is missing, makes sure that the store was not emptied: only then is it unknown. */
  readonly find = <T>(key: string, commands: (link: Link) => Promise<T | undefined | null>): Promise<T | undefined> =>
    this.#shards.run(key, async link => {
      const found = await commands(link)
      if (found !== undefined && found !== null) return found
      if ((await this.#epochBeside(key)) !== this.#identity?.epoch) this.#emptied(key)
      return undefined
    })

  /** The identity of the store as the server of a key knows it. */
  async #epochBeside(key: string): Promise<string | undefined> {
    if (!this.#isCluster) return (await readIdentity(this.ask, this.layout))?.epoch
    const epoch = this.layout.epochBeside(key) ?? this.#epochsIn(this.#shards.shardOf(key).slots)[0]
    if (epoch === undefined) throw new StoreUnavailable(`Redis cannot be used: ${UNPROVEN}`)
    const text = await this.ask(epoch, client => client.get(epoch))
    return text === null ? undefined : readBucketEpoch(text).epoch
  }

  #epochsIn(slots: ReadonlySet<number>): readonly string[] {
    return this.layout.buckets().flatMap(({ epoch }) => (slots.has(this.#shards.slotOf(epoch)) ? [epoch] : []))
  }

  /** Runs a script on the bucket of an account. `late` gets an answer that arrives after the call was given up. */
  script(
    account: string,
    name: OtherScript,
    keys: readonly string[],
    values: readonly (string | number)[],
    late?: (reply: Reply) => void,
  ): Promise<Reply> {
    const call = { account, name, keys, values }
    return this.#shards.run(this.#placeOf(account), ({ client }) => this.#runOn(client, call), late)
  }

  /** Repeats acknowledged calls on the connections in use. */
  readonly repeater: Repeater = {
    call: call => this.run(this.#placeOf(call.account), link => this.#repeaterOn(link).call(call)),
    command: words => this.run(words[1] ?? '', link => this.#repeaterOn(link).command(words)),
    own: (hash, account) => this.run(this.layout.owner(hash), link => this.#repeaterOn(link).own(hash, account)),
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
    const run = (link: Link) => this.#repeaterOn(link).command(words)
    await this.#keep({ command: words }, words[1] ?? '', run)
  }

  async own(hash: string, account: string): Promise<void> {
    const run = (link: Link) => this.#repeaterOn(link).own(hash, account)
    await this.#keep({ owner: { hash, account } }, this.layout.owner(hash), run)
  }

  /** As `script`, of a change that has its effect once: a server that takes over without it is given it again. */
  readonly change: RunScript = async (...call: ChangeCall) => (await this.#change(...call)).answer

  async #change(...[account, name, keys, values, step = 0]: ChangeCall): Promise<Kept<Reply>> {
    await this.#raise(step)
    const call = { account, name, keys, values, ...(step > 0 && { step }) }
    const run = ({ client }: Link) => this.#runOn(client, call)
    // A call that changed nothing must change nothing at a server that took over, either.
    const isKept = ([outcome]: Reply) => !WITHOUT_EFFECT.has(outcome)
    return this.#keep({ call }, this.#placeOf(account), run, { isKept })
  }

  /** As `change`, of what an operator or a person decides: resolves once a replica has it too, where there are any. */
  readonly control: RunScript = async (...call: ChangeCall) => {
    const { answer, server } = await this.#change(...call)
    const [account] = call
    await this.#replicate(this.#placeOf(account), server)
    return answer
  }

  /** As `change`, of the end of a request, or of a part of it that was intended as an entry. */
  async end(what: Acknowledged, call: ScriptCall, intended?: Entry): Promise<Reply> {
    const run = ({ client }: Link) => this.#runOn(client, call)
    return (await this.#keep(what, this.#placeOf(call.account), run, { ...(intended && { intended }) })).answer
  }

  /** Makes sure that all parts of something are sent, by a successor of this process where that ends in between. */
  async intend(parts: readonly Acknowledged[]): Promise<readonly Entry[]> {
    return (await this.journal?.intend(parts.map(what => ({ what, slot: this.slotOf(what) })))) ?? []
  }

  /** An acknowledgement of a server that was replaced meanwhile counts for nothing: its successor may lack the write. */
  async #keep<T>(
    what: Acknowledged,
    key: string,
    commands: (link: Link) => Promise<T>,
    { intended, isKept = () => true }: Keeping<T> = {},
  ): Promise<Kept<T>> {
    let server = ''
    const answer = await this.#shards.run(key, link => {
      server = link.server ?? ''
      return commands(link)
    })
    const { journal } = this
    if (!journal) return { answer, server }
    const slot = this.#shards.slotOf(key)
    if (this.#servers.of(slot) !== server)
      throw new StoreUnavailable('Redis cannot be used: another server took over while it answered')
    if (intended) journal.repeated([intended], server)
    else if (isKept(answer)) await journal.add(what, { slot, server })
    return { answer, server }
  }

  async #replicate(key: string, server: string): Promise<void> {
    if (!this.#hasReplicas && !this.journal?.hasReplicas) return
    const shard = this.#shards.shardOf(key)
    const probe = this.#probeOf(shard)
    if (probe === undefined) return
    const { alarm } = this.#options
    const replicated = this.#replicated.get(shard) ?? new Replicated({ aside: shard.aside.bind(shard), alarm })
    this.#replicated.set(shard, replicated)
    await replicated.wait(probe, server)
  }

  async #runOn(client: Client, { account, name, keys, values, step = 0 }: ScriptCall): Promise<Reply> {
    // A step of an earlier process is repeated without `change`.
    this.#step = Math.max(this.#step, step)
    const now = this.#options.now?.() ?? ''
    const bucket = this.layout.of(account)
    const known = knownEpoch(this.epoch, step)
    const reply = await this.#scripts.run(client, name, [bucket.epoch, ...keys], [known, now, ...values])
    if (reply[0] === 'wiped') this.#emptied(bucket.epoch)
    return reply
  }

  /** Whether the server of an account may not know what was admitted at a moment. */
  mayBeLost(account: string, admittedAt: EpochMs): boolean {
    if (!this.#servers.hasMoves) return false
    const movedAt = this.#servers.movedAt(this.#shards.slotOf(this.#placeOf(account)))
    return movedAt !== undefined && admittedAt <= movedAt
  }

  /** The slot of an acknowledged call. */
  slotOf(what: Acknowledged): number {
    return this.#shards.slotOf(this.#keyOf(what))
  }

  #keyOf(what: Acknowledged): string {
    if ('call' in what) return this.#placeOf(what.call.account)
    if ('command' in what) return what.command[1] ?? ''
    if ('owner' in what) return this.layout.owner(what.owner.hash)
    return this.#placeOf('refund' in what ? what.refund.account : what.settle.hold.account)
  }

  /** A key in the slot of everything that belongs to an account. */
  #placeOf(account: string): string {
    return this.layout.of(account).epoch
  }

  /** Connections for what may take its time; the caller closes them. */
  async dedicated(): Promise<DedicatedConnections> {
    // Makes sure that the store is still the same.
    await this.find(this.layout.meta, async () => undefined)
    return new DedicatedConnections(this.#shards)
  }

  /** The moment of an answer to TIME. */
  readonly momentOf = (time: readonly string[]): EpochMs => this.#options.now?.() ?? timeOf(time)

  /** Names in Redis that match a pattern, in the pages of one search: a name may come twice. */
  async *namesLike(pattern: string): AsyncGenerator<readonly string[], void, undefined> {
    for (const shard of this.#shards.all()) {
      let cursor = '0'
      do {
        const from = cursor
        const page = await shard.run(({ client }) => client.scan(from, { MATCH: pattern, COUNT: STEP }))
        cursor = String(page.cursor)
        yield page.keys
      } while (cursor !== '0')
    }
  }

  /**
   * Reads the clock of the server that has a key, because the clock of an unreachable server cannot be read. The clocks differ a
   * little.
   */
  readonly now = (key: string = this.layout.meta): Promise<EpochMs> =>
    this.ask(key, client => this.#timeOf(client, this.#shards.shardOf(key)))

  /** The clocks of the servers that have some keys, each asked once. */
  async clocksOf(keys: readonly string[]): Promise<(key: string) => EpochMs> {
    const asked = new Map<Shard, Promise<EpochMs>>()
    const timeAt = async (key: string) => {
      const shard = this.#shards.shardOf(key)
      const time = asked.get(shard) ?? this.now(key)
      asked.set(shard, time)
      return [key, await time] as const
    }
    const times = new Map(await Promise.all(keys.map(timeAt)))
    return key => times.get(key) ?? 0
  }

  /** Writes something small at every server. Rejects where one takes no writes. */
  async proveWritable(): Promise<void> {
    const probes = this.#shards.all().flatMap(shard => this.#probeOf(shard) ?? [])
    // `find` also notices a Redis that was emptied: it takes writes, but no request is served from it.
    const prove = (probe: string) =>
      this.find(probe, async ({ client }) => {
        await client.set(probe, '')
        return undefined
      })
    await Promise.all(probes.map(prove))
  }

  /** A key of a server that is written to see whether it can be; undefined where it has no keys. */
  #probeOf({ slots }: Shard): string | undefined {
    if (!this.#isCluster) return this.layout.writeProbe
    const tag = tagIn(slots)
    return tag === undefined ? undefined : `${this.layout.writeProbe}:{${tag}}`
  }

  /** The present servers, with the slots of each. */
  servers(): readonly ServerSlots[] {
    return this.#servers.all()
  }

  /** The present servers. */
  serverNames(): ReadonlySet<string> {
    return this.#servers.names()
  }

  /** Whether a server has any slots, as far as is known: it may be away. */
  serves(server: string): boolean {
    return this.#servers.has(server)
  }

  /** The replication info of each server that answers, and which server it is. */
  async readReplication(): Promise<readonly { readonly server: string; readonly info: Info }[]> {
    const asked = this.#shards
      .all()
      .map(shard =>
        shard.run(async ({ client, server = '' }) => ({ server, info: await readInfo(client, 'replication') })),
      )
    const answers = await Promise.allSettled(asked)
    return answers.flatMap(answer => {
      if (answer.status === 'fulfilled') return [answer.value]
      if (answer.reason instanceof StoreUnavailable) return []
      throw answer.reason
    })
  }

  close(): void {
    this.#clocks.stop()
    this.#shards.close()
  }

  #emptied(key: string): never {
    this.#shards.shardOf(key).suspect(EMPTIED)
    throw new StoreUnavailable(`Redis cannot be used: ${EMPTIED}`)
  }

  /** Makes sure that a server may be used, at first and each time it comes back. Rejects with the reason. */
  async #verify(link: Link, shard: Shard): Promise<void> {
    const { client } = link
    const { slots } = shard
    const tag = this.#isCluster ? tagIn(slots) : ''
    const { warnings, info } = await checkServer(client, this.layout, this.#isCluster, tag)
    const server = serverOf(info)
    link.server = server
    this.journal?.begin(info)
    if (isFollowed(info)) this.#hasReplicas = true
    if (this.#identity) await this.#checkEpochs(client, slots, this.#identity)
    for (const warning of warnings) this.#warn(warning)
    const timeOf = () => this.#timeOf(client, shard)
    await this.#takeOver(server, slots, this.#repeaterOn(link), timeOf)
    // A server that took over may lack it.
    if (this.#step > 0 && this.#hasMeta(slots)) await this.#raiseAt(client)
  }

  #hasMeta(slots: ReadonlySet<number>): boolean {
    return !this.#isCluster || slots.has(this.#shards.slotOf(this.layout.meta))
  }

  async #checkEpochs(client: Client, slots: ReadonlySet<number>, { epoch }: StoreIdentity): Promise<void> {
    const found = this.#isCluster
      ? (await Promise.all(this.#epochsIn(slots).map(key => client.get(key)))).map(text => epochIn(text ?? ''))
      : [(await readIdentity((_key, commands) => commands(client), this.layout))?.epoch]
    if (found.some(each => each !== epoch)) throw new Error(EMPTIED)
  }

  /** As a server is given what it may lack when it comes back, of slots that it has only now. */
  async #gained(shard: Shard, slots: ReadonlySet<number>): Promise<void> {
    const repeater: Repeater = {
      call: call => shard.run(link => this.#repeaterOn(link).call(call)),
      command: words => shard.run(link => this.#repeaterOn(link).command(words)),
      own: (hash, account) => shard.run(link => this.#repeaterOn(link).own(hash, account)),
    }
    const server = await shard.run(async link => link.server ?? '')
    await this.#takeOver(server, slots, repeater, () => shard.run(({ client }) => this.#timeOf(client, shard)))
  }

  /** Gives a server what those before it had acknowledged of slots that it has now. */
  async #takeOver(
    server: string,
    slots: ReadonlySet<number>,
    repeater: Repeater,
    timeOf: () => Promise<EpochMs>,
  ): Promise<void> {
    const takenOver = this.#servers.takenOver(server, slots)
    if (takenOver.size > 0) this.#servers.noteMove(takenOver, await timeOf())
    // A server that was away when this process started may lack acknowledged writes of the one before it.
    const moved = this.#identity ? new Set([...takenOver, ...this.#servers.unknown(slots)]) : takenOver
    if (moved.size > 0) await this.#events.moved(moved, server, repeater)
    this.#servers.assign(server, slots)
  }

  #warn(warning: Warning): void {
    if (this.#warned.has(warning)) return
    this.#warned.add(warning)
    this.#options.alarm(warning)
  }

  /** As scripts at a server count. */
  async #timeOf(client: Client, shard: Shard): Promise<EpochMs> {
    const time = this.#options.now?.() ?? this.momentOf(await client.time())
    return time + this.#clocks.aheadAt(shard, time)
  }

  #readClock(shard: Shard) {
    const [bucket] = this.#bucketsOf(shard)
    return shard.run(async ({ client }) => {
      const [time, kept] = await Promise.all([client.time(), bucket && client.get(bucket.clock)])
      return { time: this.momentOf(time), kept }
    })
  }

  async #correctClock(shard: Shard, ahead: Millis): Promise<void> {
    await Promise.all(
      this.#bucketsOf(shard).map(({ epoch, clock, leases, sharedLeases }) => {
        const values = [this.knownEpoch, '', ahead, LEASE_MS]
        return shard.run(({ client }) => runScript(client, 'steady', [epoch, clock, leases, sharedLeases], values))
      }),
    )
  }

  #bucketsOf({ slots }: Shard): readonly Bucket[] {
    const buckets = this.layout.buckets()
    return this.#isCluster ? buckets.filter(({ epoch }) => slots.has(this.#shards.slotOf(epoch))) : buckets
  }
}

/** The epoch in a bucket. Throws StoreRefused where its restrictions are of a newer version. */
function epochIn(text: string): string {
  const { epoch, step } = readBucketEpoch(text)
  if (step > NEWEST_STEP) throw new StoreRefused(`the store has restrictions that a newer version wrote`)
  return epoch
}

/** The clock of Redis, of an answer to TIME. */
export const timeOf = ([seconds, micros]: readonly string[]): EpochMs =>
  Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)

/** Names that Redis examines in one step of a search. */
const STEP = 1000

/** Answers of changes that were refused. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['unknown', 'changed', 'full', 'exists'])

const EMPTIED =
  'it was emptied or replaced after this gateway started; restore it, or, if this was intended, remove store-epoch from each state_dir and restart'
const UNPROVEN = 'a master has none of the 256 buckets of the store, and nothing shows whether it was emptied'
