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
  summary: 'Lists the gateways on the store, and what they differ in.',
  answer: FLEET,
})

export const prepareChange = call({
  method: 'POST',
  path: '/admin/fleet/prepare',
  needs: 'admin',
  summary: 'The gateway that leads a change of all asks whether this one can take it.',
  body: closed({ change: name(), previous: name() }),
  answer: record({ gateway: text(), prepared: fixed(true) }),
  errors: ['APPLY_REFUSED', 'REVISION_CHANGED'],
})

export const settleChange = call({
  method: 'POST',
  path: '/admin/fleet/settle',
  needs: 'admin',
  summary: 'A change of all is decided. Answered once it is done here.',
  body: closed({ change: name() }),
  answer: record({ gateway: text(), revision: text() }),
  errors: ['APPLY_REFUSED', 'REVISION_CHANGED'],
})

export const listProcesses = call({
  method: 'GET',
  path: '/admin/workers',
  needs: 'viewer',
  summary: 'Lists the processes of a gateway that has several; none where one process does all.',
  answer: PROCESS_LIST,
})

export const listAlarms = call({
  method: 'GET',
  path: '/admin/alarms',
  needs: 'viewer',
  summary: 'Lists the newest alarms of this process. Those that say the same within a minute are one.',
  query: { limit: defaulted(whole(undefined, { least: 1, most: 500 }), 200) },
  answer: ALARMS,
})

export const listIncidents = call({
  method: 'GET',
  path: '/admin/incidents',
  needs: 'viewer',
  summary:
    'Lists incidents of this gateway, or with `gateway` of the fleet. Open ones first, in each part the newest first.',
  query: {
    gateway: GATEWAY,
    limit: defaulted(whole(undefined, { least: 1, most: 200 }), 100),
    state: defaulted(word(['open', 'all'], '`open` leaves out those that are over.'), 'all'),
  },
  answer: INCIDENTS,
})
