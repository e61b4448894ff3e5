import type { Millis } from '../time.ts'
import type { ReportedAccount, Standing } from './shared-slots.ts'
import { afterCorrection, afterStart, type Charge, type QueueHead, type Waiters } from './virtual-time.ts'

/** A request as the order of a queue sees it. */
export interface Queued {
  readonly account: string
  /** The priority of its plan: the higher goes first. */
  readonly priority: number
  /** The weight of its plan, at least 1: accounts of one priority share the tokens by it. */
  readonly weight: number
  /** The tokens that it is expected to cost, at least 1. */
  readonly tokens: number
  /** Bytes of its body. */
  readonly bytes: number
}

/** How much may wait. */
export interface QueueBounds {
  /** Requests in the queue. */
  readonly max: number
  /** Requests of one account. */
  readonly ofAccount: number
  /** Bytes of the bodies of one account. */
  readonly bytes: number
}

/** The bound that leaves a request no place. */
export type FullQueue = 'max' | 'of_account' | 'bytes'

/** One account's requests that wait, the oldest first, and its use of the slots. */
interface Line<Q> {
  readonly account: string
  readonly waiting: Q[]
  bytes: number
  /** Requests that have a slot. */
  running: number
  /** Virtual time at which it has had what it was served so far. */
  finish: number
  /** Virtual time at which its requests began to wait: time without any gives no credit. */
  floor: number
  /** Since when the first has been the first. */
  since: Millis
  /** The order of its last start; 0 before the first. */
  started: number
  /** Others may have heard that it waits here. */
  told: boolean
}

/**
 * The order in which requests of several accounts get slots: start-time fair queueing by tokens and weight, within strict
 * priorities. The oldest request of each account is next; it rises by one priority for each `aging` that it stays so, up to the
 * highest priority waiting. Expected tokens are charged at the start, and corrected at the end.
 *
 * Virtual time is the tag of the latest start. It also grows with the work that starts, by the weight of the waiting accounts, so
 * that an endless stream of new accounts cannot delay earlier ones.
 */
export class FairQueue<Q extends Queued> {
  readonly #lines = new Map<string, Line<Q>>()
  #virtual = 0
  #starts = 0
  #size = 0
  #tokens = 0
  #running = 0
  #mostIdle = MOST_IDLE
  /** The charges since others heard of them; undefined while the order is this queue's own. */
  #charges: Charge[] | undefined

  /** Requests that wait. */
  get size(): number {
    return this.#size
  }

  /** Tokens that those are expected to cost. */
  get tokens(): number {
    return this.#tokens
  }

