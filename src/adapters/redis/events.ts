import { randomUUID } from 'node:crypto'
import type { EventCount } from '../../gateway/accounts/account-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { GUESTS } from './layout.ts'

/** See AccountStore.countEvent. */
export async function countEvent(access: Access, counts: readonly EventCount[], window: Millis): Promise<Millis> {
  const names = counts.map(({ name }) => access.layout.guests.events(name))
  const limits = counts.map(({ limit }) => limit)
  const [outcome, wait] = await access.script(GUESTS, 'count', names, [window, randomUUID(), ...limits])
  return outcome === 'counted' ? 0 : Number(wait)
}
