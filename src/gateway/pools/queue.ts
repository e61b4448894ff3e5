import type { QueueSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import type { FullQueue } from '../../policy/queue/fair-queue.ts'
import type { SlotGrant, SlotReport } from '../../policy/queue/shared-slots.ts'
import type { Charge } from '../../policy/queue/virtual-time.ts'
import { type Guarantee, type OwnedRequest, QueueWithShares } from '../../policy/queue/with-shares.ts'
import { AnswerLengths } from '../../policy/queue/work.ts'
import type { Clock } from '../ports.ts'
import { SlidingCount } from './sliding-count.ts'

/** A request in the queue of a pool, and then in one of its slots. */
export interface QueuedRequest extends OwnedRequest {
  /** Hears that it has a slot. */
  admit: () => void
  /** Hears that it is to go elsewhere. */
  dismiss: () => void
}

const RATE_SECONDS = 60
const NOTHING = () => {}

/** The requests of one pool that wait in a fair order, and the work of those that have a slot. Counts are tokens. */
export class PoolQueue {
  /** How long answers of accounts are here. */
  readonly lengths = new AnswerLengths()
  readonly #queue = new QueueWithShares<QueuedRequest>()
  readonly #order = this.#queue.order
  readonly #ended = new SlidingCount(RATE_SECONDS)
  #firstEnd: Millis | undefined
  /** As the latest request came with them, since a reload may change them. */
  #terms: { readonly clock: Clock; readonly aging: Millis } | undefined

  /** Requests that wait. */
  get size(): number {
    return this.#order.size
  }

  get waiting(): Iterable<QueuedRequest> {
    return this.#order.waiting
  }

  /** Requests that wait, by the priority of their plans. */
  get byPriority(): ReadonlyMap<number, number> {
    return this.#order.byPriority
  }

  /** From now on the order is one with that of other processes, or is not. */
  share(isShared: boolean): void {
    this.#order.share(isShared)
    this.#queue.hear()
  }

  /** The part of the queue in a report to the store. */
  report(): Pick<SlotReport, 'head' | 'accounts' | 'shares'> {
    const { head } = this
    const { shares } = this.#queue
    return { accounts: this.#order.tellAccounts(), ...(head && { head }), ...(shares && { shares }) }
  }

  /** Takes what accounts were charged since this was asked before, for the store. */
  takeCharges(): readonly Charge[] {
    return this.#order.takeCharges()
  }

  /** Takes over the order that the processes share, for the accounts of a report, and what owners of shares have elsewhere. */
  adopt(
    { accounts, shares }: Pick<SlotReport, 'accounts' | 'shares'>,
    grant: Pick<SlotGrant, 'virtual' | 'standings' | 'shares'>,
  ): void {
    this.#order.adopt(grant.virtual, accounts, grant.standings)
    this.#queue.hear(shares, grant.shares)
  }

  /** Nothing is known of other processes for now. */
  forgetOthers(): void {
    this.#queue.hear()
  }

  /** Whether a slot that came free is owed to the owner of a share, and where a request of it waits. */
  owes(): 'here' | 'elsewhere' | undefined {
    return this.#queue.owes()
  }

  /** The next request, as others compare it with theirs. */
  get head(): SlotReport['head'] {
    return this.#terms && this.#order.head(this.#terms.clock.elapsed(), this.#terms.aging)
  }

  /** Lets a request wait; or says which bound leaves no place for it. */
  enter(request: QueuedRequest, clock: Clock, settings: QueueSettings): FullQueue | undefined {
    this.#terms = { clock, aging: settings.aging }
    return this.#queue.enter(request, clock.elapsed(), settings)
  }

  /** It waits no longer. */
  leave(request: QueuedRequest): void {
    request.admit = NOTHING
    request.dismiss = NOTHING
    if (this.#terms) this.#queue.leave(request, this.#terms.clock.elapsed())
  }

  /** Takes out the request whose turn it is, which has a slot from now on. */
  next(): QueuedRequest | undefined {
    if (!this.#terms || this.#order.size === 0) return undefined
    return this.#queue.next(this.#terms.clock.elapsed(), this.#terms.aging)
  }

  /** A request has a slot without waiting. */
  start(request: QueuedRequest): void {
    this.#queue.start(request)
  }

  /** These slots are guaranteed from now on. */
  guarantee(guarantees: readonly Guarantee[]): void {
    this.#queue.guarantee(guarantees)
  }

  /** Requests of the owner of a share: those that have a slot, and those that wait. */
  usedBy(owner: string): { readonly held: number; readonly waiting: number } {
    return { held: this.#queue.heldBy(owner), waiting: this.#queue.waitingOf(owner) }
  }

  /** A request holds its slot no longer. */
  release(request: QueuedRequest): void {
    this.#queue.release(request)
  }

  /** A request is over, and its work was this. */
  end(request: QueuedRequest, tokens: number, clock: Clock): void {
    this.#queue.end(request, tokens)
    const now = clock.elapsed()
    this.#firstEnd ??= now
    this.#ended.add(now, tokens)
  }

  /**
   * How long it is likely to take until one more request of an account is served, at the pace of the last minute: behind
   * those that wait, or where its own are too many behind the next of them. No longer than those that wait may wait.
   */
  waitFor(account: string, weight: number, clock: Clock, { ofAccount, timeout }: QueueSettings): Millis {
    const now = clock.elapsed()
    const { all } = this.#ended.share(now)
    if (all === 0 || this.#firstEnd === undefined) return timeout
    const span = Math.min(RATE_SECONDS * 1000, Math.max(1000, now - this.#firstEnd))
    const isOwn = this.#order.waitingOf(account) >= ofAccount
    const tokens = isOwn ? this.#order.tokensUntilNext(account, weight) : this.#order.tokens
    return Math.min(timeout, Math.ceil((tokens * span) / all))
  }
}
