import type { Alarm } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access, Repeater } from './access.ts'
import { isScriptError, type Reply, type ScriptName } from './client.ts'
import { endCall } from './hold-endings.ts'
import type { Acknowledged, ScriptCall } from './journal/acknowledged.ts'
import { KEPT_MS } from './journal/files.ts'
import type { Entry, Journal } from './journal/journal.ts'

/** The servers of a store, as repetition needs them. */
export type Receivers = Pick<
  Access,
  'epoch' | 'layout' | 'slotOf' | 'servers' | 'serverNames' | 'serves' | 'repeater' | 'readReplication'
>

/**
 * Repeats to a server that took over the writes that Redis acknowledged to this gateway. Writes that the server already has change
 * nothing: every call of the journal takes effect once.
 */
export class Repetition {
  readonly #access: Receivers
  readonly #journal: Journal
  readonly #alarm: Alarm
  /** The repetitions in progress, by server. */
  readonly #given = new Map<string, Giving>()
  /** Entries that arrived before their predecessor, which another process repeats. */
  readonly #early = new Map<Entry, Early>()
  #timer: NodeJS.Timeout | undefined
  #rest: Promise<void> = Promise.resolve()
  #closed = false
  #isBlind = false

  constructor(access: Receivers, journal: Journal, alarm: Alarm) {
    this.#access = access
    this.#journal = journal
    this.#alarm = alarm
  }

  /**
   * Repeats what an earlier process left for servers that had not acknowledged it; then checks once a second what
   * replicas have.
   */
  async open(): Promise<void> {
    if (await this.#journal.open(this.#access.epoch, what => this.#access.slotOf(what))) {
      for (const { server, slots } of this.#access.servers()) await this.before(slots, server, this.#access.repeater)
    }
    this.goOn()
    this.#lookSoon()
  }

  #lookSoon(): void {
    if (this.#closed) return
    this.#timer = setTimeout(async () => {
      await this.#look().then(
        () => {
          this.#isBlind = false
        },
        error => this.#blinded(error),
      )
      this.#tryEarly()
      this.#lookSoon()
    }, LOOK_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#rest
    // A later process cannot know what replicas have by now.
    await this.#look().catch(() => {})
    await this.#journal.close()
  }

  /** As `before`, for slots that moved from another server. */
  async moved(slots: ReadonlySet<number>, server: string, repeater: Repeater): Promise<void> {
    await this.#journal.moved()
    await this.before(slots, server, repeater)
  }

  /**
   * Runs before a server serves some slots: repeats as much as there is time for, decisions first. Rejects if the
   * server does not answer.
   */
  async before(slots: ReadonlySet<number>, server: string, repeater: Repeater): Promise<void> {
    const { slots: before = [], count = 0 } = this.#given.get(server) ?? {}
    const all = new Set([...before, ...slots])
    const entries = decisionsFirst(this.#journal.lackedBy(server, all))
    const giving: Giving = { slots: all, entries, next: 0, count, isFirst: true }
    this.#given.set(server, giving)
    const until = performance.now() + FENCE_MS
    try {
      await this.#give(server, giving, repeater, () => performance.now() < until)
    } finally {
      giving.isFirst = false
    }
  }

  /** Repeats the rest while the servers serve. */
  goOn(): void {
    for (const [server, giving] of this.#given) {
      if (giving.isFirst) continue
      // A server that goes away gets the rest when it returns. Its successor started over, and has everything by then.
      if (this.#access.serves(server)) this.#rest = this.#rest.then(() => this.#giveRest(server, giving))
      else this.#given.delete(server)
    }
  }

  #giveRest(server: string, giving: Giving): Promise<void> {
    return this.#give(server, giving, this.#access.repeater, () => this.#access.serves(server)).catch(() => {})
  }

  async #give(server: string, giving: Giving, repeater: Repeater, goesOn: () => boolean): Promise<void> {
    while (this.#given.get(server) === giving && goesOn() && !this.#closed) {
      const some = nextOf(giving)
      if (some.length === 0) return this.#ended(server, giving.count)
      const replies = await Promise.all(some.map(({ what }) => this.#repeatOne(what, repeater)))
      const isEarly = replies.map(reply => reply !== undefined && EARLY.has(reply[0]))
      this.#journal.repeated(
        some.filter((_, at) => !isEarly[at]),
        server,
      )
      for (const [at, entry] of some.entries()) this.#keepEarly(entry, isEarly[at] ? server : undefined)
      giving.count += replies.filter(isNews).length
      giving.next += some.length
    }
  }

  #keepEarly(entry: Entry, server: string | undefined): void {
    if (server === undefined) {
      this.#early.delete(entry)
      return
    }
    const { tries = 0 } = this.#early.get(entry) ?? {}
    const at = performance.now() + Math.min(LOOK_MS * 2 ** tries, EARLY_MS)
    this.#early.set(entry, { server, tries: tries + 1, at })
  }

  /** Retries changes that arrived before their predecessor. A change that another one superseded never applies, and expires. */
  #tryEarly(): void {
    if (this.#early.size === 0) return
    const now = performance.now()
    const due = new Map<string, Entry[]>()
    const servers = this.#access.servers()
    for (const [entry, { server, at }] of this.#early) {
      // A promoted server receives it again.
      const isThere = servers.some(each => each.server === server && each.slots.has(entry.slot))
      if (!isThere || entry.at < now - KEPT_MS) this.#early.delete(entry)
      else if (at <= now && !this.#given.has(server)) due.set(server, [...(due.get(server) ?? []), entry])
    }
    for (const [server, entries] of due)
      this.#given.set(server, { slots: new Set(), entries, next: 0, count: 0, isFirst: false })
    if (due.size > 0) this.goOn()
  }

  async #repeatOne(entry: Acknowledged, repeater: Repeater): Promise<Reply | undefined> {
    try {
      return await this.#repeatEntry(entry, repeater)
    } catch (error) {
      if (!isScriptError(error)) throw error
      this.#alarm('a server that took over does not take what Redis had acknowledged', { error: String(error) })
      return undefined
    }
  }

  async #repeatEntry(entry: Acknowledged, repeater: Repeater): Promise<Reply | undefined> {
    if ('call' in entry) return repeater.call(againOf(entry.call))
    if ('command' in entry) await repeater.command(entry.command)
    else if ('owner' in entry) await repeater.own(entry.owner.hash, entry.owner.account)
    else return repeater.call(endCall(this.#access.layout, entry, true))
    return undefined
  }

  #ended(server: string, count: number): void {
    this.#given.delete(server)
    if (count > 0)
      this.#alarm('a server took over that lacked what Redis had acknowledged, and has it again', { count })
  }

  /** Everything is kept until a check succeeds. */
  #blinded(error: unknown): void {
    if (!this.#isBlind)
      this.#alarm('Redis does not say what its replicas have: all that it acknowledged is kept', {
        error: String(error),
      })
    this.#isBlind = true
  }

  async #look(): Promise<void> {
    const asked = this.#journal.count
    const seen = await this.#access.readReplication()
    for (const { server, info } of seen) this.#journal.look(server, info, asked)
    this.#journal.keepLooks(this.#access.serverNames())
  }
}

