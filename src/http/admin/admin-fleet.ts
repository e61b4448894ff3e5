import { shownFleet } from '../../wire/admin/fleet.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { UNCACHED } from '../public/developer-keys.ts'

/** GET /admin/fleet: the gateways that are on the store now. */
export async function showFleet({ fleet, settings }: App, call: HttpCall): Promise<void> {
  const { members } = await fleet.announce()
  call.json(200, shownFleet(settings.store.kind, members, fleet.self.id), UNCACHED)
}
