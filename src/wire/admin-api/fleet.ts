import { FLEET } from '../admin/fleet.ts'
import { INCIDENTS } from '../admin/incident.ts'
import { PROCESS_LIST } from '../admin/process.ts'
import { ALARMS } from '../admin/state.ts'
import { closed, defaulted, fixed, record, text, whole, word } from '../schema/schema.ts'
import { call } from './call.ts'
import { GATEWAY, name } from './fields.ts'

export const showFleet = call({
  method: 'GET',
  path: '/admin/fleet',
  needs: 'viewer',
  summary: 'Lists the gateways on the store and their differences.',
  answer: FLEET,
})

export const prepareChange = call({
  method: 'POST',
  path: '/admin/fleet/prepare',
  needs: 'admin',
  summary: 'Prepares a fleet-wide change: the leading gateway asks whether this one can apply it.',
  body: closed({ change: name(), previous: name() }),
  answer: record({ gateway: text(), prepared: fixed(true) }),
  errors: ['APPLY_REFUSED', 'REVISION_CHANGED'],
})

export const settleChange = call({
  method: 'POST',
  path: '/admin/fleet/settle',
  needs: 'admin',
  summary: 'Commits a fleet-wide change. Answers once it is applied here.',
  body: closed({ change: name() }),
  answer: record({ gateway: text(), revision: text() }),
  errors: ['APPLY_REFUSED', 'REVISION_CHANGED'],
})

export const listProcesses = call({
  method: 'GET',
  path: '/admin/workers',
  needs: 'viewer',
  summary: 'Lists the processes of a gateway; empty if it has a single process.',
  answer: PROCESS_LIST,
})

export const listAlarms = call({
  method: 'GET',
  path: '/admin/alarms',
  needs: 'viewer',
  summary: 'Lists the newest alarms of this process. Equal alarms within a minute are merged.',
  query: { limit: defaulted(whole(undefined, { least: 1, most: 500 }), 200) },
  answer: ALARMS,
})

export const listIncidents = call({
  method: 'GET',
  path: '/admin/incidents',
  needs: 'viewer',
  summary:
    'Lists incidents of this gateway, or of the fleet with `gateway`. Open ones come first, each group newest first.',
  query: {
    gateway: GATEWAY,
    limit: defaulted(whole(undefined, { least: 1, most: 200 }), 100),
    state: defaulted(word(['open', 'all'], '`open` leaves out incidents that have ended.'), 'all'),
  },
  answer: INCIDENTS,
})
