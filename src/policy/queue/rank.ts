import type { Plan } from '../config.ts'
import type { Caller } from '../facts.ts'
import type { EnginePriority } from '../providers/profile.ts'

/** The place of a request in queues of pools: guests come last, unless their plan says otherwise. */
export const queueRankOf = (
  { priority, weight = 1 }: Pick<Plan, 'priority' | 'weight'>,
  { kind }: Pick<Caller, 'kind'>,
): { readonly priority: number; readonly weight: number } => ({
  priority: priority ?? (kind === 'guest' ? 0 : 1),
  weight,
})

/** The highest priority of a plan. */
const HIGHEST = 100

/** Below the lowest priority of a plan. */
const BELOW_ALL = -1

interface EngineTurn {
  readonly priority: number
  readonly isGuaranteed: boolean
  /** Whether nobody waits for the answer. */
  readonly isCopy: boolean
}

/**
 * The `priority` of a request at an engine that takes it: in slots of their own share requests go before all others, and copies
 * go behind all requests.
 */
export function enginePriority(
  order: EnginePriority,
  { priority, isGuaranteed, isCopy }: EngineTurn,
): number | undefined {
  if (order === 'none') return undefined
  if (isCopy) return order === 'high_first' ? BELOW_ALL : -BELOW_ALL
  const rank = isGuaranteed ? priority + HIGHEST + 1 : priority
  return order === 'high_first' ? rank : 0 - rank
}
