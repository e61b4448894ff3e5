import type { QueueSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import type { FullQueue } from '../../policy/queue/fair-queue.ts'
import type { Cancel, Client, Clock } from '../ports.ts'
import { afterOrDisconnect } from '../timers.ts'
import { PoolQueue, type QueuedRequest } from './queue.ts'

/** Room in a pool for so many requests at once, and how long one more waits for it. */
export interface Room {
  readonly maxConcurrent?: number
  readonly queueTimeout: Millis
}

interface Waiter {
  admit: () => void
  /** It is to go elsewhere. */
  dismiss: () => void
}

/** Where waiters stand. */
interface Line {
  add(waiter: Waiter): void
  has(waiter: Waiter): boolean
  delete(waiter: Waiter): void
}

/** How a request waits in the fair queue of a pool. */
export interface TurnTerms {
  readonly maxConcurrent: number
  readonly queue: QueueSettings
  readonly time: Millis
  readonly clock: Clock
  readonly client: Client
}

/** Lends places of a pool that several processes share: each has some, and all of them together no more than there are. */
export interface Lender {
  /**
   * So many requests wait for a place; those that come are added by `lend`. Resolves once it has heard that, and lent what
   * was free then.
   */
  want(places: number, most: number): Promise<void>
  /** A copy has a use for one place, where no request waits for it in any process. Resolves as `want` does. */
  wantSpare(most: number): Promise<void>
  /** So many places are not used here any more, while so many requests wait for one. */
  giveBack(places: number, wanted: number): void
  /** A request is over: whether its place goes to another process, whose next request comes before those that wait here. */
  yields?(): boolean
  /** Places in use in all processes, as far as this one knows. */
  readonly held?: number | undefined
}

/** Running requests in one pool, or at one replica, and those that wait for one of them to end: first come, first served, or in a fair order. */
export class Slots {
  #taken = 0
  /** The limit that the latest request came with, since a reload may change it. */
  #max = Number.POSITIVE_INFINITY
  readonly #queue = new Set<Waiter>()
  #fair: PoolQueue | undefined
  #lender: Lender | undefined
  /** Places that are lent to this process; infinite where all are its own. */
  #lent = Number.POSITIVE_INFINITY
  /** Places that are in use and were asked back. */
  #owed = 0
  /** Slots of work that nobody waits for, each with how it is given up: a request that finds none free takes one of these. */
  readonly #spare = new Set<() => void>()
  /** Such work that waits for a slot to be lent: each request comes before it. */
  readonly #spareQueue = new Set<Waiter>()

  /** From now on there are only places that are lent. */
  borrowFrom(lender: Lender): void {
    const [before, lent] = [this.#lender, this.#lent]
    this.#lender = lender
    this.#lent = 0
    this.#owed = 0
    if (before && lent > 0) before.giveBack(lent, 0)
    if (this.waiting > 0) lender.want(this.waiting, this.#max).catch(() => {})
  }

  /** From now on all places are this process' own. */
  own(): void {
    const [before, lent] = [this.#lender, this.#lent]
    this.#lender = undefined
    this.#lent = Number.POSITIVE_INFINITY
    this.#owed = 0
    if (before && lent > 0) before.giveBack(lent, 0)
    this.#admit()
  }

  /** Whether its places are lent by this one. */
  borrowsFrom(lender: Lender): boolean {
    return this.#lender === lender
  }

  /** From now on as many places are lent as are in use: the lender has taken back the others. */
  keepUsed(): void {
    this.#lent = this.#taken
    this.#owed = 0
  }

  lend(places: number): void {
    this.#lent += places
    this.#admit()
  }

  /**
   * Others want places: gives back what is not in use, or else the next one that is free, before those that wait here. A copy
   * gets no more than what is not in use.
   */
  recall(forCopy = false): void {
    const idle = this.#lent - this.#taken
    if (idle > 0) this.#giveBack(idle)
    else if (this.#lent > 0 && !forCopy) {
      this.#owed = 1
      this.reclaim()
    }
  }

  /** Begins with another number of places, all of which are lent anew. */
  #begin(max: number): void {
    this.#max = max
    this.#owed = Math.min(this.#taken, this.#lent)
    if (this.#lent > this.#taken) this.#giveBack(this.#lent - this.#taken)
  }

  #giveBack(places: number): void {
    this.#lent -= places
    this.#lender?.giveBack(places, this.waiting)
  }

  /** Whether slots are lent: then a slot that is free may have to be asked for first. */
  get borrows(): boolean {
    return this.#lender !== undefined
  }

  get taken(): number {
    return this.#taken
  }

  /** Requests at once, as the latest of them came with it. */
  get max(): number {
    return this.#max
  }

  /** Places in use in all processes that share them through the store, as this one heard last; undefined elsewhere. */
  get heldByAll(): number | undefined {
    return this.#lender?.held
  }

  /** Places that are lent to this process; infinite where all are its own. */
  get lent(): number {
    return this.#lent
  }

  get waiting(): number {
    return this.#queue.size + (this.#fair?.size ?? 0)
  }

  /** Work that nobody waits for: how much of it has a slot, and how much asks for one. */
  get spare(): { readonly taken: number; readonly asking: number } {
    return { taken: this.#spare.size, asking: this.#spareQueue.size }
  }

  /** Those that wait in a fair order. */
  get fair(): PoolQueue {
    this.#fair ??= new PoolQueue()
    return this.#fair
  }

  /** Whether a request would hardly have to wait: slots that are lent may have to be asked for. */
  hasRoom({ maxConcurrent = Number.POSITIVE_INFINITY }: Pick<Room, 'maxConcurrent'>): boolean {
    return this.#taken - this.#spare.size < maxConcurrent && this.waiting === 0
  }

  /** Nothing is served here for now: requests in the fair queue are to go elsewhere. */
  dismiss(): void {
    for (const request of [...(this.#fair?.waiting ?? [])]) request.dismiss()
  }

  /** The limit is another one from now on: requests that wait for a slot get those that are new. */
  resize(room: Pick<Room, 'maxConcurrent'>): void {
    if (this.waiting > 0) this.#limit(room)
  }

  /** Without a limit no place has to be lent. */
  get #isFull(): boolean {
    return this.#taken >= this.#max || (this.#taken >= this.#lent && this.#max < Number.POSITIVE_INFINITY)
  }

  /** Takes a slot if one is free, or has work that nobody waits for. */
  takeNow(room: Room): boolean {
    this.#limit(room)
    if (this.#isFull) this.reclaim()
    if (this.#isFull) return false
    this.#taken++
    return true
  }

  /**
   * Takes a slot for work that nobody waits for, where one is free and no request waits. `giveUp` runs once a request takes it.
   * Resolves to what gives the slot back, or to undefined where there is none.
   */
  async takeSpare(
    room: Room,
    waiting: Pick<TurnTerms, 'clock' | 'client'>,
    giveUp: () => void,
  ): Promise<Cancel | undefined> {
    if (this.waiting > 0) return undefined
    this.#limit(room)
    const borrows = this.#isFull
    if (!borrows) this.#taken++
    else if (!(await this.#borrowed(room, waiting))) return undefined
    // A request came meanwhile, here or in another process.
    if (this.waiting > 0 || this.#owed > 0) {
      this.free()
      return undefined
    }
    const end = () => {
      if (!this.#spare.delete(given)) return
      this.free()
      if (borrows) this.#giveBackIdle()
    }
    const given = () => {
      end()
      giveUp()
    }
    this.#spare.add(given)
    return end
  }

  /** Takes a slot that others lend, where they have one to spare. */
  async #borrowed({ maxConcurrent = 0 }: Room, waiting: Pick<TurnTerms, 'clock' | 'client'>): Promise<boolean> {
    if (!this.#lender || this.#taken >= maxConcurrent) return false
    return this.#wait(this.#spareQueue, LENDING_MS, waiting, this.#lender.wantSpare(maxConcurrent))
  }

  /** Returns a place that was borrowed for a copy, where no request uses it by now. */
  #giveBackIdle(): void {
    if (Number.isFinite(this.#lent) && this.#lent > this.#taken && this.waiting === 0) this.#giveBack(1)
  }

  /** Takes its slot from work that nobody waits for, where there is any. */
  reclaim(): void {
    const [giveUp] = this.#spare
    giveUp?.()
  }

  #limit({ maxConcurrent = Number.POSITIVE_INFINITY }: Pick<Room, 'maxConcurrent'>): void {
    if (this.#lender && this.#max !== maxConcurrent) this.#begin(maxConcurrent)
    this.#max = maxConcurrent
    this.#admit()
  }

  /**
   * Waits for a slot in a fair order: where none came free in time, or the client left, it is `late`. Says which bound of the
   * queue was met where the request cannot wait.
   */
  async takeInTurn(request: QueuedRequest, terms: TurnTerms): Promise<'taken' | 'late' | FullQueue> {
    const { maxConcurrent, queue, time, clock, client } = terms
    const { fair } = this
    const full = fair.enter(request, clock, queue)
    if (full) return full
    let waits = true
    const line: Line = {
      add: waiter => {
        request.admit = () => {
          waits = false
          waiter.admit()
        }
        request.dismiss = () => waiter.dismiss()
      },
      has: () => waits,
      delete: () => fair.leave(request),
    }
    const heard = this.#lender?.want(this.waiting, maxConcurrent)
    const most = heard ? Math.max(time, LENDING_MS) : time
    return (await this.#wait(line, most, { clock, client }, heard)) ? 'taken' : 'late'
  }

  /** Takes a slot, waiting for one if need be; false when none came free in time, or the client left. */
  async take(room: Room, clock: Clock, client: Client): Promise<boolean> {
    if (this.takeNow(room)) return true
    const { maxConcurrent = Number.POSITIVE_INFINITY, queueTimeout } = room
    // The queue is as long as the pool has slots: a later request would hardly be served in time.
    // Places that are to be lent are not taken yet.
    const expected = this.#lender ? Math.max(0, maxConcurrent - this.#taken) : 0
    if (this.#queue.size >= maxConcurrent + expected) return false
    if (!this.#lender) return this.#wait(this.#queue, queueTimeout, { clock, client })
    const heard = this.#lender.want(this.waiting + 1, maxConcurrent)
    return this.#wait(this.#queue, Math.max(queueTimeout, LENDING_MS), { clock, client }, heard)
  }

  /** Gives a slot back: that of a request in the queue, where it is one. */
  free(request?: QueuedRequest): void {
    this.#taken--
    if (request) this.#fair?.release(request)
    if (this.#owed > 0 && this.#lent > this.#taken) {
      this.#owed--
      this.#giveBack(1)
    } else if (this.#lender?.yields?.() && this.#lent > this.#taken) this.#giveBack(1)
    this.#admit()
  }

  /** Lets those in that wait longest, while there is room. */
  #admit(): void {
    for (const { admit } of this.#queue) {
      if (this.#isFull) return
      this.#taken++
      admit()
    }
    while (this.#fair && this.#fair.size > 0 && !this.#isFull) {
      const next = this.#fair.next()
      this.#taken++
      next?.admit()
    }
    for (const { admit } of this.#spareQueue) {
      if (this.#isFull) return
      this.#taken++
      admit()
    }
  }

  /** The time runs from when the lender has heard of the request: one that is busy may have places all the same. */
  #wait(
    line: Line,
    time: Millis,
    { clock, client }: Pick<TurnTerms, 'clock' | 'client'>,
    heard?: Promise<void>,
  ): Promise<boolean> {
    return new Promise(resolve => {
      const waiter: Waiter = { admit: () => end(true), dismiss: () => end(false) }
      line.add(waiter)
      const waitFor = (most: Millis) => afterOrDisconnect(most, clock, client, () => end(false))
      let stop = waitFor(heard ? time + UNHEARD_MS : time)
      const restart = () => {
        if (!line.has(waiter)) return
        stop()
        stop = waitFor(time)
      }
      // A lender that is gone hears nothing.
      heard?.then(restart, () => {})
      const end = (got: boolean) => {
        line.delete(waiter)
        // A table of the Set may outlive it: nothing of the request then does (docs/decisions/015).
        waiter.admit = () => {}
        waiter.dismiss = () => {}
        stop()
        resolve(got)
      }
    })
  }
}

/** How long a lender may be too busy to hear of a request. */
const UNHEARD_MS: Millis = 5000
/** How long it may take until places are lent, or are known to be none. */
const LENDING_MS: Millis = 50
