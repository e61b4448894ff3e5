import type { Millis } from '../../policy/config.ts'
import type { ReportedCharge, SlotGrant, SlotReport } from '../../policy/queue/shared-slots.ts'
import { isAhead } from '../../policy/queue/virtual-time.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import { type FleetStore, SLOT_LEASE } from '../store/fleet-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Lender, Slots } from './slots.ts'

export interface StoreSlotsPorts {
  readonly store: Pick<FleetStore, 'shareSlots'>
  readonly clock: Clock
  readonly alarm: Alarm
  /** The id of this process. */
  readonly holder: string
}

/** Resolves once the store has heard of a request that waits. */
interface Asking {
  readonly heard: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Leases slots of one pool from the store; all processes on that store share the pool. Each round reports the slots in use
 * and the waiting requests, returns idle slots, and receives the slots that the store grants. A freed slot stays in this
 * process while its next request is first in the shared order, or close to it.
 *
 * While the store is unreachable, the process keeps the slots it is using and serves its own waiting requests with them.
 */
export class StoreSlots implements Lender {
  readonly #ports: StoreSlotsPorts
  readonly #pool: string
  readonly #slots: Slots
  #asking: Asking[] = []
  #round = 0
  #isUnderWay = false
  /** Another round follows the one under way. */
  #isAgain = false
  #cancel: Cancel = () => {}
  /** When the next round is due. */
  #due: Millis = Number.POSITIVE_INFINITY
  /** The next request of the others, as the store said last. */
  #ahead: SlotGrant['ahead']
  /** Whether the store may know of slots or requests here. */
  #isKnown = false
  #isClosed = false
  #isAlarmed = false
  #held = 0
  /** Charges of reports that may not have arrived. */
  #charges: readonly ReportedCharge[] = []

  constructor(ports: StoreSlotsPorts, pool: string, slots: Slots) {
    this.#ports = ports
    this.#pool = pool
    this.#slots = slots
    slots.fair.share(true)
    slots.borrowFrom(this)
    if (slots.taken > 0) this.#soon(0)
  }

  /** Undefined while this process uses none, and does not ask. */
  get held(): number | undefined {
    return this.#isKnown ? this.#held : undefined
  }

  want(): Promise<void> {
    const heard = new Promise<void>((resolve, reject) => this.#asking.push({ heard: resolve, failed: reject }))
    this.#soon(0)
    return heard
  }

  wantSpare(): Promise<void> {
    return this.want()
  }

  giveBack(): void {
    this.#soon(0)
  }

  yields(): boolean {
    const { waiting, fair } = this.#slots
    const ahead = this.#ahead
    if (!ahead) {
      if (waiting === 0) this.#soon(PERIOD)
      return false
    }
    // The next request to come here has its turn behind those that wait elsewhere.
    if (waiting === 0) return true
    const owed = fair.owes()
    if (owed) return owed === 'elsewhere'
    const { head } = fair
    // First come, first served: the store gives it to the process that has fewest.
    return head === undefined || isAhead(ahead, head, LEAD * Math.max(ahead.step, head.step))
  }

  /** The store takes back all slots: the pool is no longer shared, or the process ends. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#round++
    const charges = this.#takeCharges()
    this.#slots.fair.share(false)
    for (const { failed } of this.#asking) failed(new StoreUnavailable())
    this.#asking = []
    if (!this.#isKnown) return
    const { store, holder } = this.#ports
    const nothing = { holder, round: this.#round, max: 0, held: 0, waiting: 0, charges, accounts: [] }
    // Where the store is away, its lease ends.
    await store.shareSlots(this.#pool, nothing, SLOT_LEASE).catch(() => {})
  }

  #soon(time: Millis): void {
    if (this.#isClosed) return
    if (this.#isUnderWay) {
      this.#isAgain ||= time === 0
      return
    }
    const due = this.#ports.clock.elapsed() + time
    if (due >= this.#due) return
    this.#cancel()
    this.#due = due
    if (time > 0) this.#cancel = this.#ports.clock.after(time, () => this.#begin())
    // All that happens in this turn is told together.
    else queueMicrotask(() => this.#begin())
  }

  #begin(): void {
    if (this.#isUnderWay || this.#isClosed) return
    this.#cancel()
    this.#due = Number.POSITIVE_INFINITY
    this.#isUnderWay = true
    this.#isAgain = false
    void this.#tell().then(wait => {
      this.#isUnderWay = false
      if (this.#isAgain) this.#soon(0)
      else if (wait !== undefined) this.#soon(wait)
    })
  }

  /** One round. Returns when the next one is due; undefined where the store knows that nothing is left here. */
  async #tell(): Promise<Millis | undefined> {
    const asking = this.#asking
    this.#asking = []
    this.#slots.keepUsed()
    const report = this.#report()
    const hasNothing = report.held === 0 && report.waiting === 0
    if (this.#isKnown || !hasNothing) {
      this.#isKnown = true
      try {
        const grant = await this.#ports.store.shareSlots(this.#pool, report, SLOT_LEASE)
        if (this.#isClosed) return undefined
        this.#charges = []
        this.#isKnown = !hasNothing || grant.granted > 0
        this.#hear(report, grant)
      } catch (error) {
        this.#failed(asking, error)
        return AGAIN
      }
    }
    for (const { heard } of asking) heard()
    return this.#next
  }

  /** When the store is to be told again. */
  get #next(): Millis | undefined {
    const { waiting, lent, taken, spare } = this.#slots
    // While copies run it asks as often whether a request elsewhere waits for their slots.
    if (waiting + spare.asking + spare.taken > 0) return PERIOD
    if (lent > taken) return this.#ahead ? 0 : PERIOD
    return this.#isKnown ? RENEWAL : undefined
  }

