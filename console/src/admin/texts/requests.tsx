import type { ComponentChildren } from 'preact'

export const anyStatus = 'Any status'
export const anyPlan = 'Any plan'
export const anyModel = 'Any model'
export const anyPool = 'Any pool'
export const account = 'Account'
export const findAccount = 'Account, req_…'
export const codeOrType = 'Code or type'
export const served = 'Served'
export const refused4xx = 'Refused: 4xx'
export const limited429 = 'Limited: 429'
export const failed5xx = 'Failed: 5xx'
export const byStatus = 'By status'
export const byPlan = 'By plan'
export const byModel = 'By model'
export const byPool = 'By pool'
export const byAccount = 'By account'
export const byCodeOrType = 'By code or type'
export const requests = 'Requests'
export const theLast5000 =
  'The last 5,000 requests of this gateway process, newest first. Open one to see how it was decided.'
export const ofTheLedger = 'Requests of all gateways from the ledger, newest first, including those before a restart.'
export const byTime = 'By time'
export const now = 'As they end'
export const last24Hours = 'Show the last 24 hours'
export const PERIODS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
] as const
export const byOutcome = 'By outcome'
export const anyOutcome = 'Any outcome'
export const refusedOrFailed = 'Refused or failed'
export const byKey = 'By key'
export const labels = 'Labels'
export const keyOrId = 'Key or its id'
export const outcomes = { ok: 'served', refused: 'refused', failed: 'failed' }
export const noneInTheLedger = 'Neither the ledger nor a running gateway has one in this period.'
export const lookFurther = 'Search further back'
export const refusalsSince = (time: ComponentChildren) => (
  <>Refused requests are known since {time}: gateways keep them in memory, and the ledger has none.</>
)
export const archived = (archive: string) =>
  `Missing: rows archived to ${archive}, because an endpoint cannot be read back.`
export const missing = (gateways: string) => `Missing: requests refused by ${gateways}, which did not answer.`
export const older = 'Older'
export const backToTheNewest = 'Back to newest'
export const noSuchRequest = 'No matching requests'
export const noRequestThen = 'No requests in this period'
export const noRequestYet = 'No requests yet'
export const noneThatThisProcess = (since: ComponentChildren) => (
  <>No request in this process's memory matches, since {since}.</>
)
export const requestsShowUpHere = (since: ComponentChildren) => <>Requests appear here as they end, since {since}.</>
export const showAll = 'Show all'
export const time = 'Time'
export const status = 'Status'
export const plan = 'Plan'
export const model = 'Model'
export const pool = 'Pool'
export const tokens = 'Tokens'
export const cost = 'Cost'
export const ms = 'ms'
export const unknown = 'unknown'
