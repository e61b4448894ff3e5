import type { Millis } from '../../policy/config.ts'
import type { NoticeRule } from '../../policy/limits/notice-rule.ts'
import type { Crossing } from '../../policy/notices.ts'
import type { Contacts } from '../../records/account.ts'
import type { Notice } from '../../records/notice.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import { noticeOf, waits } from '../store/notice.ts'
import { MOST_WAITING, type NoticeStore } from '../store/notice-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'
import { CustomerRoom } from './customer-room.ts'
import {
  accountTarget,
  type ContactKind,
  CUSTOMER_MAIL,
  type CustomerNotices,
  customerDeliveries,
} from './customers.ts'
import type { EventWatch } from './event-watch.ts'
import { givenUp, isDue, isOverdue, Lane, type Letter, NoticeRefused, type Target } from './lane.ts'

export interface NotifierPorts {
  readonly store: NoticeStore
  /** As the files say at this moment. */
  readonly rules: () => readonly NoticeRule[]
  readonly targets: () => ReadonlyMap<string, Target>
  /** Customers with addresses of their own; absent where the files offer none. */
  readonly customers?: () => Customers | undefined
  /** Makes notices of events beside limits. */
  readonly events?: Pick<EventWatch, 'begin' | 'done'>
  /** Different in each process. */
  readonly holder: string
  readonly clock: Clock
  readonly alarm: Alarm
}

