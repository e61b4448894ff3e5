import type { Denied } from '../../../policy/denial.ts'
import { type ShownFleet, shownFleet } from '../../../wire/admin/fleet.ts'
import type { AnswerOf } from '../../../wire/admin-api/call.ts'
import * as calls from '../../../wire/admin-api/fleet.ts'
import { type Asked, answering } from '../declared.ts'
import type { OperatorApp } from '../operator-app.ts'
import type { AdminEndpoint } from '../operator-family.ts'

/** Dependencies of the fleet endpoints. */
type FleetApp = Pick<OperatorApp, 'fleet' | 'fleetChanges' | 'settings'>

/** GET /admin/fleet: the gateways that are on the store now. */
async function showFleet({ fleet, settings }: FleetApp): Promise<ShownFleet> {
  const { members } = await fleet.announce()
  return shownFleet(settings.store.kind, members, fleet.self.id)
}

/** POST /admin/fleet/prepare: the gateway that leads a change of all asks whether this one can take it, and it waits for the decision. */
async function prepareChange(
  { fleetChanges, fleet }: FleetApp,
  { body: { change, previous } }: Asked<typeof calls.prepareChange>,
): Promise<AnswerOf<typeof calls.prepareChange> | Denied> {
  const denied = await fleetChanges.participant.prepare(change, previous)
  return denied ?? { gateway: fleet.self.name, prepared: true }
}

/** POST /admin/fleet/settle: a change of all is decided, and the store says how. Answered once it is done here. */
async function settleChange(
  { fleetChanges, fleet }: FleetApp,
  { body: { change } }: Asked<typeof calls.settleChange>,
): Promise<AnswerOf<typeof calls.settleChange> | Denied> {
  const applied = await fleetChanges.participant.settle(change)
  if (applied && 'denial' in applied) return applied
  return { gateway: fleet.self.name, revision: fleet.self.revision }
}

/** The operators' calls on the fleet, and those between its gateways. */
export const fleetEndpoints: readonly AdminEndpoint[] = [
  answering(calls.showFleet, showFleet),
  answering(calls.prepareChange, prepareChange),
  answering(calls.settleChange, settleChange),
]
