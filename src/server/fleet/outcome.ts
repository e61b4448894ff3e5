import type { FleetState } from '../../gateway/store/fleet-store.ts'

/** The outcome of a change of all gateways, as the store says. One that it does not know was dropped. */
export function outcomeOf({ change }: Pick<FleetState, 'change'>, id: string): 'preparing' | 'committed' | 'dropped' {
  if (change?.id === id) return change.phase
  return change?.before.includes(id) ? 'committed' : 'dropped'
}

/** The last change that was committed: what all gateways are to serve. */
export function lastCommitted({ change }: Pick<FleetState, 'change'>): string | undefined {
  return change?.phase === 'committed' ? change.id : change?.before[0]
}

/** Whether a change that is still being prepared is to be dropped: its leader took too long. */
export const isOverdue = ({ at, change }: Pick<FleetState, 'at' | 'change'>): boolean =>
  change?.phase === 'preparing' && at >= change.until