/** The addresses that customers chose, as the store has them at this moment. */
export interface Customers {
  readonly offered: CustomerNotices
  /** How long notices are gathered for one mail to an account; absent where each has a mail of its own. */
  readonly digest?: Millis | undefined
  readonly contactsOf: (account: string) => Promise<Contacts | undefined>
  /** A place that an account chose, whose address is read when a notice goes there. */
  readonly targetOf: (account: string, kind: ContactKind) => Target | undefined
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
  /** Whether nothing can wait: the files declare no target, and none of the notices is left. */
  #isCleared = false

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
      // One that just took over knows none of those that wait, which leave less room.
      if (this.#read === 0) await this.#readNew()
      await this.#collect()
      await this.#readNew()
      await this.#giveUp()
      this.#deliver()
      await this.#trim()
    } catch (error) {
      // An outage of the store has its own alarm, and what waits stays there.
      if (!(error instanceof StoreUnavailable)) this.#ports.alarm('unexpected error', { error: String(error) })
    }
  }

  async #lease(): Promise<boolean> {
    const { store, holder } = this.#ports
    const isHere = (await this.#isWanted()) && (await store.lease(holder, LEASE_MS))
    if (!isHere) this.#yield()
    else if (this.#read === undefined) {
      // Others delivered meanwhile.
      this.#waiting.clear()
      this.#read = 0
    }
    return isHere
  }

  /** Whether the files declare a target, or notices wait for one that they declared: those end as failed. */
  async #isWanted(): Promise<boolean> {
    const { store, targets, customers } = this.#ports
    const hasTargets = targets().size > 0 || customers?.() !== undefined
    if (hasTargets) this.#isCleared = false
    else if (!this.#isCleared) this.#isCleared = (await store.readWaiting(1)).length === 0
    return !this.#isCleared
  }

  /** Another process delivers, or the files declare no target: incidents of targets end here. */
  #yield(): void {
    this.#read = undefined
    for (const lane of this.#lanes.values()) lane.retire()
  }

  /** Makes notices of crossings. They are removed once the notices are in the store: what dies in between finds its ids known. */
  async #collect(): Promise<void> {
    const { store, rules, alarm } = this.#ports
    let ofCustomers: CustomerRoom | undefined
    for (let room = MOST_WAITING - this.#waiting.size; room > 0; ) {
      const crossings = await store.readCrossings(CROSSINGS_AT_ONCE)
      if (crossings.length === 0) return
      const customers = this.#ports.customers?.()
      ofCustomers ??= new CustomerRoom(this.#waiting.values())
      const all = await Promise.all(
        crossings.map(async crossing => withCustomer(noticeOf(crossing, rules()), crossing, customers)),
      )
      const notices = all.map(notice => ofCustomers?.admit(notice) ?? notice)
      // A crossing that nobody chose to hear of is of no use in the list.
      const { full } = await store.add(customers ? notices.filter(({ deliveries }) => deliveries.length > 0) : notices)
      const left = new Set(full)
      await store.removeCrossings(crossings.filter((_, at) => !left.has(notices[at]?.id ?? '')))
      // Those that nobody hears of take no room.
      room = left.size > 0 ? 0 : room - notices.filter(waits).length
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

  /** Ends what waited too long, at targets that are away too. */
  async #giveUp(): Promise<void> {
    const now = this.#ports.clock.now()
    const overdue: Letter[] = []
    for (const notice of this.#waiting.values())
      for (const delivery of notice.deliveries) {
        const letter = { notice, delivery }
        if (isOverdue(letter, now) && !this.#lanes.get(laneOf(delivery.target))?.isBusy) overdue.push(givenUp(letter))
      }
    for (let from = 0; from < overdue.length; from += GIVEN_UP_AT_ONCE)
      await this.#write(overdue.slice(from, from + GIVEN_UP_AT_ONCE))
  }

  /** An operator tries it again. */
  #hurry({ deliveries }: Notice): void {
    for (const { target } of deliveries) this.#lanes.get(laneOf(target))?.hurry()
  }

  /** Begins to deliver at each target that is free. A slow one keeps no other waiting. */
  #deliver(): void {
    const targets = this.#ports.targets()
    const waiting = this.#waitingLanes()
    const letters = this.#due(new Set([...waiting].filter(name => this.#isGone(name))))
    for (const [name, some] of letters) this.#laneOf(name).begin(targets.get(name) ?? this.#customerTarget(name), some)
    for (const [name, lane] of this.#lanes) {
      const isQuiet = !waiting.has(name) && !lane.isBusy
      if (!isQuiet || !(this.#isGone(name) || accountTarget(name))) continue
      lane.retire()
      this.#lanes.delete(name)
    }
  }

  /** Whether the files no longer lead to the target of a lane. */
  #isGone(lane: string): boolean {
    if (this.#ports.targets().has(lane)) return false
    const offered = this.#ports.customers?.()?.offered
    if (lane === CUSTOMER_MAIL) return offered?.mail === undefined
    return accountTarget(lane) === undefined || offered?.webhooks !== true
  }

  /** Lanes with a delivery that waits, be it for the pause of the lane. */
  #waitingLanes(): ReadonlySet<string> {
    const names = new Set<string>()
    for (const { deliveries } of this.#waiting.values())
      for (const { target, state } of deliveries) if (state === 'waiting') names.add(laneOf(target))
    return names
  }

  #customerTarget(lane: string): Target | undefined {
    const customers = this.#ports.customers?.()
    if (!customers) return undefined
    if (lane === CUSTOMER_MAIL) return mailOfEach(customers)
    const own = accountTarget(lane)
    return own && customers.targetOf(own.account, own.kind)
  }

  /**
   * Letters to targets that are free: those that were never tried first, then those that were tried longest ago. One that
   * its receiver cannot take is behind the others after its attempt, and waits for no attempt where its target is gone.
   */
  #due(gone: ReadonlySet<string>): ReadonlyMap<string, readonly Letter[]> {
    const now = this.#ports.clock.now()
    const due = new Map<string, Letter[]>()
    for (const notice of this.#waiting.values())
      for (const delivery of notice.deliveries) {
        const lane = laneOf(delivery.target)
        const isNext = gone.has(lane) ? delivery.state === 'waiting' : isDue(delivery, now)
        if (!isNext || !this.#laneOf(lane).isFree) continue
        const letters = due.get(lane) ?? []
        due.set(lane, letters)
        letters.push({ notice, delivery })
      }
    for (const [lane, letters] of due) due.set(lane, letters.sort(byAttempt).slice(0, LETTERS_AT_ONCE))
    return due
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    const { clock, alarm } = this.#ports
    const goesOn = () => this.isHere && !this.#isStopped
    const write = (letters: readonly Letter[]) => this.#write(letters)
    // A webhook that a customer chose is no concern of operators, and may be away for good.
    const isOwn = accountTarget(name) !== undefined
    const care = isOwn ? { mostPauseMs: MOST_OWN_PAUSE_MS } : { alarm }
    const lane = new Lane(name, { clock, goesOn, write, ...care })
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

/** The notice with the deliveries to the account that has the limit. */
async function withCustomer(notice: Notice, crossing: Crossing, customers: Customers | undefined): Promise<Notice> {
  const { account } = crossing.about
  if (!customers || account === undefined) return notice
  const contacts = await customers.contactsOf(account)
  if (!contacts) return notice
  const own = customerDeliveries(crossing, { account, contacts }, customers.offered)
  return own.length > 0 ? { ...notice, deliveries: [...notice.deliveries, ...own] } : notice
}

/** The mail of all customers goes by one server, and so by one lane; each of their webhooks is a server of its own. */
const laneOf = (target: string): string => (accountTarget(target)?.kind === 'mail' ? CUSTOMER_MAIL : target)

/** Mail to customers: each message goes to one account. */
const mailOfEach = ({ digest, targetOf }: Customers): Target => ({
  digest,
  recipientOf: ({ delivery }) => delivery.target,
  send: async letters => {
    const own = letters[0] && accountTarget(letters[0].delivery.target)
    const target = own && targetOf(own.account, own.kind)
    if (!target) throw new NoticeRefused('the files offer no mail to customers', { isFinal: true, isOfRecipient: true })
    await target.send(letters)
  },
})

const MOST_OWN_PAUSE_MS: Millis = 3_600_000

const byAttempt = (one: Letter, other: Letter): number => (one.delivery.triedAt ?? 0) - (other.delivery.triedAt ?? 0)

const TURN_MS: Millis = 3000
/** Many turns, and longer than one delivery may take. */
const LEASE_MS: Millis = 30_000
const CROSSINGS_AT_ONCE = 1000
const READ_AT_ONCE = 1000
const GIVEN_UP_AT_ONCE = 500
/** Those that a target gets in one turn. */
const LETTERS_AT_ONCE = 2000

/** How long a notice is listed after it was delivered, and how many are. */
const KEPT_MS: Millis = 30 * 86_400_000
const MOST_KEPT = 50_000
const TRIM_MS: Millis = 600_000
