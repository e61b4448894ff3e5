import type { Loaded, Settings } from '../config/settings.ts'
import type { AdmittedCall } from '../gateway/admission/admit.ts'
import { type Failure, failedUnread } from '../gateway/attempt/outcome.ts'
import type { BalancedRequest } from '../gateway/balance/pool-balance.ts'
import { Pools } from '../gateway/pools/pools.ts'
import type { Replica } from '../gateway/pools/replica.ts'
import type { Client, Clock } from '../gateway/ports.ts'
import type { AttemptReport } from '../gateway/upstream/attempt-report.ts'
import { Expenses } from '../gateway/upstream/expenses.ts'
import { failover } from '../gateway/upstream/failover.ts'
import { backendOf, type QueueWait, queuedCall } from '../gateway/upstream/failover-ports.ts'
import { choiceIn } from '../gateway/upstream/replica-choice.ts'
import type { PoolChoice } from '../policy/balance/pool-choice.ts'
import { beginningOf } from '../policy/balance/prompt-sketch.ts'
import type { EpochMs, Pool } from '../policy/config.ts'
import type { ExhaustedDenial } from '../policy/denial.ts'
import { borrowedSlots, type SlotKind } from '../policy/queue/slot-shares.ts'
import type { Spill } from '../policy/replica-load.ts'
import { OtherRequests, type Sender } from './other-requests.ts'
import type { PoolLoad, ReplicaGiven, Scenario } from './scenario.ts'

/** The outcome of a request at the pools. */
export interface Sent {
  /** The pools that were tried, in order. */
  readonly attempted: readonly string[]
  readonly end: { readonly servedBy: Pool } | { readonly denial: ExhaustedDenial }
  /** The choice in each pool that may answer and has more than one replica. */
  readonly choices: readonly PoolChoice[]
  /** The replica that answers; absent where it is one of two at random. */
  readonly replica?: string
  /** The pools that had no room for it, each with the bound that was met, such as `max_concurrent` or `queue.of_account`. */
  readonly full: ReadonlyMap<string, string>
  readonly wait?: SlotWait
  /** Its slot; absent in a pool without shares. */
  readonly slot?: SlotKind
  /** Whether the mirror of its model has a slot for a copy. */
  readonly isCopied: boolean
}

/** The wait of a request in the queue of a pool. */
export interface SlotWait {
  readonly pool: Pool
  /** The waiting requests that get a slot before it; absent where it waits no longer than `before_next`. */
  readonly behind?: number
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

interface SendTerms {
  readonly scenario: Pick<Scenario, 'pools' | 'loads' | 'body'>
  /** The prompt's key for choosing replicas; absent where there is no prompt. */
  readonly balanced?: BalancedRequest | undefined
}

/**
 * Fails over as the gateway does, without any backend: pools that are down or failing answer with a refused connection. A
 * request that waits for a slot gets one in its turn, as requests of others end; one that waits for `before_next` does not.
 */
export async function send(
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  admitted: AdmittedCall,
  pools: Pools,
  { scenario, balanced }: SendTerms,
): Promise<Sent> {
  const { decision, hold } = admitted
  const { pools: ill, loads, body } = scenario
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
  const queued = queuedCall({ bodyBytes: body.length }, admitted)
  const waits = new Waits(othersAt({ config, settings }, pools, loads, { account, plan: decision.plan, queued }))
  // A refused connection needs no probe.
  const checkHealth = async () => ({ kind: 'unknown' }) as const
  const declared = decision.model.serve
  const ports = {
    ...{ pools, clock, alarm, client, settingsOf, expenses, trying, account, declared, checkHealth },
    chance: () => 0,
    isGuest: false,
    ...(balanced && { balanced }),
    counter: { queued: () => {} },
    queued: { ...queued, begin: (wait: QueueWait) => waits.begin(wait), waited: () => {} },
  }
  const choices = decision.pools.flatMap(pool => choiceIn(ports, pool, hold.at) ?? [])
  const context = 'context' in decision.model ? decision.model.context : 0

  const outcome = await failover(ports, decision.pools, context, {
    report: () => UNREPORTED,
    targetAt: place => place,
    attempt: async place =>
      ill.has(place.pool.name) ? failedUnread('ECONNREFUSED') : { kind: 'answered', answer: place },
  })
  const reached = { choices, ...(waits.first && { wait: waits.first }) }
  switch (outcome.kind) {
    case 'answered': {
      const { pool, replica, pick, isGuaranteed = false } = outcome.answer
      const isKnown = pick !== undefined || pool.replicas.length === 1
      const slot = slotIn(pools, pool, isGuaranteed)
      return {
        ...{ attempted, end: { servedBy: outcome.pool }, ...reached },
        full: fullPools(outcome.failures.filter(failure => failure.pool !== pool)),
        isCopied: await mirrorHasSlot(settings, decision, pools, { clock, client }),
        ...(isKnown && { replica }),
        ...(slot && { slot }),
      }
    }
    case 'exhausted': {
      const { denial, failures } = outcome
      return { attempted: denial.attempted, end: { denial }, ...reached, full: fullPools(failures), isCopied: false }
    }
    case 'refused':
    case 'left':
      throw new Error(`a simulated request cannot end as ${outcome.kind}`)
  }
}

/** The requests of others that a scenario gives. */
function othersAt(
  loaded: Pick<Loaded, 'config' | 'settings'>,
  pools: Pools,
  loads: Scenario['loads'],
  sender: Sender,
): OtherRequests {
  const others = new OtherRequests(loaded, pools, sender)
  for (const [name, load] of loads) {
    const pool = loaded.config.pools.get(name)
    if (pool) others.enter(pool, load)
  }
  return others
}

/** The waits of the simulated request. */
class Waits {
  readonly #others: OtherRequests
  first: SlotWait | undefined

