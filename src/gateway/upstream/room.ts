import type { Pool } from '../../policy/config.ts'
import type { Allowance } from './expenses.ts'
import type { FailoverPorts } from './failover-ports.ts'
import type { Slots } from './slots.ts'

/** Takes a slot of the pool, and what an attempt may cost of its hour; tells what there was no room for. */
export function takeRoom(ports: FailoverPorts, pool: Pool): Taken | Promise<Taken> {
  const { slots } = ports.pools.of(pool.name)
  // Nearly always there is room, and nothing to wait for.
  return slots.takeNow(ports.settingsOf(pool)) ? takeAllowance(ports, pool, slots) : waitForRoom(ports, pool, slots)
}

/** What a request holds of a pool while it is tried there. */
export interface Room {
  readonly allowance: Allowance
}
type Taken = Room | { readonly full: string }

async function waitForRoom(ports: FailoverPorts, pool: Pool, slots: Slots): Promise<Taken> {
  const { clock, client } = ports
  if (!(await slots.take(ports.settingsOf(pool), clock, client))) return { full: 'max_concurrent' }
  return takeAllowance(ports, pool, slots)
}

/** With a slot that was taken, which is given back where the hour has no room. */
function takeAllowance({ expenses }: FailoverPorts, pool: Pool, slots: Slots): Taken | Promise<Taken> {
  const taking = expenses.take(pool)
  return taking instanceof Promise ? allowed(taking, slots) : { allowance: taking }
}

async function allowed(taking: Promise<Allowance | undefined>, slots: Slots): Promise<Taken> {
  try {
    const allowance = await taking
    if (allowance) return { allowance }
  } catch (error) {
    slots.free()
    throw error
  }
  slots.free()
  return { full: 'max_usd_per_hour' }
}
