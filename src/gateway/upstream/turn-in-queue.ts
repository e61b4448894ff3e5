import type { QueueSettings } from '../../config/settings.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import { workOf } from '../../policy/queue/work.ts'
import type { ReplicaPick } from '../balance/pool-balance.ts'
import type { KeptSlot } from '../pools/kept-slot.ts'
import type { QueuedRequest } from '../pools/pool-queue.ts'
import type { QueueEnd } from '../ports.ts'
import type { FailoverPorts } from './failover-ports.ts'

/** A slot of a pool with a queue. */
export interface TurnTaken {
  readonly request: QueuedRequest
  /** Whether replicas may have changed meanwhile. */
  readonly hasWaited: boolean
}

/** The bound of a queue that was met, as failures name it. */
export type QueueLimit = 'queue.max' | 'queue.of_account' | 'queue.bytes' | 'queue.timeout'

export type Turn = TurnTaken | { readonly goesOn: true } | { readonly limitReached: QueueLimit }

interface QueuedStep {
  readonly pool: Pool
  readonly queue: QueueSettings
  readonly pick?: ReplicaPick | undefined
  /** Whether a later pool has room for it. */
  readonly hasNext: boolean
}

/** Takes a slot of a pool in its turn; the slot that a request keeps it has at once. */
export function takeTurn(ports: FailoverPorts, kept: KeptSlot, step: QueuedStep): Turn | Promise<Turn> {
  const { pool, queue, hasNext } = step
  const { slots } = ports.pools.of(pool.name)
  const request = requestOf(ports, step)
  if (kept.take(slots) || slots.takeNow(ports.settingsOf(pool))) {
    slots.fair.start(request)
    return { request, hasWaited: false }
  }
  // Slots that are lent may be free, and have to be asked for.
  if (hasNext && queue.beforeNext === 0 && !slots.borrows) return { goesOn: true }
  return waitInTurn(ports, request, step)
}

async function waitInTurn(ports: FailoverPorts, request: QueuedRequest, step: QueuedStep): Promise<Turn> {
  const { pool, queue, hasNext } = step
  const { clock, client, counter, queued } = ports
  const { maxConcurrent = Number.POSITIVE_INFINITY } = ports.settingsOf(pool)
  const { slots } = ports.pools.of(pool.name)
  const from = clock.elapsed()
  const time = hasNext ? queue.beforeNext : queue.timeout
  const served = queued.begin(queue.comments ? () => slots.waiting : undefined)
  const turn = await slots.takeInTurn(request, { maxConcurrent, queue, time, clock, client }).finally(served)
  const waited: Millis = Math.round(clock.elapsed() - from)
  queued.waited(waited)
  const drained = () => ports.pools.of(pool.name).drained
  const ends = (end: QueueEnd) => counter.queued(pool.name, end, waited)
  switch (turn) {
    case 'taken':
      ends(client.gone ? 'gone' : 'served')
      return { request, hasWaited: true }
    case 'late':
      if (client.gone || hasNext || drained()) {
        ends(client.gone ? 'gone' : 'moved')
        return { goesOn: true }
      }
      ends('timeout')
      return { limitReached: 'queue.timeout' }
    default:
      ends('full')
      return { limitReached: `queue.${turn}` }
  }
}

const NOTHING = () => {}

/** The work that is expected of a request in a pool. */
function requestOf({ account, pools, queued }: FailoverPorts, { pool, pick }: QueuedStep): QueuedRequest {
  const { priority, weight, bodyBytes, input, mostOutput } = queued
  const answer = pools.of(pool.name).slots.fair.lengths.expected(account, mostOutput)
  const tokens = workOf(pick?.owedTokens ?? input, answer)
  return { account, priority, weight, bytes: bodyBytes, tokens, admit: NOTHING, dismiss: NOTHING }
}
