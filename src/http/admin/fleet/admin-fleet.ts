import { shownFleet } from '../../../wire/admin/fleet.ts'
import { validator } from '../../../wire/openai/validate.ts'
import type { HttpCall } from '../../listener/call.ts'
import { readSmall } from '../../listener/request-input.ts'
import { UNCACHED } from '../../uncached.ts'
import { NAME, textOf } from '../admin-op.ts'
import type { OperatorApp } from '../operator-app.ts'
import type { AdminEndpoint } from '../operator-family.ts'

/** Dependencies of the fleet endpoints. */
type FleetApp = Pick<OperatorApp, 'fleet' | 'fleetChanges' | 'settings'>

/** GET /admin/fleet: the gateways that are on the store now. */
async function showFleet({ fleet, settings }: FleetApp, call: HttpCall): Promise<void> {
  const { members } = await fleet.announce()
  call.json(200, shownFleet(settings.store.kind, members, fleet.self.id), UNCACHED)
}

const checkPrepare = validator({
  type: 'object',
  required: ['change', 'previous'],
  properties: { change: NAME, previous: NAME },
  additionalProperties: false,
})
const checkSettle = validator({
  type: 'object',
  required: ['change'],
  properties: { change: NAME },
  additionalProperties: false,
})

/** POST /admin/fleet/prepare: the gateway that leads a change of all asks whether this one can take it, and it waits for the decision. */
async function prepareChange({ fleetChanges, fleet }: FleetApp, call: HttpCall): Promise<void> {
  const read = await readSmall(call, checkPrepare)
  if ('denial' in read) return call.deny(read.denial)
  const denied = await fleetChanges.participant.prepare(textOf(read.body, 'change'), textOf(read.body, 'previous'))
  if (denied) return call.deny(denied.denial)
  call.json(200, { gateway: fleet.self.name, prepared: true }, UNCACHED)
}

/** POST /admin/fleet/settle: a change of all is decided, and the store says how. Answered once it is done here. */
async function settleChange({ fleetChanges, fleet }: FleetApp, call: HttpCall): Promise<void> {
  const read = await readSmall(call, checkSettle)
  if ('denial' in read) return call.deny(read.denial)
  const applied = await fleetChanges.participant.settle(textOf(read.body, 'change'))
  if (applied && 'denial' in applied) return call.deny(applied.denial)
  call.json(200, { gateway: fleet.self.name, revision: fleet.self.revision }, UNCACHED)
}

/** What operators see of the fleet, and what its gateways ask each other. */
export const fleetEndpoints: readonly AdminEndpoint[] = [
  { method: 'GET', path: '/admin/fleet', who: 'operator', needs: 'viewer', run: showFleet },
  { method: 'POST', path: '/admin/fleet/prepare', who: 'operator', needs: 'admin', run: prepareChange },
  { method: 'POST', path: '/admin/fleet/settle', who: 'operator', needs: 'admin', run: settleChange },
]
