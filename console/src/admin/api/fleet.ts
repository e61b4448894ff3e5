import type { ShownFleet } from '../../../../src/wire/admin/fleet.ts'
import { ask } from '../../shared/api.ts'

/** The gateways on the store of the one that is asked. */
export const readFleet = () => ask<ShownFleet>('/admin/fleet')
