import type { EpochMs, Millis } from '../time.ts'
import { afterCorrection, afterStart, type Charge, isAhead, type QueueHead, type Waiters } from './virtual-time.ts'

/** A process's part in a pool whose slots several processes share. */
export interface SlotReport {
  /** The id of the process. */
  readonly holder: string
  /** Counts up with each report, so that one which is late changes nothing. */
  readonly round: number
  /** Slots of the whole pool. */
  readonly max: number
  /** Slots in use here; all others are given back. */
  readonly held: number
  /** Requests that wait here for one. */
  readonly waiting: number
  /** The first of those; absent where none waits. */
  readonly head?: QueueHead & Waiters
  /** The charges of accounts since the last report that is known to have arrived. */
  readonly charges: readonly ReportedCharge[]
  /** Accounts that wait or run here, or waited by a report before. */
  readonly accounts: readonly ReportedAccount[]
  /** The shares of the pool; absent where it has none. */
  readonly shares?: readonly ReportedShare[]
}

/** A share of the slots of a pool, and what its owner has in one process. */
export interface ReportedShare {
  readonly owner: string
  /** Slots that are guaranteed, of those of all processes. */
  readonly slots: number
  /** Slots that requests of the owner hold. */
  readonly held: number
  /** Requests of the owner that wait. */
  readonly waiting: number
}

/** Slots and requests of the owner of a share in all processes but one. */
export type ShareElsewhere = Pick<ReportedShare, 'held' | 'waiting'>

export interface ReportedCharge extends Charge {
  /** The report that had it first: where that arrived after all, it counts once. */
  readonly round: number
}

export interface ReportedAccount {
  readonly account: string
  /** Virtual time at which its requests began to wait here; absent where none waits. */
  readonly floor?: number
}

/** Where an account stands in the order that processes share. */
export interface Standing {
  /** Virtual time at which it has had what it was served; absent where nothing is known of it. */
  readonly finish?: number
  /** Virtual time at which its requests began to wait; absent where none waits at another process. */
  readonly floor?: number
}

/** The answer to a report. */
export interface SlotGrant {
  /** Slots that the process has from now on, beside those in use. */
  readonly granted: number
  /** Slots that all processes hold. */
  readonly held: number
  /** The next request of the other processes; absent where none waits. */
  readonly ahead?: QueueHead
  readonly virtual: number
  /** Where each of `accounts` stands. */
  readonly standings: readonly Standing[]
  /** Slots and requests of the owner of each of `shares` elsewhere. */
  readonly shares?: readonly ShareElsewhere[]
}

interface Holder {
  until: EpochMs
  readonly reportedAt: EpochMs
  readonly round: number
  /** With those of `granted`. */
  held: number
  /** Slots that it hears of with its next report. */
  granted: number
  waiting: number
  head?: QueueHead & Waiters
  /** Slots and requests of owners there. */
  readonly shares: ReadonlyMap<string, ShareUse>
}

interface ShareUse {
  /** With those of `granted`. */
  held: number
  /** Slots that its owner was owed, and that the process hears of with its next report. */
  granted: number
  waiting: number
}

interface Account {
  finish?: number
  floor: number
  /** The processes at which it waits, some of which may be gone. */
  readonly waitsAt: Set<string>
}

/** A process that waits reports every few milliseconds: one that is silent for so long may be gone, and gets no slot before it reports. */
const SILENCE: Millis = 500
/** Longer than that no process which uses a slot is silent. */
const QUIET: Millis = 1500
/** Accounts whose place is remembered. `redis/fleet/slots.lua` has the same numbers. */
const MOST_ACCOUNTS = 10_000

/**
 * The slots of one pool that several processes share, and the fair order over all of them, kept by their store. A process
 * reports what it uses, and who waits there; free slots go to the process whose next request comes first. One that has not
 * reported for the time of its lease has no slots any more.
 *
 * An account waits as long as it does at any process: virtual time at which it began is one for all of them. Where it moved
 * with each process that it asks anew, an account with few requests at many processes would lose the turns it is owed.
 *
 * `redis/fleet/slots.lua` does the same on Redis.
 */
export class SharedSlots {
  readonly #holders = new Map<string, Holder>()
  readonly #accounts = new Map<string, Account>()
  #virtual = 0

  /** Whether nobody holds a slot or waits for one. */
  get isIdle(): boolean {
    return this.#holders.size === 0
  }

