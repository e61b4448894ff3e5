import type { Alarm } from '../../../gateway/ports.ts'
import type { Millis } from '../../../policy/config.ts'
import { type Info, isFollowed } from '../server-check.ts'
import type { Acknowledged } from './acknowledged.ts'
import type { JournalFiles } from './journal-files.ts'

/**
 * What Redis acknowledged to this gateway, oldest first, until every replica has it. Redis acknowledges before it sends to
 * replicas: one that takes over may lack the last of it, and is then given it again.
 */
export class Journal {
  readonly #alarm: Alarm
  readonly #files: JournalFiles
  #entries: Entry[] = []
  /** How many were ever forgotten, and so the number of the first that is kept. */
  #first = 0
  /** How far each look at the primary saw: it had these entries at that offset. Oldest first. */
  #looks: { readonly number: number; readonly offset: number }[] = []
  #isFull = false
  #hadReplicas = false

  /** `files` outlive a kill of this process. */
  constructor(alarm: Alarm, files: JournalFiles) {
    this.#alarm = alarm
    this.#files = files
  }

  /** Takes over what a process before this one left. True where it left anything. */
  async open(): Promise<boolean> {
    const left = await this.#files.readLeft()
    this.#entries = left.map(what => ({ what, at: performance.now() }))
    if (left.length > 0) this.#hadReplicas = true
    return left.length > 0
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  /** The number that the next entry gets. */
  get next(): number {
    return this.#first + this.#entries.length
  }

  get hasReplicas(): boolean {
    return this.#hadReplicas
  }

  /** Of a server without replicas nothing is kept: none takes over from it, and its disk is the truth. */
  async add(what: Acknowledged): Promise<void> {
    if (!this.#hadReplicas) return
    const number = this.next
    this.#entries.push({ what, at: performance.now() })
    this.#bound()
    await this.#files.append(what, number)
  }

  #bound(): void {
    if (this.#entries.length <= MOST) return
    this.#forgetBefore(this.next - MOST / 2)
    if (!this.#isFull) this.#alarm('replicas of Redis are far behind: a failover may lose what they lack', {})
    this.#isFull = true
  }

  /** Those from a number on, oldest first, at most so many. `next` is the number behind them. */
  from(number: number, most: number): { readonly entries: readonly Acknowledged[]; readonly next: number } {
    const at = Math.max(0, number - this.#first)
    const entries = this.#entries.slice(at, at + most).map(({ what }) => what)
    return { entries, next: Math.max(number, this.#first) + entries.length }
  }

  /** What the primary says of itself. One that was followed once may be followed again. */
  begin(info: Info): void {
    if (isFollowed(info)) this.#hadReplicas = true
  }

  /** Forgets what all replicas have, by what the primary says of itself and of them. `asked` was next when it was asked. */
  look(info: Info, asked: number): void {
    const offset = Number(info.get('master_repl_offset'))
    const replicas = offsetsIn(info)
    this.begin(info)
    this.#forgetOlder(performance.now() - KEPT_MS)
    if (replicas.length === 0) return
    this.#looks.push({ number: asked, offset })
    const least = Math.min(...replicas)
    const seen = this.#looks.filter(look => look.offset <= least)
    this.#looks = this.#looks.filter(look => look.offset > least)
    const last = seen.at(-1)
    if (last) this.#forgetBefore(last.number)
  }

  /** Another server has other offsets. */
  moved(): void {
    this.#looks = []
  }

  #forgetOlder(at: number): void {
    const kept = this.#entries.findIndex(entry => entry.at >= at)
    this.#forgetBefore(kept < 0 ? this.next : this.#first + kept)
  }

  #forgetBefore(number: number): void {
    const count = Math.min(number - this.#first, this.#entries.length)
    if (count <= 0) return
    this.#entries.splice(0, count)
    this.#first += count
    this.#files.forgetBefore(this.#first)
    this.#isFull = this.#isFull && this.#entries.length > MOST / 4
  }
}

/** How far each replica that is connected has come. */
function offsetsIn(info: Info): readonly number[] {
  const said = [...info].flatMap(([name, value]) => (/^slave\d+$/.test(name) ? [value] : []))
  return said.flatMap(text => (text.includes('state=online') ? [Number(/offset=(\d+)/.exec(text)?.[1] ?? 0)] : []))
}

interface Entry {
  readonly what: Acknowledged
  readonly at: number
}

/** The most that are kept, about a kilobyte each. */
const MOST = 100_000
/** Replicas that are behind for longer are not waited for. */
const KEPT_MS: Millis = 600_000
