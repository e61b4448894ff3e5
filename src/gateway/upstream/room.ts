import type { Pool } from '../../policy/config.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import { takeAnySlot } from '../pools/any-slot.ts'
import type { KeptSlot } from '../pools/kept-slot.ts'
import type { QueuedRequest } from '../pools/queue.ts'
import type { Replica } from '../pools/replica.ts'
import type { BudgetReservation } from './expenses.ts'
import type { FailoverPorts } from './failover-ports.ts'

/** The room of one attempt: a slot of its pool, one at its replica, and a part of the pool's hourly budget. */
export interface Room {
  /** The replica that has a slot for it: the one that was chosen, or one that does as well. */
  readonly replica: Replica
  readonly reservation: BudgetReservation
  /** The request in its queue, where its pool has one. */
  readonly queued?: QueuedSlot
  /** Set where the wait for a first token is measured. */
  readonly firstToken?: FirstToken
}

/** The replica that was chosen for an attempt, and those that would do as well. */
interface Choice {
  readonly pool: Pool
  readonly replica: Replica
  readonly alternatives: readonly Replica[]
  /** The request in its queue, where the pool has one. */
  readonly queued?: QueuedRequest
}

type Place = Pick<Choice, 'pool' | 'queued'>

/** The limit that was reached. */
export type Limit = 'max_concurrent' | 'max_concurrent_each' | 'max_usd_per_hour'

export type Taken = Room | { readonly limitReached: Limit }

/** Takes the room of an attempt, or reports the limit that leaves none. */
export function takeRoom(ports: FailoverPorts, step: Choice): Taken | Promise<Taken> {
  const { slots } = ports.pools.of(step.pool.name)
  // Nearly always there is room, and nothing to wait for.
  return slots.takeNow(ports.settingsOf(step.pool)) ? takeReplica(ports, step) : waitForPool(ports, step)
}

/** A request that has a slot of a pool with a queue. */
export interface QueuedSlot {
  readonly request: QueuedRequest
  readonly kept: KeptSlot
}

/** Gives back such a slot, of which no attempt is made. */
export function leaveTurn({ pools, clock }: FailoverPorts, pool: Pool, { request, kept }: QueuedSlot): void {
  const { slots } = pools.of(pool.name)
  slots.fair.end(request, NO_WORK, clock)
  kept.keep(slots, request)
}

/** Takes the rest of the room of an attempt that has such a slot. */
export async function takeRest(ports: FailoverPorts, step: Choice, queued: QueuedSlot): Promise<Taken> {
  const taken = await takeReplica(ports, { ...step, queued: queued.request })
  return 'limitReached' in taken ? taken : { ...taken, queued }
}

/** The tokens that an attempt without an answer counts as. */
export const NO_WORK = 1

/** Gives back the room of an attempt that is not made; its reservation is settled by the caller. */
export function leaveRoom(ports: FailoverPorts, pool: Pool, room: Pick<Room, 'replica' | 'queued'>): void {
  const { replica, queued } = room
  replica.slots.free()
  if (queued) leaveTurn(ports, pool, queued)
  else ports.pools.of(pool.name).slots.free()
}

/** Gives back the slot of the pool alone. In a queue, the work of the request is put right before the next one gets its turn. */
function leavePool({ pools, clock }: FailoverPorts, { pool, queued }: Place): void {
  const { slots } = pools.of(pool.name)
  if (queued) slots.fair.end(queued, NO_WORK, clock)
  slots.free(queued)
}

async function waitForPool(ports: FailoverPorts, step: Choice): Promise<Taken> {
  const { clock, client, pools } = ports
  const { slots } = pools.of(step.pool.name)
  if (!(await slots.take(ports.settingsOf(step.pool), clock, client))) return { limitReached: 'max_concurrent' }
  return takeReplica(ports, step)
}

/** Takes the rest of the room of an attempt that has a slot of its pool, which is given back where no replica has room. */
export function takeReplica(ports: FailoverPorts, step: Choice): Taken | Promise<Taken> {
  const { clock, client } = ports
  const { pool, replica, alternatives, queued } = step
  const { maxConcurrentEach, queueTimeout } = ports.settingsOf(pool)
  const room = { queueTimeout, ...(maxConcurrentEach !== undefined && { maxConcurrent: maxConcurrentEach }) }
  const place = { pool, ...(queued && { queued }) }
  if (replica.slots.takeNow(room)) return reserveBudget(ports, place, replica)
  const places = [replica, ...alternatives.filter(each => each !== replica)]
  const taking = takeAnySlot(places, room, clock, client)
  return taking instanceof Promise ? waitForReplica(ports, place, taking) : onReplica(ports, place, taking)
}

async function waitForReplica(
  ports: FailoverPorts,
  place: Place,
  taking: Promise<Replica | undefined>,
): Promise<Taken> {
  const state = ports.pools.of(place.pool.name)
  state.seekingReplica++
  const replica = await taking.finally(() => state.seekingReplica--)
  return onReplica(ports, place, replica)
}

function onReplica(ports: FailoverPorts, place: Place, replica: Replica | undefined): Taken | Promise<Taken> {
  if (replica) return reserveBudget(ports, place, replica)
  leavePool(ports, place)
  return { limitReached: 'max_concurrent_each' }
}

/** With slots that were taken, which are given back when the pool's hourly budget is spent. */
function reserveBudget(ports: FailoverPorts, place: Place, replica: Replica): Taken | Promise<Taken> {
  const { pool } = place
  const taking = ports.expenses.take(pool)
  return taking instanceof Promise ? reserved(ports, place, replica, taking) : roomAt(ports, pool, replica, taking)
}

function roomAt(ports: FailoverPorts, pool: Pool, replica: Replica, reservation: BudgetReservation): Room {
  const { firstTokenOver } = ports.settingsOf(pool).spill
  if (firstTokenOver === undefined) return { replica, reservation }
  return { replica, reservation, firstToken: replica.firstTokens.watch(firstTokenOver) }
}

async function reserved(
  ports: FailoverPorts,
  place: Place,
  replica: Replica,
  taking: Promise<BudgetReservation | undefined>,
): Promise<Taken> {
  const leave = () => {
    replica.slots.free()
    leavePool(ports, place)
  }
  try {
    const reservation = await taking
    if (reservation) return roomAt(ports, place.pool, replica, reservation)
  } catch (error) {
    leave()
    throw error
  }
  leave()
  return { limitReached: 'max_usd_per_hour' }
}
