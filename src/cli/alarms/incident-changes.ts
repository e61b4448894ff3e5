import type { ShownIncident } from '../../wire/admin/incident.ts'

/** The incidents that opened, came back or ended between two lists, oldest first; without a list before, those that are open. */
export function incidentChanges(
  before: readonly ShownIncident[] | undefined,
  now: readonly ShownIncident[],
): readonly ShownIncident[] {
  if (!before) return now.filter(({ state }) => state === 'open').reverse()
  const known = new Map(before.map(each => [keyOf(each), stateOf(each)]))
  return now.filter(each => known.get(keyOf(each)) !== stateOf(each)).reverse()
}

const keyOf = ({ gateway, incident, subject }: ShownIncident): string => JSON.stringify([gateway, incident, subject])
const stateOf = ({ state, opened_at }: ShownIncident): string => `${state} ${opened_at}`
