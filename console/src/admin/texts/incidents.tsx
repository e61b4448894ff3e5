export const find = 'Find an incident'
export const incidents = 'Incidents'
export const whatTroubles = 'What troubles the gateways, and what to do.'
export const openNow = (open: number) =>
  open === 0 ? 'None is open.' : open === 1 ? 'One is open.' : `${open} are open.`
export const missing = (gateway: string, problem: string) => `The incidents of ${gateway} are missing: ${problem}`
export const none = 'No incident'
export const noneSince = 'Nothing has troubled the gateways since they started.'
export const noneFound = 'No incident has that word.'
export const openFirst = 'Incidents, open ones first'
export const state = 'State'
export const states = { page: 'act now', ticket: 'open', over: 'over' } as const
export const incident = 'Incident'
export const since = 'Since'
export const openFor = 'Open for'
export const times = 'Times'
export const failed = 'Failed meanwhile'
export const failedRequests = (count: number, shown: string) => `${shown} ${count === 1 ? 'request' : 'requests'}`
export const failedAttempts = (count: number, shown: string) => `${shown} ${count === 1 ? 'attempt' : 'attempts'}`
export const gateway = 'Gateway'