  /** The requests that wait, in no order. */
  get waiting(): readonly Q[] {
    return [...this.#lines.values()].flatMap(({ waiting }) => waiting)
  }

  /** Requests that wait, by the priority of their plans. */
  get byPriority(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (const { waiting } of this.#lines.values())
      for (const { priority } of waiting) counts.set(priority, (counts.get(priority) ?? 0) + 1)
    return counts
  }

  /** Requests of an account that wait. */
  waitingOf(account: string): number {
    return this.#lines.get(account)?.waiting.length ?? 0
  }

  /** From now on the order is one with that of other queues, or is not: charges are kept for them. */
  share(isShared: boolean): void {
    if (isShared) this.#charges ??= []
    else this.#charges = undefined
  }

  /** Takes the charges since it was asked before, for the other queues. */
  takeCharges(): readonly Charge[] {
    const charges = this.#charges ?? []
    if (this.#charges) this.#charges = []
    return charges
  }

  /** The next request, as other queues compare it with theirs; undefined where none waits. */
  head(now: Millis, aging: Millis): (QueueHead & Waiters) | undefined {
    const turn = this.#nextTurn(now, aging)
    const [first] = turn?.line.waiting ?? []
    if (!turn || !first) return undefined
    const { tag, risen, top } = turn
    return { top, risen, tag, step: first.tokens / first.weight, weight: this.#weight, lastTag: this.#lastTag }
  }

  /** Tells others of the accounts that wait or run here, or of which they may believe that they wait. */
  tellAccounts(): readonly ReportedAccount[] {
    const told: ReportedAccount[] = []
    for (const line of this.#lines.values()) {
      const { account, waiting, floor } = line
      if (isIdle(line) && !line.told) continue
      if (waiting.length > 0) line.told = true
      told.push({ account, ...(waiting.length > 0 && { floor }) })
    }
    return told
  }

  /**
   * Adopts the order that all queues share, in reply to a report about accounts: virtual time, and each account's standing.
   * Charges since the report are added on top.
   */
  adopt(virtual: number, told: readonly ReportedAccount[], standings: readonly Standing[]): void {
    this.#virtual = virtual
    const heard = new Map(told.map((each, index) => [each.account, { each, standing: standings[index] ?? {} }]))
    for (const line of [...this.#lines.values()]) {
      const known = heard.get(line.account)
      if (known) adoptIn(line, known.each, known.standing)
      else if (isIdle(line) && !line.told) this.#lines.delete(line.account)
    }
    for (const charge of this.#charges ?? []) {
      const line = this.#lines.get(charge.account)
      if (line && heard.has(charge.account)) this.#apply(line, charge)
    }
  }

  /** Lets a request wait from `now` on; or says which bound leaves no place for it. */
  enter(request: Q, now: Millis, { max, ofAccount, bytes }: QueueBounds): FullQueue | undefined {
    if (this.#size >= max) return 'max'
    const known = this.#lines.get(request.account)
    if ((known?.waiting.length ?? 0) >= ofAccount) return 'of_account'
    if ((known?.bytes ?? 0) + request.bytes > bytes) return 'bytes'
    const line = this.#lineOf(request.account)
    if (line.waiting.length === 0) {
      line.floor = this.#virtual
      line.since = now
    }
    line.waiting.push(request)
    this.#count(line, request, 1)
    return undefined
  }

  /** Takes a request out that waits no longer, and starts nothing. */
  leave(request: Q, now: Millis): void {
    const line = this.#lines.get(request.account)
    const index = line?.waiting.indexOf(request) ?? -1
    if (!line || index < 0) return
    line.waiting.splice(index, 1)
    if (index === 0) line.since = now
    this.#count(line, request, -1)
    this.#forgetIdle(line)
  }

  /** Starts the request whose turn it is, where one waits. */
  next(now: Millis, aging: Millis): Q | undefined {
    const line = this.#nextTurn(now, aging)?.line
    const request = line?.waiting.shift()
    if (!line || !request) return undefined
    line.since = now
    this.#count(line, request, -1)
    this.#charge(line, request)
    return request
  }

  /** Starts a request that does not have to wait. */
  start(request: Q): void {
    const line = this.#lineOf(request.account)
    if (line.waiting.length === 0) line.floor = this.#virtual
    this.#charge(line, request)
  }

  /** A request that was started is over, and cost so many tokens. */
  end(request: Q, tokens: number): void {
    const line = this.#lines.get(request.account)
    if (!line) return
    line.running--
    this.#running--
    const work = (tokens - request.tokens) / request.weight
    this.#take(line, { account: line.account, floor: line.floor, work, weight: 0, waits: line.waiting.length > 0 })
    this.#forgetIdle(line)
  }

  /** Tokens that are expected to start before another request of this account leaves the queue. */
  tokensUntilNext(account: string, weight: number): number {
    const line = this.#lines.get(account)
    const [first] = line?.waiting ?? []
    if (!first) return this.#tokens
    return Math.min(this.#tokens, (first.tokens * this.#weight) / weight)
  }

  #nextTurn(now: Millis, aging: Millis): (Turn<Q> & { readonly top: number }) | undefined {
    let top = Number.NEGATIVE_INFINITY
    for (const { waiting } of this.#lines.values()) top = Math.max(top, waiting[0]?.priority ?? top)
    let best: Turn<Q> | undefined
    for (const line of this.#lines.values()) {
      const [first] = line.waiting
      if (!first) continue
      const risen = first.priority + Math.floor(Math.max(0, now - line.since) / aging)
      const turn = { line, priority: Math.min(top, risen), risen, tag: this.#tagOf(line) }
      if (!best || isBefore(turn, best)) best = turn
    }
    return best && { ...best, top }
  }

  /** Where an account stands in virtual time. One that was idle stands where virtual time is, also where that was set back. */
  #tagOf({ finish, floor }: Pick<Line<Q>, 'finish' | 'floor'>): number {
    return Math.max(finish, Math.min(floor, this.#virtual))
  }

  #charge(line: Line<Q>, { tokens, weight }: Q): void {
    line.running++
    this.#running++
    line.started = ++this.#starts
    const { account, floor, waiting } = line
    this.#take(line, { account, floor, work: tokens / weight, weight, waits: waiting.length > 0 })
  }

  /** Charges an account, and keeps that for other queues. */
  #take(line: Line<Q>, charge: Charge): void {
    this.#apply(line, charge)
    this.#charges?.push(charge)
  }

  #apply(line: Line<Q>, charge: Charge): void {
    const floor = Math.min(line.floor, charge.floor)
    if (charge.weight > 0) {
      const tag = this.#tagOf({ finish: line.finish, floor })
      line.finish = tag + charge.work
      this.#virtual = afterStart(this.#virtual, tag, charge, this.#waiters)
    } else {
      line.finish += charge.work
      this.#virtual = afterCorrection(this.#virtual, this.#tagOf({ finish: line.finish, floor }), charge)
    }
  }

  get #waiters(): Waiters | undefined {
    return this.#size === 0 ? undefined : { weight: this.#weight, lastTag: this.#lastTag }
  }

  /** The tag of the account whose turn comes last. */
  get #lastTag(): number {
    let last = Number.NEGATIVE_INFINITY
    for (const line of this.#lines.values()) if (line.waiting.length > 0) last = Math.max(last, this.#tagOf(line))
    return last
  }

  /** The weight of all accounts that wait. */
  get #weight(): number {
    let sum = 0
    for (const { waiting } of this.#lines.values()) sum += waiting[0]?.weight ?? 0
    return sum
  }

  #count(line: Line<Q>, { bytes, tokens }: Q, by: 1 | -1): void {
    line.bytes += by * bytes
    this.#tokens += by * tokens
    this.#size += by
  }

  #lineOf(account: string): Line<Q> {
    const known = this.#lines.get(account)
    if (known) return known
    const floor = this.#virtual
    const line = { account, waiting: [], bytes: 0, running: 0, finish: 0, floor, since: 0, started: 0, told: false }
    this.#lines.set(account, line)
    return line
  }

  /** An account that neither waits nor runs is kept only while it has had more than its turn. */
  #forgetIdle(line: Line<Q>): void {
    if (this.#size === 0 && this.#running === 0 && !this.#charges) {
      this.#lines.clear()
      this.#virtual = 0
      return
    }
    if (isIdle(line) && line.finish <= this.#virtual) this.#lines.delete(line.account)
    if (this.#lines.size <= this.#mostIdle) return
    for (const each of this.#lines.values())
      if (isIdle(each) && each.finish <= this.#virtual) this.#lines.delete(each.account)
    for (const each of this.#lines.values()) {
      if (this.#lines.size <= MOST_IDLE) break
      if (isIdle(each)) this.#lines.delete(each.account)
    }
    this.#mostIdle = Math.max(MOST_IDLE, 2 * this.#lines.size)
  }
}

/** Accounts that are remembered beside those that wait or run. */
const MOST_IDLE = 4096

function adoptIn(line: Line<unknown>, told: ReportedAccount, { finish = 0, floor }: Standing): void {
  line.finish = finish
  if (floor !== undefined) line.floor = floor
  if (told.floor === undefined) line.told = false
}

const isIdle = ({ running, waiting }: Pick<Line<unknown>, 'running' | 'waiting'>): boolean =>
  running === 0 && waiting.length === 0

/** The next request of an account among those of the others. */
interface Turn<Q> {
  readonly line: Line<Q>
  /** The highest that waits at most. */
  readonly priority: number
  /** The priority to which it has risen, without that bound. */
  readonly risen: number
  readonly tag: number
}

/** Compares by priority and tag. Among equals the one goes first that has aged more, then the account served longest ago. */
function isBefore(one: Turn<unknown>, other: Turn<unknown>): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority
  if (one.tag !== other.tag) return one.tag < other.tag
  if (one.risen !== other.risen) return one.risen > other.risen
  return one.line.started < other.line.started
}
