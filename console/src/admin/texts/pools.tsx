import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const isDrained = (place: string | number) => `${place} is drained`
export const getsRequestsAgain = (place: string | number) => `${place} receives requests again`
export const drain = 'Drain'
export const undrain = 'Undrain'
export const noNewRequests =
  'It receives no new requests, and running ones finish. This applies to all gateways on the store, and survives restarts.'
export const requestsAreSentThere = 'It receives requests again, from the next one on.'
export const noOtherHealthyReplica = (value: ComponentChildren) => <>No other healthy replica serves {value} now.</>
export const theAuditNamesYou = (by: ComponentChildren) => (
  <>
    The audit will name <bdi>{by}</bdi>.
  </>
)
export const answeredInMs = (place: string | number, slowest: string | number) => `${place} answered in ${slowest} ms`
export const answered = (status: string | number) => `answered ${status}`
export const replicaOf = (replica: string | number, pool: string | number) => `replica ${replica} of ${pool}`
export const drained = 'Drained'
export const healthy = 'Healthy'
export const degraded = 'Degraded'
export const down = 'Down'
export const ejected = (again: string | number) => `Ejected${again}`
export const paused = (again: string | number) => `Paused${again}`
export const onTrial = 'On trial'
export const probeFailed = 'Probe failed'
export const failing = 'Failing'
export const findAPool = 'Find a pool'
export const pools = 'Pools'
export const whatThisGatewayKnows = "This gateway's view of its backends."
export const whatGatewaysKnow =
  "All gateways' view of their backends, added up. Each gateway ejects on its own; draining applies to all."
export const notAsked = (gateway: string, problem: string) => `${gateway} did not answer and is left out: ${problem}`
export const seenBy = (seen: readonly string[], of: number) =>
  seen.length === 1 ? `at ${seen[0]}` : `at ${seen.length} of ${of}`
export const noPoolIsCalled = 'No pool matches.'
export const pool = 'Pool'
export const state = 'State'
export const inFlight = 'In flight'
export const waiting = 'Waiting'
export const ofAllGateways = (own: string | number, held: string | number, max: string | number) =>
  `${own} (all gateways: ${held} / ${max})`
export const waitingOf = (waiting: string | number, max: string | number) => `${waiting} of ${max}`
export const slotShare = (owner: string, guaranteed: number, inFlight: number, waiting: number) =>
  `${owner}: ${plural(guaranteed, 'slot')} guaranteed, ${inFlight} in flight${waiting > 0 ? `, ${waiting} waiting` : ''}`
export const engineRunning = 'Engine: running'
export const engineWaiting = 'Engine: waiting'
export const kvCache = 'KV cache'
export const notRead = 'not read'
export const cached = 'Cached'
export const promptsCached = (share: string) => `${share} of prompts cached`
export const notIsolated = 'Caches not isolated'
export const takesNoSalt =
  'The backends take no cache_salt, so accounts share their prompt caches. If that is intended, set caches: pool.'
export const engineLoad = (running: string | number, waiting: string | number) =>
  `engine: ${running} running, ${waiting} waiting`
export const kvCacheInUse = (share: string) => `KV cache ${share}`
export const last10S = 'Last 10\u00a0s'
export const spendHour = 'Spend, hour'
export const actions = 'Actions'
export const probe = 'Probe'
export const askToUndrain = 'Undrain…'
export const askToDrain = 'Drain…'
export const failureCount = (n: number) => plural(n, 'failure')
export const probeAnswered = (ms: string | number) => `answered in ${ms} ms`
export const again = (requests_10s: string | number, retries_10s: string | number) =>
  `${requests_10s}, ${retries_10s} retried`
export const ofThemInFlight = (pool: string | number) => `${pool} in flight`
export const unknown = 'unknown'
export const ofThemWaiting = (waiting: string | number) => `${waiting} waiting`
export const lastHour = 'Last hour'
export const lastHourOfFleet = 'Last hour, fleet'
export const latency = (p50: string, p95: string) => `p50 ${p50}, p95 ${p95}`
export const noAttempts = 'no attempts'
export const percent = (value: string) => `${value}%`
export const failedShare = (share: string) => `${share} failed`
export const attemptsOfTheHour = (requests: string, failed: string) =>
  `Attempts of the last hour: ${requests}, of which ${failed} failed`
export const hourOf = (requests: string, share: string, p95: string) =>
  `last hour ${requests} attempts, ${share} failed, p95 ${p95}`
export const firstTokens = (p50: string, p95: string) => `First token: p50 ${p50}, p95 ${p95}`
export const hour = (pool: string | number) => `hour ${pool}`
export const shareOf = (share: string, model: string) => `${share} of ${model}`
export const canary = 'canary'
export const canaryRuns = (model: string) => `Canary of ${model}`
export const canaryStopped = (model: string, why: string) => `Canary of ${model} stopped: ${why}`
export const stopsWhen = (rules: string) => `Stops at ${rules}`
export const side = (name: string, figures: string) => `${name}: ${figures}`
export const failedOf = (errors: number, requests: number) => `${errors} of ${requests} failed`
export const firstTokenP95 = (ms: number) => `first token p95 ${ms} ms`
export const copiesOf = (sample: string, model: string, from: string) => `Copies of ${sample} of ${model} from ${from}`
export const inADay = (cost: string) => `${cost} in 24 h`
export const newestCopy = (when: ComponentChildren, outcome: string) => (
  <>
    the newest, {when}, {outcome}
  </>
)
