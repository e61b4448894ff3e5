import type { Millis } from '../../policy/config.ts'
import type { NoticeRule } from '../../policy/limits/notice-rule.ts'
import type { Notice } from '../../records/notice.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import { noticeOf, waits } from '../store/notice.ts'
import { MOST_WAITING, type NoticeStore } from '../store/notice-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'
import type { EventWatch } from './event-watch.ts'
import { isDue, Lane, type Letter, type Target } from './lane.ts'

export interface NotifierPorts {
  readonly store: NoticeStore
  /** As the files say at this moment. */
  readonly rules: () => readonly NoticeRule[]
  readonly targets: () => ReadonlyMap<string, Target>
  /** Makes notices of events beside limits. */
  readonly events?: Pick<EventWatch, 'begin' | 'done'>
  /** Different in each process. */
  readonly holder: string
  readonly clock: Clock
  readonly alarm: Alarm
}

/**
 * Makes notices of what settlements wrote down, and delivers them: in one process of all gateways on the store at a time. It
 * keeps what waits in memory, and writes to the store how far each notice came, so that one is sent again only where a process
 * died before it could.
 */
export class Notifier {
  readonly #ports: NotifierPorts
  readonly #stop: Cancel
  /** Waiting notices by id, oldest first. */
  readonly #waiting = new Map<string, Notice>()
  readonly #lanes = new Map<string, Lane>()
  #run: Promise<void> = Promise.resolve()
  /** The number of the last notice that was read; undefined where this process does not deliver. */
  #read: number | undefined
  #isStopped = false
  #trimAt: Millis = 0
  #isFull = false

  constructor(ports: NotifierPorts) {
    this.#ports = ports
    this.#stop = every(ports.clock, TURN_MS, () => this.turn())
  }

  /** Whether this process delivers: else another one on the same store does, or none has to. */
  get isHere(): boolean {
    return this.#read !== undefined
  }

  /** Takes what came since, and begins to deliver what is due. Never rejects. */
  turn(): Promise<void> {
    this.#run = this.#run.then(() => this.#turn())
    return this.#run
  }

