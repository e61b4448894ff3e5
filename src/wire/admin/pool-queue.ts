import type { Pool } from '../../policy/config.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { list, optional, record, type TypeOf, text, whole } from '../schema/schema.ts'

const SLOT_SHARE = record(
  {
    owner: text('`org:NAME` or `plan:NAME`.'),
    share: text('Its share of the slots, such as `60%`.'),
    guaranteed: whole('Slots that are guaranteed, in each gateway.'),
    in_flight: whole('Slots that its requests hold, its own and borrowed ones.'),
    waiting: whole(),
  },
  'SlotShare',
  'A share of the slots of a pool.',
)

export const QUEUE = record(
  {
    max: whole('Requests that may wait, in each process.'),
    by_priority: list(
      record({ priority: whole(), waiting: whole() }, 'QueuePriority'),
      'Requests that wait, by the priority of their plans, the highest first.',
    ),
    shares: optional(list(SLOT_SHARE, 'The shares of the slots; absent if the pool declares none.')),
  },
  'Queue',
  'The queue of the pool; absent if it declares none.',
)

export interface ShownQueue extends TypeOf<typeof QUEUE> {}

interface QueueField {
  readonly queue?: ShownQueue
}

/** The requests that wait for a pool, and those of the owners of its shares, as a process counts them. */
export interface QueueReading {
  readonly byPriority: ReadonlyMap<number, number>
  usedBy(owner: string): { readonly held: number; readonly waiting: number }
}

export const shownQueue = (max: number, { shares }: Pool, reading: QueueReading): ShownQueue => ({
  ...waitingIn(max, reading.byPriority),
  ...(shares && {
    shares: shares.map(({ owner, millionths, slots }) => {
      const { held, waiting } = reading.usedBy(owner)
      return { owner, share: shareText(millionths), guaranteed: slots, in_flight: held, waiting }
    }),
  }),
})

const waitingIn = (max: number, byPriority: Iterable<readonly [number, number]>): ShownQueue => ({
  max,
  by_priority: [...byPriority].sort(([a], [b]) => b - a).map(([priority, waiting]) => ({ priority, waiting })),
})

/** Adds up the waiting requests over processes, or gateways. */
export function addedQueues(pools: readonly QueueField[]): QueueField {
  const all = pools.flatMap(({ queue }) => queue ?? [])
  const [first] = all
  if (!first) return {}
  const byPriority = new Map<number, number>()
  for (const { priority, waiting } of all.flatMap(({ by_priority }) => by_priority))
    byPriority.set(priority, (byPriority.get(priority) ?? 0) + waiting)
  return { queue: { ...waitingIn(first.max, byPriority), ...addedShares(first, all) } }
}

/** The shares of the first, with what their owners have in all. */
function addedShares({ shares }: ShownQueue, all: readonly ShownQueue[]): Pick<ShownQueue, 'shares'> {
  if (!shares) return {}
  return {
    shares: shares.map(share => {
      const same = all.flatMap(queue => queue.shares?.find(({ owner }) => owner === share.owner) ?? [])
      return {
        ...share,
        in_flight: same.reduce((total, each) => total + each.in_flight, 0),
        waiting: same.reduce((total, each) => total + each.waiting, 0),
      }
    }),
  }
}
