import type { Loaded, Settings } from '../config/settings.ts'
import type { AdmittedCall } from '../gateway/admission/admit.ts'
import { failedUnread } from '../gateway/attempt/outcome.ts'
import type { BalancedRequest } from '../gateway/balance/pool-balance.ts'
import { Pools, type Replica } from '../gateway/pools/pools.ts'
import type { Clock } from '../gateway/ports.ts'
import type { AttemptReport } from '../gateway/upstream/attempt-report.ts'
import { Expenses } from '../gateway/upstream/expenses.ts'
import { failover } from '../gateway/upstream/failover.ts'
import { backendOf, type FailoverPorts } from '../gateway/upstream/failover-ports.ts'
import { choiceIn } from '../gateway/upstream/replica-choice.ts'
import type { PoolChoice } from '../policy/balance/pool-choice.ts'
import { beginningOf } from '../policy/balance/prompt-sketch.ts'
import type { EpochMs, Pool } from '../policy/config.ts'
import type { ExhaustedDenial } from '../policy/denial.ts'
import type { Spill } from '../policy/replica-load.ts'
import type { PoolFault, PoolLoad, ReplicaGiven, Scenario } from './scenario.ts'

/** The outcome of a request at the pools. */
export interface Sent {
  /** The pools that were tried, in order. */
  readonly attempted: readonly string[]
  readonly end: { readonly servedBy: Pool } | { readonly denial: ExhaustedDenial }
  /** The choice in each pool that may answer and has more than one replica. */
  readonly choices: readonly PoolChoice[]
  /** The replica that answers; absent where it is one of two at random. */
  readonly replica?: string
}

/** A gateway's state of pools, some of which are ejected or have work. */
export function poolsKnown(
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  { pools: ill, loads, at }: Pick<Scenario, 'pools' | 'loads' | 'at'>,
): Pools {
  const pools = new Pools()
  for (const pool of config.pools.values()) {
    const { eject, spill } = backendOf(settings, pool)
    const load = loads.get(pool.name)
    for (const [index, replica] of pools.of(pool.name).replicas(pool).entries()) {
      if (ill.get(pool.name) === 'down') replica.breaker.open(at, eject.for)
      if (load) takeLoad(replica, load, spill, at)
      takeWork(replica, load?.replicas[index])
    }
  }
  return pools
}

/** As the engine would report it, and as this gateway would have measured it. */
function takeLoad(replica: Replica, { waiting, firstToken }: PoolLoad, { firstTokenOver }: Spill, at: EpochMs): void {
  replica.reported({ at, running: 0, waiting })
  if (firstToken === undefined || firstTokenOver === undefined) return
  replica.firstTokens.add(at, { all: MANY, late: firstToken > firstTokenOver ? MANY : 0 })
}

/** The requests that run there, as this gateway would count them. */
function takeWork(replica: Replica, given: ReplicaGiven | undefined): void {
  replica.inFlight += given?.running ?? 0
  replica.heldTokens += given?.held ?? 0
  replica.owedTokens += given?.owed ?? 0
}

/** Has the replicas know as much of a request's prompt as a scenario gives. */
export function cachePrompt(
  { config }: Pick<Loaded, 'config'>,
  pools: Pools,
  { loads }: Pick<Scenario, 'loads'>,
  balanced: BalancedRequest | undefined,
): void {
  const sketch = balanced?.sketch()
  if (!balanced || !sketch) return
  for (const [name, { replicas }] of loads) {
    const pool = config.pools.get(name)
    if (!pool) continue
    const { balance, pace } = pools.of(name)
    for (const [index, { cached }] of replicas.entries()) {
      const url = pool.replicas[index]
      const known = beginningOf(sketch, Math.ceil(cached * pace.bytesPerToken))
      if (url !== undefined && cached > 0) balance.assume(pool, known, balanced.domainIn(pool), url)
    }
  }
}

/** Enough streams to count. */
const MANY = 100

export type PoolFaults = ReadonlyMap<string, PoolFault>

interface SendTerms {
  readonly ill: PoolFaults
  /** The prompt's key for choosing replicas; absent where there is no prompt. */
  readonly balanced?: BalancedRequest | undefined
}

/** Fails over as the gateway does, without any backend: pools that are down or failing answer with a refused connection. */
export async function send(
  settings: Settings,
  admitted: AdmittedCall,
  pools: Pools,
  { ill, balanced }: SendTerms,
): Promise<Sent> {
  const { decision, hold } = admitted
  const settingsOf = (pool: Pool) => backendOf(settings, pool)
  const alarm = () => {}
  const expenses = new Expenses({ store: generous(hold.at), alarm, settingsOf }, admitted)
  const client = { gone: false, wasCut: false, onGone: () => () => {} }
  const attempted: string[] = []
  const trying = ({ name }: Pool) => {
    if (!attempted.includes(name)) attempted.push(name)
  }
  const clock = standingStill(hold.at)
  const { account } = admitted.caller
  // A refused connection needs no probe.
  const checkHealth = async () => ({ kind: 'unknown' }) as const
  const declared = decision.model.serve
  const ports = {
    pools,
    clock,
    chance: () => 0,
    alarm,
    client,
    settingsOf,
    expenses,
    trying,
    account,
    declared,
    checkHealth,
    isGuest: false,
    ...(balanced && { balanced }),
    counter: { queued: () => {} },
    queued: ALONE,
  }
  const choices = decision.pools.flatMap(pool => choiceIn(ports, pool, hold.at) ?? [])
  const context = 'context' in decision.model ? decision.model.context : 0

  const outcome = await failover(ports, decision.pools, context, {
    report: () => UNREPORTED,
    targetAt: place => place,
    attempt: async place =>
      ill.has(place.pool.name) ? failedUnread('ECONNREFUSED') : { kind: 'answered', answer: place },
  })
  switch (outcome.kind) {
    case 'answered': {
      const { pool, replica, pick } = outcome.answer
      const isKnown = pick !== undefined || pool.replicas.length === 1
      return { attempted, end: { servedBy: outcome.pool }, choices, ...(isKnown && { replica }) }
    }
    case 'exhausted':
      return { attempted: outcome.denial.attempted, end: { denial: outcome.denial }, choices }
    case 'refused':
    case 'left':
      throw new Error(`a simulated request cannot end as ${outcome.kind}`)
  }
}

/** A simulated request is the only one, and waits for nothing. */
const ALONE: FailoverPorts['queued'] = {
  ...{ priority: 1, weight: 1, bodyBytes: 0, input: 0, mostOutput: 0 },
  owners: { plan: '' },
  begin: () => () => {},
  waited: () => {},
}

/** Attempts that are not made are neither counted nor traced. */
const UNREPORTED: AttemptReport = { failed: () => {}, over: () => {} }

/** Its timers are due at once. */
const standingStill = (at: EpochMs): Clock => ({
  now: () => at,
  elapsed: () => 0,
  after: (_time, run) => {
    queueMicrotask(run)
    return () => {}
  },
})

/** The hour of every pool has room. */
const generous = (at: EpochMs) => ({
  budgets: { take: async () => at, amend: async () => {} },
  ledger: { recordWaste: async () => {} },
})