  exchange(report: SlotReport, lease: Millis, now: EpochMs): SlotGrant {
    const unheard = this.#unheard(now)
    for (const [id, holder] of this.#holders) {
      holder.until += unheard
      if (holder.until <= now) this.#holders.delete(id)
    }
    const before = this.#holders.get(report.holder)
    if (before && before.round >= report.round) return this.#grant(report, 0, now)
    const { holder } = report
    for (const charge of report.charges)
      if (!before || charge.round > before.round) this.#charge(charge, this.#elsewhere(charge.account, holder))
    for (const each of report.accounts) this.#note(each, holder)
    this.#forget()
    const heard = before?.granted ?? 0
    const own: Holder = {
      until: now + lease,
      reportedAt: now,
      round: report.round,
      held: report.held + heard,
      granted: 0,
      waiting: Math.max(0, report.waiting - heard),
      ...(report.head && { head: later(report.head, heard) }),
      shares: usesIn(report, before),
    }
    this.#holders.delete(report.holder)
    if (own.held > 0 || own.waiting > 0) this.#holders.set(report.holder, own)
    const granted = heard + this.#share(report, own, now)
    if (this.isIdle) {
      this.#virtual = 0
      this.#accounts.clear()
    }
    return this.#grant(report, granted, now)
  }

  /** How long nobody reported, beyond what is usual: then it was the store that was away, and no process. */
  #unheard(now: EpochMs): Millis {
    const last = Math.max(...Array.from(this.#holders.values(), each => each.reportedAt))
    return Math.max(0, now - last - QUIET)
  }

  /** Grants what is free. Returns how much of it the process got that reports. */
  #share({ max, shares = [] }: SlotReport, own: Holder, now: EpochMs): number {
    let got = 0
    for (let free = max - this.#held; free > 0; free--) {
      const owed = this.#owed(shares, now)
      const first = owed?.holder ?? this.#first(now)
      if (!first) break
      first.held++
      first.waiting--
      if (owed) {
        owed.use.held++
        owed.use.waiting--
        if (first !== own) owed.use.granted++
      } else if (first.head) first.head = later(first.head, 1)
      if (first === own) got++
      else first.granted++
    }
    return got
  }

  get #held(): number {
    let sum = 0
    for (const { held } of this.#holders.values()) sum += held
    return sum
  }