  #failed(asking: readonly Asking[], error: unknown): void {
    this.#ahead = undefined
    this.#slots.fair.forgetOthers()
    for (const { failed } of asking) failed(error)
    if (!(error instanceof StoreUnavailable)) this.#complain(error)
  }

  #report(): SlotReport {
    const { taken, max, fair, spare } = this.#slots
    const { head, ...queue } = fair.report()
    this.#round++
    const charges = this.#takeCharges()
    const { holder } = this.#ports
    const most = Number.isFinite(max) ? max : taken
    const areCopies = this.#slots.waiting === 0
    const waiting = areCopies ? spare.asking : this.#slots.waiting
    const own = head ?? (waiting > 0 ? (areCopies ? LAST : FIRST_COME) : undefined)
    return { holder, round: this.#round, max: most, held: taken, waiting, ...(own && { head: own }), charges, ...queue }
  }

  /** The charges of a report: it repeats those of reports that may not have arrived. */
  #takeCharges(): readonly ReportedCharge[] {
    const round = this.#round
    const added = this.#slots.fair.takeCharges().map(charge => ({ ...charge, round }))
    if (added.length > 0) this.#charges = [...this.#charges, ...added].slice(-MOST_CHARGES)
    return this.#charges
  }

  #hear(report: SlotReport, grant: SlotGrant): void {
    const { ahead } = grant
    this.#ahead = ahead && ahead.risen > LAST.risen ? ahead : undefined
    this.#held = grant.held
    this.#slots.fair.adopt(report, grant)
    if (grant.granted > 0) this.#slots.lend(grant.granted)
    if (this.#ahead) this.#slots.reclaim()
  }

  #complain(error: unknown): void {
    if (this.#isAlarmed) return
    this.#isAlarmed = true
    this.#ports.alarm('the fleet cannot be read', { error: String(error) })
  }
}

/** Without a queue, requests of all processes are served as they came: none comes before another. */
const FIRST_COME = { top: 1, risen: 1, tag: 0, step: 0, weight: 1, lastTag: 0 }

/** A copy gets a slot that no request of any process waits for: the priority of each plan is at least 0. */
const LAST = { top: -1, risen: -1, tag: 0, step: 0, weight: 0, lastTag: 0 }

/** Charges that are repeated until they have arrived. */
const MOST_CHARGES = 10_000

/** How often the store is asked while requests wait here. */
const PERIOD: Millis = 25
/** How often slots in use are renewed, and how soon a store that was away is asked again. */
const RENEWAL: Millis = 1000
const AGAIN: Millis = 250
/** The lead, in requests, that one elsewhere needs to get a slot that becomes free here: each move costs a round. */
const LEAD = 1