  constructor(others: OtherRequests) {
    this.#others = others
  }

  /** Called before it joins the queue. One that it finds full has turned it away by the time the microtask runs. */
  begin({ pool, goesOn }: QueueWait): () => void {
    queueMicrotask(() => {
      if (!this.#others.holdsUp(pool)) return
      const behind = goesOn ? undefined : this.#others.endUntilServed()
      this.first ??= { pool, ...(behind !== undefined && { behind }) }
    })
    return () => {}
  }
}

/** The bound that left no room, by pool. */
const fullPools = (failures: readonly Pick<Failure, 'pool' | 'cause'>[]): ReadonlyMap<string, string> =>
  new Map(failures.flatMap(({ pool, cause }) => (BOUNDS.test(cause) ? [[pool.name, cause] as const] : [])))

const BOUNDS = /^(max_concurrent|queue\.)/

/** The slot that the request has taken last of all. */
function slotIn(pools: Pools, { name, shares }: Pool, isGuaranteed: boolean): SlotKind | undefined {
  if (!shares) return undefined
  if (isGuaranteed) return 'guaranteed'
  const { slots } = pools.of(name)
  const held = shares.map(({ owner, slots: guaranteed }) => ({
    slots: guaranteed,
    held: slots.fair.usedBy(owner).held,
  }))
  return borrowedSlots(held, slots) > 0 ? 'borrowed' : 'open'
}

/** A copy takes a slot that no request uses or waits for. */
async function mirrorHasSlot(
  settings: Settings,
  { mirror }: AdmittedCall['decision'],
  pools: Pools,
  waiting: { readonly clock: Clock; readonly client: Client },
): Promise<boolean> {
  if (!mirror) return false
  const { slots } = pools.of(mirror.to.name)
  return (await slots.takeSpare(backendOf(settings, mirror.to), waiting, () => {})) !== undefined
}

/** Attempts that are not made are neither counted nor traced. */
const UNREPORTED: AttemptReport = { failed: () => {}, over: () => {} }

/** Its timers are due at once. */
const standingStill = (at: EpochMs): Clock => ({
  now: () => at,
  elapsed: () => 0,
  after: (_time, run) => {
    let isOff = false
    queueMicrotask(() => isOff || run())
    return () => {
      isOff = true
    }
  },
})

/** The hour of every pool has room. */
const generous = (at: EpochMs) => ({
  budgets: { take: async () => at, amend: async () => {} },
  ledger: { recordWaste: async () => {} },
})
