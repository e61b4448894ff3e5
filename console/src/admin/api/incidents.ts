import { computed } from '@preact/signals'
import type { ShownIncidents } from '../../../../src/wire/admin/incident.ts'
import { ask } from '../../shared/api.ts'
import { follow } from '../../shared/resource.ts'

const followed = follow<ShownIncidents>(() => ask('/admin/incidents?gateway=all'), 5000)

/** Incidents of the fleet's gateways, open ones first. */
export const incidents = followed.shown
export const refreshIncidents = followed.run
export const followIncidents = followed.start

/** How many are open. */
export const openIncidents = computed(() => incidents.value.data?.open ?? 0)
