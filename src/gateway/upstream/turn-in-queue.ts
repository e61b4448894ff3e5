import type { Millis, Pool } from '../../policy/config.ts'
import type { KeptSlot } from '../pools/kept-slot.ts'
import type { QueuedRequest } from '../pools/queue.ts'
import type { QueueEnd } from '../ports.ts'
import { requestOf, takeAnyTurn, type Waiting } from './any-turn.ts'
import type { FailoverPorts } from './failover-ports.ts'

/** A slot of a pool with a queue. */
export interface TurnTaken {
  /** The pool that it was to wait for, or a later one that had room first. */
  readonly pool: Pool
  readonly request: QueuedRequest
  /** Whether replicas may have changed meanwhile. */
  readonly hasWaited: boolean
}

/** The bound of a queue that was met, as failures name it. */
export type QueueLimit = 'queue.max' | 'queue.of_account' | 'queue.bytes' | 'queue.timeout'

export type Turn = TurnTaken | { readonly goesOn: true } | { readonly limitReached: QueueLimit }

interface QueuedStep extends Omit<Waiting, 'time'> {
  /** Whether a later pool has room for it. */
  readonly hasNext: boolean
}

/** Takes a slot of a pool in its turn; the slot that a request keeps it has at once. */
export function takeTurn(ports: FailoverPorts, kept: KeptSlot, step: QueuedStep): Turn | Promise<Turn> {
  const { pool, queue, pick, hasNext } = step
  const { slots } = ports.pools.of(pool.name)
  if (kept.take(slots) || slots.takeNow(ports.settingsOf(pool))) {
    const request = requestOf(ports, pool, pick)
    slots.fair.start(request)
    return { pool, request, hasWaited: false }
  }
  // Slots that are lent may be free, and have to be asked for.
  if (hasNext && queue.beforeNext === 0 && !slots.borrows) return { goesOn: true }
  return waitInTurn(ports, step)
}

async function waitInTurn(ports: FailoverPorts, step: QueuedStep): Promise<Turn> {
  const { pool, queue, hasNext, later } = step
  const { clock, client, counter, queued } = ports
  const { slots } = ports.pools.of(pool.name)
  const from = clock.elapsed()
  const time = hasNext ? queue.beforeNext : queue.timeout
  const comments = queue.comments && { waiting: () => slots.waiting }
  const served = queued.begin({ pool, goesOn: hasNext, ...comments })
  const waiting = { ...step, time, later: hasNext ? () => [] : later }
  const turn = await takeAnyTurn(ports, waiting).finally(served)
  const waited: Millis = Math.round(clock.elapsed() - from)
  queued.waited(waited)
  const drained = () => ports.pools.of(pool.name).drained
  const ends = (end: QueueEnd) => counter.queued(turn.pool.name, end, waited)
  switch (turn.how) {
    case 'taken':
      if (ports.settingsOf(turn.pool).queue) ends(client.gone ? 'gone' : 'served')
      return { pool: turn.pool, request: turn.request, hasWaited: true }
    case 'late':
      if (client.gone || hasNext || drained()) {
        ends(client.gone ? 'gone' : 'moved')
        return { goesOn: true }
      }
      ends('timeout')
      return { limitReached: 'queue.timeout' }
    default:
      ends('full')
      return { limitReached: `queue.${turn.how}` }
  }
}
