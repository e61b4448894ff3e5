import type { ComponentChildren } from 'preact'

export const find = 'Find an incident'
export const incidents = 'Incidents'
export const whatTroubles = 'Problems of the gateways, and what to do about them.'
export const openNow = (open: number) =>
  open === 0 ? 'None is open.' : open === 1 ? 'One is open.' : `${open} are open.`
export const missing = (gateway: string, problem: string) => `Missing: the incidents of ${gateway}: ${problem}`
export const none = 'No incidents'
export const noneSince = 'No incidents since the gateways started.'
export const noneFound = 'No incident matches.'
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
export const effect = (words: ComponentChildren) => <>Effect: {words}</>
export const gateway = 'Gateway'
