import type { Plan } from '../config.ts'
import type { Caller } from '../facts.ts'

/** The place of a request in queues of pools: guests come last, unless their plan says otherwise. */
export const queueRankOf = (
  { priority, weight = 1 }: Pick<Plan, 'priority' | 'weight'>,
  { kind }: Pick<Caller, 'kind'>,
): { readonly priority: number; readonly weight: number } => ({
  priority: priority ?? (kind === 'guest' ? 0 : 1),
  weight,
})