/**
 * Decisions about keys and terms come before the ends of requests, since time may not suffice for all, and no decision
 * depends on an end. Both keep their own order.
 */
function decisionsFirst(entries: readonly Entry[]): readonly Entry[] {
  const isOfEnd = entries.map(({ what }) => isEnd(what))
  return [...entries.filter((_, at) => !isOfEnd[at]), ...entries.filter((_, at) => isOfEnd[at])]
}

function isEnd(what: Acknowledged): boolean {
  if ('call' in what) return what.call.name === 'give' || what.call.name === 'waste'
  return 'settle' in what || 'refund' in what
}

/**
 * Groups the calls to send together, with at most one decision per account: a script that the server has not loaded is
 * sent again, after all others.
 */
function nextOf({ entries, next }: Giving): readonly Entry[] {
  const some: Entry[] = []
  const decided = new Set<string>()
  for (const entry of entries.slice(next, next + AT_ONCE)) {
    const { what } = entry
    if ('call' in what && !isEnd(what)) {
      if (decided.has(what.call.account)) break
      decided.add(what.call.account)
    }
    some.push(entry)
  }
  return some
}

/** The repetition to one server: its slots, its progress, and how many entries the server lacked. */
interface Giving {
  readonly slots: ReadonlySet<number>
  readonly entries: readonly Entry[]
  next: number
  count: number
  /** Whether the server does not yet serve requests. */
  isFirst: boolean
}

/**
 * A call about a key in the form in which it is repeated: another gateway's decision about the key may already be
 * there, or arrive later.
 */
const againOf = (call: ScriptCall): ScriptCall =>
  OF_KEYS.has(call.name) ? { ...call, values: [...call.values, AGAIN] } : call
const OF_KEYS: ReadonlySet<string> = new Set<ScriptName>(['mint', 'rotate', 'revoke'])
const AGAIN = 'again'

/** An entry whose predecessor a server lacks, how often it was tried, and when to retry. */
interface Early {
  readonly server: string
  readonly tries: number
  readonly at: number
}
/** The outcomes of a decision whose predecessor the server lacks. */
const EARLY: ReadonlySet<string> = new Set(['unknown', 'changed'])
/** The longest time between two retries. */
const EARLY_MS: Millis = 30_000

/** Whether the server lacked it. */
const isNews = (reply: Reply | undefined): boolean => reply !== undefined && NEWS.has(reply[0])
const NEWS: ReadonlySet<string> = new Set(['settled', 'minted', 'rotated', 'revoked', 'done', 'recorded'])

const LOOK_MS: Millis = 1000
/** The longest wait of requests for a server that took over. */
const FENCE_MS: Millis = 2000
const AT_ONCE = 128
