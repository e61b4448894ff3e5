import type { Alarm } from '../../../gateway/ports.ts'
import { type Info, isFollowed } from '../server-check.ts'
import type { Acknowledged } from './acknowledged.ts'
import { type JournalFiles, KEPT_MS } from './files.ts'

/**
 * The writes that Redis acknowledged to this gateway, oldest first, until every replica has them. Redis acknowledges before it sends to
 * replicas: one that takes over may lack the last of it, and is then given it again.
 */
export class Journal {
  readonly #alarm: Alarm
  readonly #files: JournalFiles
  #entries: Entry[] = []
  /** The number that the next entry gets. */
  #number = 0
  /** How many acknowledgements there were. */
  #count = 0
  /** The epoch of the store: writes that another store acknowledged are not repeated to it. */
  #epoch = ''
  /** How far each look at a server saw: it had acknowledged so many at that offset. Oldest first. */
  readonly #looks = new Map<string, readonly Look[]>()
  #isFull = false
  #hadReplicas = false

  /** `files` outlive a kill of this process. */
  constructor(alarm: Alarm, files: JournalFiles) {
    this.#alarm = alarm
    this.#files = files
  }

  /**
   * Takes over what a process before this one left of the same store, as if this one had been acknowledged. True where it left
   * anything.
   */
  async open(epoch: string, slotOf: (what: Acknowledged) => number): Promise<boolean> {
    this.#epoch = epoch
    const left = await this.#files.readLeft(epoch)
    for (const { what, server, at } of left) this.#push(what, { slot: slotOf(what), server }, Date.now() - at)
    if (left.some(({ server }) => server !== '')) this.#hadReplicas = true
    return left.length > 0
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  /** How many acknowledgements there were: those that follow are not seen by a look that was asked for before. */
  get count(): number {
    return this.#count
  }

  get hasReplicas(): boolean {
    return this.#hadReplicas
  }

  /** Keeps nothing for a server without replicas: none takes over from it, and its disk is the truth. */
  async add(what: Acknowledged, by: Acknowledger): Promise<void> {
    if (!this.#hadReplicas) return
    const { number } = this.#push(what, by)
    this.#bound()
    await this.#files.append({ what, number, server: by.server, epoch: this.#epoch })
  }

  /**
   * Keeps what is about to be sent to several servers, before any of them acknowledges it, replicas or not: where this process
   * ends in between, its successor sends all of it.
   */
  async intend(all: readonly { readonly what: Acknowledged; readonly slot: number }[]): Promise<readonly Entry[]> {
    const entries = all.map(({ what, slot }) => this.#push(what, { slot, server: '' }))
    this.#bound()
    const append = ({ what, number }: Entry) => this.#files.append({ what, number, server: '', epoch: this.#epoch })
    await Promise.all(entries.map(append))
    return entries
  }

  /** Slots are at another server than before, and may come back without what that one lacked. */
  async moved(): Promise<void> {
    if (this.#entries.length > 0) await this.#files.moved()
  }

  #push(what: Acknowledged, { slot, server }: Acknowledger, age = 0): Entry {
    const at = performance.now() - Math.max(0, age)
    const entry = { what, at, number: this.#number++, slot, server, count: this.#count++ }
    this.#entries.push(entry)
    return entry
  }

  #bound(): void {
    if (this.#entries.length <= MOST) return
    this.#forget(this.#entries.slice(-MOST / 2))
    if (!this.#isFull) this.#alarm('replicas of Redis are far behind: a failover may lose what they lack', {})
    this.#isFull = true
  }

  /** Entries of these slots that other servers acknowledged, oldest first. */
  lackedBy(server: string, slots: ReadonlySet<number>): readonly Entry[] {
    return this.#entries.filter(entry => entry.server !== server && slots.has(entry.slot))
  }

  /** A server acknowledged entries that another one had before, or none. */
  repeated(entries: readonly Entry[], server: string): void {
    for (const entry of entries) {
      entry.server = server
      entry.count = this.#count++
    }
  }

  /** Takes in a server's replication info. A server that once had replicas may have some again. */
  begin(info: Info): void {
    if (isFollowed(info)) this.#hadReplicas = true
  }

  /** Forgets what all replicas of a server have, by what it says of itself and of them. `asked` was `count` when it was asked. */
  look(server: string, info: Info, asked: number): void {
    const offset = Number(info.get('master_repl_offset'))
    const replicas = offsetsIn(info)
    this.begin(info)
    this.#forgetOlder(performance.now() - KEPT_MS)
    if (replicas.length === 0) {
      // An intended write is kept for a server without replicas too, until the server has it.
      if (!this.#hadReplicas) this.#forgetOf(server, asked)
      return
    }
    const least = Math.min(...replicas)
    const looks = [...(this.#looks.get(server) ?? []), { count: asked, offset }]
    const last = looks.findLast(look => look.offset <= least)
    this.#looks.set(
      server,
      looks.filter(look => look.offset > least),
    )
    if (last) this.#forgetOf(server, last.count)
  }

  /** Forgets the calls that a server acknowledged before a count. */
  #forgetOf(server: string, count: number): void {
    this.#forget(this.#entries.filter(entry => entry.server !== server || entry.count >= count))
  }

  /** Forgets how far looks at servers saw that are no primaries any more: one that is again has other offsets. */
  keepLooks(servers: ReadonlySet<string>): void {
    for (const server of this.#looks.keys()) if (!servers.has(server)) this.#looks.delete(server)
  }

  #forgetOlder(at: number): void {
    const [oldest] = this.#entries
    if (oldest && oldest.at < at) this.#forget(this.#entries.filter(entry => entry.at >= at))
  }

  #forget(kept: Entry[]): void {
    if (kept.length === this.#entries.length) return
    this.#entries = kept
    this.#files.forgetBefore(kept[0]?.number ?? this.#number)
    this.#isFull = this.#isFull && kept.length > MOST / 4
  }
}

/** Who acknowledged something. */
export interface Acknowledger {
  readonly slot: number
  readonly server: string
}

/** Something that is kept until replicas have it. */
export interface Entry {
  readonly what: Acknowledged
  readonly at: number
  /** Its place in the files. */
  readonly number: number
  readonly slot: number
  /** Which server acknowledged it last, and how many acknowledgements there were before. */
  server: string
  count: number
}

interface Look {
  readonly count: number
  readonly offset: number
}

/** How far each replica that is connected has come. */
function offsetsIn(info: Info): readonly number[] {
  const said = [...info].flatMap(([name, value]) => (/^slave\d+$/.test(name) ? [value] : []))
  return said.flatMap(text => (text.includes('state=online') ? [Number(/offset=(\d+)/.exec(text)?.[1] ?? 0)] : []))
}

/** The most that are kept, about a kilobyte each. */
const MOST = 100_000
