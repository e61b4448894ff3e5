import type { QueueBounds } from '../../../src/policy/queue/fair-queue.ts'
import { type Guarantee, type OwnedRequest, QueueWithShares } from '../../../src/policy/queue/with-shares.ts'

/** A request that comes at a time, and holds a slot for another. */
export interface Asked extends OwnedRequest {
  readonly at: number
  readonly service: number
  /** The tokens that it turns out to cost. */
  readonly real: number
}

export interface Played {
  /** When each request got a slot, in the order in which they did. */
  readonly started: ReadonlyMap<Asked, number>
  readonly order: readonly Asked[]
  /** Slots × time that was idle while a request waited. */
  readonly idle: number
}

export const NO_BOUNDS: QueueBounds = { max: 1e9, ofAccount: 1e9, bytes: 1e15 }

export const asked = (account: string, at: number, more: Partial<Asked> = {}): Asked => {
  const { tokens = 100 } = more
  return { account, at, priority: 1, weight: 1, tokens, real: more.real ?? tokens, service: tokens, bytes: 1, ...more }
}

/** Takes requests through a queue in front of so many slots, in virtual time. */
export function play(
  requests: readonly Asked[],
  slots: number,
  aging = Number.POSITIVE_INFINITY,
  guarantees: readonly Guarantee[] = [],
): Played {
  const pool = new QueuedPool(slots, aging, guarantees)
  const coming = [...requests].sort((a, b) => a.at - b.at)
  for (const request of coming) {
    pool.runUntil(request.at)
    pool.take(request)
  }
  pool.runUntil(Number.POSITIVE_INFINITY)
  const { started, idle } = pool
  return { started, order: [...started.keys()], idle }
}

/** A pool with so many slots and a queue. */
class QueuedPool {
  readonly started = new Map<Asked, number>()
  idle = 0
  #now = 0
  readonly #slots: number
  readonly #aging: number
  readonly #queue = new QueueWithShares<Asked>()
  #running: readonly { readonly until: number; readonly request: Asked }[] = []

  constructor(slots: number, aging: number, guarantees: readonly Guarantee[]) {
    this.#queue.guarantee(guarantees)
    this.#slots = slots
    this.#aging = aging
  }

  take(request: Asked): void {
    if (this.#running.length < this.#slots) {
      this.#queue.start(request)
      this.#begin(request)
    } else this.#queue.enter(request, this.#now, NO_BOUNDS)
  }

  /** Ends what is due by then, and starts what comes next. */
  runUntil(time: number): void {
    for (let [first] = this.#running; first && first.until <= time; [first] = this.#running) {
      this.#pass(first.until)
      this.#running = this.#running.slice(1)
      this.#queue.end(first.request, first.request.real)
      this.#queue.release(first.request)
      const next = this.#queue.next(this.#now, this.#aging)
      if (next) this.#begin(next)
    }
    if (Number.isFinite(time)) this.#pass(time)
  }

  #pass(time: number): void {
    if (this.#queue.order.size > 0) this.idle += (this.#slots - this.#running.length) * (time - this.#now)
    this.#now = time
  }

  #begin(request: Asked): void {
    this.started.set(request, this.#now)
    const run = { until: this.#now + request.service, request }
    this.#running = [...this.#running, run].sort((a, b) => a.until - b.until)
  }
}
