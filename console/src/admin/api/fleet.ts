import type { ShownFleet } from '../../../../src/wire/admin/fleet.ts'
import type { ShownProcess } from '../../../../src/wire/admin/process.ts'
import { ask } from '../../shared/api.ts'

/** The gateways on the store of the one that is asked. */
export const readFleet = () => ask<ShownFleet>('/admin/fleet')

/** The processes of the gateway that is asked; none where one process does all. */
export const readProcesses = () => ask<{ readonly data: readonly ShownProcess[] }>('/admin/workers')