  /** Resolves once no lane is under way. Never rejects. */
  async idle(): Promise<void> {
    await this.#run
    await this.#ports.events?.done
    await Promise.all(Array.from(this.#lanes.values(), lane => lane.done))
  }

  /** Resolves once what is under way has ended, and another process may go on. */
  async close(): Promise<void> {
    this.#isStopped = true
    this.#stop()
    await this.idle()
    if (this.isHere) await this.#ports.store.release(this.#ports.holder).catch(() => {})
  }

  async #turn(): Promise<void> {
    if (this.#isStopped) return
    try {
      if (!(await this.#lease())) return
      this.#ports.events?.begin(() => this.isHere && !this.#isStopped)
      await this.#collect()
      await this.#readNew()
      this.#deliver()
      await this.#trim()
    } catch (error) {
      // An outage of the store has its own alarm, and what waits stays there.
      if (!(error instanceof StoreUnavailable)) this.#ports.alarm('unexpected error', { error: String(error) })
    }
  }

  async #lease(): Promise<boolean> {
    const { store, holder, targets } = this.#ports
    const isHere = targets().size > 0 && (await store.lease(holder, LEASE_MS))
    if (!isHere) this.#read = undefined
    else if (this.#read === undefined) {
      // Others delivered meanwhile.
      this.#waiting.clear()
      this.#read = 0
    }
    return isHere
  }

  /** Makes notices of crossings. They are removed once the notices are in the store: what dies in between finds its ids known. */
  async #collect(): Promise<void> {
    const { store, rules, alarm } = this.#ports
    for (let room = MOST_WAITING - this.#waiting.size; room > 0; ) {
      const crossings = await store.readCrossings(CROSSINGS_AT_ONCE)
      if (crossings.length === 0) return
      const notices = crossings.map(crossing => noticeOf(crossing, rules()))
      const { full } = await store.add(notices)
      const left = new Set(full)
      await store.removeCrossings(crossings.filter((_, at) => !left.has(notices[at]?.id ?? '')))
      room = left.size > 0 ? 0 : room - crossings.length
    }
    if (this.#isFull) return
    this.#isFull = true
    alarm('notices wait for their targets, and there is no room for more', { waiting: this.#waiting.size })
  }

  async #readNew(): Promise<void> {
    const { store } = this.#ports
    for (;;) {
      const page = await store.readWaiting(READ_AT_ONCE, this.#read)
      for (const { number, notice } of page) {
        this.#read = number
        if (notice.deliveries.some(({ tries, error }) => tries === 0 && error !== undefined)) this.#hurry(notice)
        this.#waiting.set(notice.id, notice)
      }
      if (page.length < READ_AT_ONCE) break
    }
    if (this.#waiting.size < MOST_WAITING) this.#isFull = false
  }

  /** An operator tries it again. */
  #hurry({ deliveries }: Notice): void {
    for (const { target } of deliveries) this.#lanes.get(target)?.hurry()
  }

  /** Begins to deliver at each target that is free. A slow one keeps no other waiting. */
  #deliver(): void {
    const targets = this.#ports.targets()
    const letters = this.#due()
    for (const [name, some] of letters) this.#laneOf(name).begin(targets.get(name), some)
    for (const name of this.#lanes.keys()) if (!letters.has(name) && !targets.has(name)) this.#lanes.delete(name)
  }

  /**
   * Letters to targets that are free: those that were never tried first, then those that were tried longest ago. One that
   * its receiver cannot take is behind the others after its attempt.
   */
  #due(): ReadonlyMap<string, readonly Letter[]> {
    const now = this.#ports.clock.now()
    const due = new Map<string, Letter[]>()
    for (const notice of this.#waiting.values())
      for (const delivery of notice.deliveries) {
        const { target } = delivery
        if (!isDue(delivery, now) || !this.#laneOf(target).isFree) continue
        const letters = due.get(target) ?? []
        due.set(target, letters)
        letters.push({ notice, delivery })
      }
    for (const [target, letters] of due) due.set(target, letters.sort(byAttempt).slice(0, LETTERS_AT_ONCE))
    return due
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    const { clock, alarm } = this.#ports
    const goesOn = () => this.isHere && !this.#isStopped
    const lane = new Lane(name, { clock, alarm, goesOn, write: letters => this.#write(letters) })
    this.#lanes.set(name, lane)
    return lane
  }

  /** Writes how far letters came. Lanes of other targets may have changed the notices meanwhile. */
  async #write(letters: readonly Letter[]): Promise<void> {
    const changed = new Map<string, Notice>()
    for (const { notice, delivery } of letters) {
      const present = this.#waiting.get(notice.id) ?? notice
      const deliveries = present.deliveries.map(each => (each.target === delivery.target ? delivery : each))
      const after = { ...present, deliveries }
      this.#waiting.set(notice.id, after)
      changed.set(notice.id, after)
    }
    await this.#ports.store.write([...changed.values()]).catch(error => {
      // It is sent once more after the outage, under the same id.
      if (!(error instanceof StoreUnavailable)) throw error
    })
    for (const [id, notice] of changed) if (!waits(notice)) this.#waiting.delete(id)
  }

  async #trim(): Promise<void> {
    const { store, clock } = this.#ports
    if (clock.elapsed() < this.#trimAt) return
    const removed = await store.trim(clock.now() - KEPT_MS, MOST_KEPT)
    this.#trimAt = clock.elapsed() + (removed > 0 ? TURN_MS : TRIM_MS)
  }
}

const byAttempt = (one: Letter, other: Letter): number => (one.delivery.triedAt ?? 0) - (other.delivery.triedAt ?? 0)

const TURN_MS: Millis = 3000
/** Many turns, and longer than one delivery may take. */
const LEASE_MS: Millis = 30_000
const CROSSINGS_AT_ONCE = 1000
const READ_AT_ONCE = 1000
/** Those that a target gets in one turn. */
const LETTERS_AT_ONCE = 2000

/** How long a notice is listed after it was delivered, and how many are. */
const KEPT_MS: Millis = 30 * 86_400_000
const MOST_KEPT = 50_000
const TRIM_MS: Millis = 600_000
