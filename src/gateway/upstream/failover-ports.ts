import type { BackendSettings, Settings } from '../../config/settings.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import { queueRankOf } from '../../policy/queue/rank.ts'
import type { Owners } from '../../policy/queue/slot-shares.ts'
import { estimatedInput } from '../../policy/sizing.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import { isSilence } from '../attempt/outcome.ts'
import type { BalancedRequest } from '../balance/pool-balance.ts'
import type { Call } from '../call.ts'
import { generates, type HealthVerdict } from '../health/check.ts'
import { emptyRequests } from '../health/empty-requests.ts'
import type { KeptSlot } from '../pools/kept-slot.ts'
import type { ComparedOutcome, Pools } from '../pools/pools.ts'
import type { Replica } from '../pools/replica.ts'
import type { Alarm, AttemptCounter, Cancel, Client, Clock } from '../ports.ts'
import { ComparedRequest, comparedPools } from './compared-request.ts'
import { Expenses } from './expenses.ts'
import type { UpstreamPorts } from './ports.ts'

/** The ports of failover for one request. */
export interface FailoverPorts {
  readonly pools: Pools
  readonly clock: Clock
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  readonly alarm: Alarm
  readonly client: Client
  readonly settingsOf: (pool: Pool) => BackendSettings
  readonly expenses: Expenses
  /** Called before each attempt. */
  readonly trying: (pool: Pool) => void
  /** The account of the request. */
  readonly account: string
  readonly isGuest: boolean
  /** The pools of the model in the order of the files; a decision puts unusable ones last. */
  readonly declared: readonly Pool[]
  /** The prompt's key for choosing a replica; absent to choose the least busy one. */
  readonly balanced?: BalancedRequest
  /** Records the outcome, if canaries of the model are compared. */
  readonly compared?: ComparedRequest
  readonly counter: Pick<AttemptCounter, 'queued'>
  /** The request as queues of pools order it. */
  readonly queued: QueuedCall
  /** The slot that an answer in rounds keeps; without it, a slot is kept only for the attempts of this round. */
  readonly kept?: KeptSlot
  /** Checks the health of a replica that failed, and updates its breaker. Never rejects. */
  readonly checkHealth: (pool: Pool, replica: Replica, how: Suspicion) => Promise<HealthVerdict>
}

/** A request as queues of pools order it. Counts are tokens. */
export interface QueuedCall {
  readonly priority: number
  readonly weight: number
  /** The owners whose share of a pool it uses. */
  readonly owners: Owners
  readonly bodyBytes: number
  readonly input: number
  readonly mostOutput: number
  /** Called when it begins to wait; the result is called when the wait ends. */
  readonly begin: (wait: QueueWait) => Cancel
  /** Called with the time that it waited. */
  readonly waited: (time: Millis) => void
}

/** A request's wait in the queue of a pool. */
export interface QueueWait {
  readonly pool: Pool
  /** Whether it goes to a later pool that has room once `before_next` is over. */
  readonly goesOn: boolean
  /** Counts the waiting requests; absent if a stream must not begin before it is served. */
  readonly waiting?: () => number
}

/** The failure that makes a replica a suspect. */
export interface Suspicion {
  readonly cause: string
  /** Set if the account or the model may be missing. */
  readonly mayLack?: boolean
}

/** The ports of one request. `failures` are failed attempts of earlier rounds. */
export function failoverPorts(
  gateway: UpstreamPorts,
  call: Pick<Call, 'client' | 'trying' | 'bodyBytes' | 'waiter' | 'kept'>,
  admitted: AdmittedCall,
  failures = 0,
  balanced?: BalancedRequest,
): FailoverPorts {
  const { client, trying } = call
  const settingsOf = (pool: Pool) => backendOf(gateway.settings, pool)
  // Each by name: copying the whole gateway object for every request costs more than all the rest.
  const { pools, clock, chance, alarm, store, counter } = gateway
  const expenses = new Expenses({ store, alarm, settingsOf }, admitted, failures)
  const { account, kind } = admitted.caller
  const checkHealth = (pool: Pool, replica: Replica, how: Suspicion) =>
    checkHealthFor(gateway, admitted, expenses, { pool, replica, ...how })
  const ports: Mutable<FailoverPorts> = {
    pools,
    clock,
    chance,
    alarm,
    counter,
    queued: queuedCall(call, admitted),
    client,
    settingsOf,
    expenses,
    trying: pool => trying(admitted, pool),
    account,
    isGuest: kind === 'guest',
    declared: admitted.decision.model.serve,
    checkHealth,
  }
  const compared = comparedPools(admitted.decision.model)
  if (compared) {
    const note = (outcome: ComparedOutcome) => pools.compared(outcome)
    ports.compared = new ComparedRequest({ clock, client, note }, admitted.decision.model.name, compared)
  }
  if (balanced) ports.balanced = balanced
  if (call.kept) ports.kept = call.kept
  return ports
}

/** The request as queues order it. */
export function queuedCall(
  { bodyBytes = 0, waiter }: Pick<Call, 'bodyBytes' | 'waiter'>,
  admitted: AdmittedCall,
): QueuedCall {
  const { caller, decision, hold, queued, request } = admitted
  const { plan, model, claims } = decision
  const isChat = model.kind === 'chat' && request.kind === 'chat'
  const { priority, weight } = queueRankOf(plan, caller)
  return {
    priority,
    weight,
    owners: { plan: plan.name, org: caller.terms.org },
    bodyBytes,
    input: isChat ? estimatedInput(model, request) : claims.input,
    mostOutput: hold.output * claims.output.choices,
    begin: ({ waiting }) => waiter?.waits({ admitted, ...(waiting && { waiting }) }) ?? (() => {}),
    waited: time => {
      queued.ms += time
    },
  }
}

function checkHealthFor(
  { config, settings, pools, healthChecks, send, sendPassthrough }: UpstreamPorts,
  { request, hold }: AdmittedCall,
  expenses: Expenses,
  { pool, replica, cause, mayLack }: { readonly pool: Pool; readonly replica: Replica } & Suspicion,
): Promise<HealthVerdict> {
  const backend = backendOf(settings, pool)
  const requests = mayLack && !generates(request.kind) ? emptyRequests(config, pool) : undefined
  return healthChecks.verdict({
    pool,
    replica,
    state: pools.of(pool.name),
    kind: request.kind,
    settings: backend,
    ejection: backend.eject,
    id: `${hold.requestId}-check`,
    send,
    sendPassthrough,
    isSilent: isSilence(cause),
    ...(requests && { emptyRequests: requests }),
    paid: check => (generates(request.kind) ? expenses.ofCheck(pool, check) : check().then(({ verdict }) => verdict)),
  })
}

export function backendOf({ backends }: Settings, { name }: Pool): BackendSettings {
  const backend = backends.get(name)
  if (!backend) throw new Error(`pool ${name} has no backend settings`)
  return backend
}