  /** The process to which the owner furthest below its guarantee is owed a slot. */
  #owed(shares: readonly ReportedShare[], now: EpochMs): Owed | undefined {
    let furthest: (Owed & Pick<ReportedShare, 'slots' | 'held'>) | undefined
    for (const { owner, slots } of shares) {
      const { held } = this.#usedBy(owner, now)
      if (held >= slots || (furthest && held * furthest.slots >= furthest.held * slots)) continue
      const asker = this.#askerOf(owner, now)
      if (asker) furthest = { ...asker, slots, held }
    }
    return furthest
  }

  /** The process in which requests of an owner wait that has fewest slots there. */
  #askerOf(owner: string, now: EpochMs): Owed | undefined {
    let fewest: (Owed & { readonly id: string }) | undefined
    for (const [id, holder] of this.#holders) {
      const use = holder.shares.get(owner)
      if (!use || use.waiting === 0 || !asks(holder, now)) continue
      if (!fewest || use.held < fewest.use.held || (use.held === fewest.use.held && id < fewest.id))
        fewest = { id, holder, use }
    }
    return fewest
  }

  /** Slots and requests of an owner in all processes, or in all but one. Requests count where they can be granted a slot. */
  #usedBy(owner: string, now: EpochMs, but?: string): ShareElsewhere {
    let [held, waiting] = [0, 0]
    for (const [id, holder] of this.#holders) {
      const use = id === but ? undefined : holder.shares.get(owner)
      if (!use) continue
      held += use.held
      if (asks(holder, now)) waiting += use.waiting
    }
    return { held, waiting }
  }

  /** The process whose next request comes first: among equals the one with the fewest slots. */
  #first(now: EpochMs, but?: string): Holder | undefined {
    const waiting = [...this.#holders].filter(([id, each]) => id !== but && asks(each, now))
    const top = Math.max(...waiting.map(([, { head }]) => head?.top ?? 0))
    let first: readonly [string, Holder] | undefined
    for (const each of waiting) if (!first || goesFirst(each, first, top)) first = each
    return first?.[1]
  }

  #grant({ holder, accounts, shares }: SlotReport, granted: number, now: EpochMs): SlotGrant {
    const ahead = this.#first(now, holder)?.head
    return {
      granted,
      held: this.#held,
      ...(ahead && { ahead: { top: ahead.top, risen: ahead.risen, tag: ahead.tag, step: ahead.step } }),
      virtual: this.#virtual,
      standings: accounts.map(({ account }) => this.#standing(account, holder)),
      ...(shares && { shares: shares.map(({ owner }) => this.#usedBy(owner, now, holder)) }),
    }
  }

  #standing(account: string, holder: string): Standing {
    const finish = this.#accounts.get(account)?.finish
    const floor = this.#elsewhere(account, holder)
    return { ...(finish !== undefined && { finish }), ...(floor !== undefined && { floor }) }
  }

  /** Virtual time at which an account began to wait; undefined where it does not at any process but this one. */
  #elsewhere(account: string, holder: string): number | undefined {
    const known = this.#accounts.get(account)
    if (!known) return undefined
    for (const id of known.waitsAt) if (id !== holder && this.#holders.has(id)) return known.floor
    return undefined
  }

  /** A process says whether an account waits there. */
  #note({ account, floor }: ReportedAccount, holder: string): void {
    const known = this.#accounts.get(account)
    if (floor === undefined) {
      known?.waitsAt.delete(holder)
      return
    }
    const one = known ?? { floor, waitsAt: new Set() }
    if (!known) this.#accounts.set(account, one)
    if (this.#elsewhere(account, holder) === undefined) {
      one.floor = floor
      one.waitsAt.clear()
    }
    one.waitsAt.add(holder)
  }

  /** Charges an account, which began to wait at `elsewhere` where it does at another process. */
  #charge(charge: Charge, elsewhere: number | undefined): void {
    const { account, floor, work, weight } = charge
    const known = this.#accounts.get(account)
    const standing = Math.min(elsewhere ?? floor, this.#virtual)
    if (weight > 0) {
      const one = known ?? { floor, waitsAt: new Set() }
      if (!known) this.#accounts.set(account, one)
      const tag = Math.max(one.finish ?? standing, standing)
      one.finish = tag + work
      this.#virtual = afterStart(this.#virtual, tag, charge, this.#waiters)
    } else if (known?.finish !== undefined) {
      known.finish += work
      const waits = charge.waits || elsewhere !== undefined
      this.#virtual = afterCorrection(this.#virtual, Math.max(known.finish, standing), { ...charge, waits })
    }
  }

  get #waiters(): Waiters | undefined {
    const heads = [...this.#holders.values()].flatMap(({ waiting, head }) => (waiting > 0 && head ? [head] : []))
    if (heads.length === 0) return undefined
    return {
      weight: heads.reduce((sum, head) => sum + head.weight, 0),
      lastTag: Math.max(...heads.map(head => head.lastTag)),
    }
  }

  /** Beyond the bound only accounts are kept that have had more than their turn; where those are too many, none. */
  #forget(): void {
    if (this.#accounts.size <= MOST_ACCOUNTS) return
    for (const [account, { finish }] of this.#accounts)
      if (finish === undefined || finish <= this.#virtual) this.#accounts.delete(account)
    if (this.#accounts.size > MOST_ACCOUNTS) this.#accounts.clear()
  }
}

/** A process to which an owner is owed a slot. */
interface Owed {
  readonly holder: Holder
  readonly use: ShareUse
}

/** Whether a process waits for slots, and can be granted one. */
const asks = ({ waiting, head, reportedAt }: Holder, now: EpochMs): boolean =>
  waiting > 0 && head !== undefined && now - reportedAt <= SILENCE

/** Slots and requests of owners in the process of a report, with the slots that its answer brings. */
const usesIn = ({ shares = [] }: SlotReport, before: Holder | undefined): Holder['shares'] =>
  new Map(
    shares.map(({ owner, held, waiting }) => {
      const heard = before?.shares.get(owner)?.granted ?? 0
      return [owner, { held: held + heard, granted: 0, waiting: Math.max(0, waiting - heard) }]
    }),
  )

/** The next request once so many got slots. */
const later = (head: QueueHead & Waiters, starts: number): QueueHead & Waiters => ({
  ...head,
  tag: head.tag + starts * head.step,
})

type Asker = readonly [string, Holder]

function goesFirst([id, { held, head }]: Asker, [otherId, other]: Asker, top: number): boolean {
  if (!head || !other.head) return false
  const [one, two] = [
    { ...head, top },
    { ...other.head, top },
  ]
  if (isAhead(one, two)) return true
  if (isAhead(two, one)) return false
  return held === other.held ? id < otherId : held < other.held
}
