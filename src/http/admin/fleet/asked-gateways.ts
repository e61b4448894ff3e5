import { othersIn } from '../../../gateway/fleet/peers.ts'
import { type Denied, invalid } from '../../../policy/denial.ts'
import type { Member } from '../../../wire/admin/fleet.ts'
import type { OperatorApp } from '../operator-app.ts'

/** Dependencies of `askedGateways`. */
type FleetApp = Pick<OperatorApp, 'fleet'>

/** Which gateways a question of an operator is for. */
export interface AskedGateways {
  /** Whether the one that got the question is one of them. */
  readonly here: boolean
  /** The others, as the fleet is at that moment. */
  readonly others: () => readonly Member[]
}

/**
 * The gateways that `gateway` of a query names: `all` of the fleet, or one by its name; without it
 * the one that was asked.
 */
export async function askedGateways({ fleet }: FleetApp, named: string | undefined): Promise<AskedGateways | Denied> {
  if (named === undefined) return { here: true, others: () => [] }
  const others = await othersIn(fleet)
  const now = () => fleet.members.filter(({ id }) => id !== fleet.self.id)
  if (named === ALL) return { here: true, others: now }
  if (named === fleet.self.name) return { here: true, others: () => [] }
  if (others.some(({ name }) => name === named))
    return { here: false, others: () => now().filter(({ name }) => name === named) }
  const there = fleet.members.map(({ name }) => name).join(', ')
  return invalid('gateway', `there is no gateway \`${named}\` on this store; there are ${there}, or ${ALL}`)
}

const ALL = 'all'
