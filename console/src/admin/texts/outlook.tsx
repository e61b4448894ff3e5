import { count, plural } from '../../shared/fmt.ts'

export const health = 'Health'
export const healthUnknown = 'The gateway does not answer: its health is unknown'
export const allWell = (pools: number, gateways: number) =>
  `All is well: ${plural(pools, 'pool')} healthy, ${plural(gateways, 'gateway')} on one revision, the store answers, no request failed in 5 minutes`
export const incidentsAreOpen = (open: number) => (open === 1 ? 'One incident is open' : `${open} incidents are open`)
export const storeIsAway = 'The store does not answer'
export const gatewayIsSilent = (gateway: string) => `${gateway} does not answer`
export const gatewaysDiffer = {
  revision: 'Gateways serve different revisions',
  version: 'Gateways have different versions',
} as const
export const failedRequests = (failed: number, requests: number, minutes: number) =>
  `${plural(failed, 'request')} of ${count(requests)} failed in ${minutes} minutes`
export const series = 'Time series'
export const span = 'Time'
export const lastHour = 'Last hour'
export const lastDay = 'Last 24 hours'
export const modelOrPool = 'Model or pool'
export const allModels = 'All models'
export const kinds = { model: 'Model', pool: 'Pool' } as const
export const requestsAMinuteTitle = 'Requests per minute'
export const attemptsAMinute = 'Attempts per minute'
export const latency = 'Latency'
export const firstToken = 'Time to first token'
export const tokensAMinute = 'Tokens per minute'
export const spendAnHour = 'Spend per hour'
export const served = 'Served'
export const refused = 'Refused'
export const failed = 'Failed'
export const left = 'Client left'
export const p50 = 'p50'
export const p95 = 'p95'
export const inputTokens = 'Input'
export const outputTokens = 'Output'
export const spend = 'Spend'
export const inAll = (amount: string) => `${amount} total`
export const p95Is = (amount: string) => `p95 ${amount}`
export const seconds = (value: string) => `${value} s`
export const milliseconds = (value: string) => `${value} ms`
export const utc = (time: string) => `${time} UTC`
export const noValue = '–'
export const noRequests = 'No requests in this period'
export const noStreams = 'No streams in this period'
export const noAttempts = 'No attempts in this period'
export const firstPointIn = (wait: string) => `First point in ${wait}`
export const chartLabel = (title: string, headline: string) => `${title}: ${headline}`
