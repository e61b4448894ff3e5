import type { QueueSettings } from '../../config/settings.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import type { FullQueue } from '../../policy/queue/fair-queue.ts'
import { shareOf } from '../../policy/queue/slot-shares.ts'
import { workOf } from '../../policy/queue/work.ts'
import type { ReplicaPick } from '../balance/pool-balance.ts'
import { Waiter } from '../pools/any-slot.ts'
import type { QueuedRequest } from '../pools/queue.ts'
import type { FailoverPorts } from './failover-ports.ts'

/** How a request waits for a pool. */
export interface Waiting {
  readonly pool: Pool
  readonly queue: QueueSettings
  readonly pick?: ReplicaPick | undefined
  readonly time: Millis
  /** The later pools that may serve it too, as things are now. */
  readonly later: () => readonly Pool[]
}

/** How the wait ended, and in which pool. */
export interface WaitEnd {
  readonly pool: Pool
  readonly request: QueuedRequest
  readonly how: 'taken' | 'late' | FullQueue
}

/**
 * Waits for a slot of a pool, or of the first later one that has room. It waits in the queues of all of them at once, and is
 * over when the wait for the first pool is; a slot that comes too late is given back.
 */
export function takeAnyTurn(ports: FailoverPorts, waiting: Waiting): Promise<WaitEnd> {
  return new Promise((resolve, reject) => void new AnyTurn(ports, waiting, { resolve, reject }).begin())
}

interface Outcome {
  readonly resolve: (end: WaitEnd) => void
  readonly reject: (error: unknown) => void
}

class AnyTurn {
  readonly #ports: FailoverPorts
  readonly #waiting: Waiting
  readonly #outcome: Outcome
  readonly #waiter: Waiter
  readonly #from: Millis
  readonly #joined = new Set<Pool>()

  constructor(ports: FailoverPorts, waiting: Waiting, outcome: Outcome) {
    this.#ports = ports
    this.#waiting = waiting
    this.#outcome = outcome
    this.#waiter = new Waiter(ports.client)
    this.#from = ports.clock.elapsed()
  }

  /** Resolves once the wait for the first pool is over. */
  async begin(): Promise<void> {
    const end = this.#ports.pools.whenUsable(() => this.#joinLater())
    const first = this.#join(this.#waiting.pool)
    this.#joinLater()
    await first
    end()
  }

  #joinLater(): void {
    if (this.#waiter.gone) return
    for (const pool of this.#waiting.later()) if (!this.#joined.has(pool)) void this.#join(pool)
  }

  async #join(pool: Pool): Promise<void> {
    try {
      await this.#waitIn(pool)
    } catch (error) {
      this.#waiter.serve()
      this.#outcome.reject(error)
    }
  }

  async #waitIn(pool: Pool): Promise<void> {
    const { pools, clock, settingsOf } = this.#ports
    const { pool: first, time } = this.#waiting
    const { slots } = pools.of(pool.name)
    const { maxConcurrent = Number.POSITIVE_INFINITY } = settingsOf(pool)
    const request = requestOf(this.#ports, pool, pool === first ? this.#waiting.pick : undefined)
    this.#joined.add(pool)
    const turn = slots.takeInTurn(request, {
      maxConcurrent,
      queue: this.#queueOf(pool),
      time,
      clock,
      client: this.#waiter,
    })
    // Once all have joined that are about to: a slot that is free goes to the next of them.
    if (pool !== first) queueMicrotask(() => slots.resize({ maxConcurrent }))
    const how = await turn
    this.#joined.delete(pool)
    if (this.#waiter.isServed || (pool !== first && how !== 'taken')) this.#left(pool, request, how)
    else {
      this.#waiter.serve()
      this.#outcome.resolve({ pool, request, how })
    }
  }

  /** A later pool without a queue of its own bounds nobody: the queue of the first pool does. */
  #queueOf(pool: Pool): QueueSettings {
    const { queue, pool: first } = this.#waiting
    if (pool === first) return queue
    const none = Number.POSITIVE_INFINITY
    return this.#ports.settingsOf(pool).queue ?? { ...queue, max: none, ofAccount: none, bytes: none }
  }

  /** It is served elsewhere, or waits no longer here. */
  #left(pool: Pool, request: QueuedRequest, how: WaitEnd['how']): void {
    const { pools, clock, client, counter, settingsOf } = this.#ports
    const { slots } = pools.of(pool.name)
    if (how === 'taken') {
      slots.fair.end(request, 0, clock)
      slots.free(request)
    } else if (how !== 'late') return
    if (settingsOf(pool).queue)
      counter.queued(pool.name, client.gone ? 'gone' : 'moved', Math.round(clock.elapsed() - this.#from))
  }
}

const NOTHING = () => {}

/** The work that is expected of a request in a pool, and the share of the pool that it counts in. */
export function requestOf(
  { account, pools, queued }: Pick<FailoverPorts, 'account' | 'pools' | 'queued'>,
  pool: Pool,
  pick: ReplicaPick | undefined,
): QueuedRequest {
  const { priority, weight, bodyBytes, input, mostOutput } = queued
  const { fair } = pools.of(pool.name).slots
  const { shares = [] } = pool
  fair.guarantee(shares)
  const owner = shareOf(shares, queued.owners)?.owner
  const answer = fair.lengths.expected(account, mostOutput)
  const tokens = workOf(pick?.owedTokens ?? input, answer)
  return {
    ...{ account, priority, weight, bytes: bodyBytes, tokens, admit: NOTHING, dismiss: NOTHING },
    ...(owner !== undefined && { owner }),
  }
}
