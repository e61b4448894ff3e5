import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { ExhaustedDenial } from '../../policy/denial.ts'
import type { Failed } from '../attempt/outcome.ts'
import type { BalancedRequest, ReplicaPick } from '../balance/pool-balance.ts'
import type { Pools } from '../pools/pools.ts'
import { lessBusy, type Replica } from '../pools/replica.ts'
import type { PoolState } from '../pools/state.ts'
import type { Destination } from './in-flight-attempt.ts'

const MAX_ATTEMPTS = 3
const MAX_ATTEMPTS_IN_POOL = 2
/** A replica that broke off later than this would take as long again: another one is asked in its place. */
const EARLY: Millis = 5000
/** The pause before a lone replica is tried once more, by chance between these. */
const AGAIN_MIN: Millis = 50
const AGAIN_MAX: Millis = 250

/** The next step of a request. */
export type Step = NextAttempt | { readonly kind: 'give-up' }

export interface NextAttempt extends Destination {
  readonly kind: 'try'
  /** How long to wait before the attempt. */
  readonly after: Millis
  /** On a connection of its own. */
  readonly fresh: boolean
  /** Set where the same replica gets a rewritten request: the retry was counted when that was decided. */
  readonly isRepeated?: true
  /** Every replica is ejected: this one is tried all the same. */
  readonly isLastResort: boolean
  /** Replicas that would do as well where this one has no room. */
  readonly alternatives: readonly Replica[]
}

export interface AttemptPlannerPorts {
  readonly pools: Pools
  readonly settingsOf: (pool: Pool) => BackendSettings
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** The account of the request: a replica may have asked for a pause of that account alone. */
  readonly account: string
  /** The pools of the model in the order of the files, which those that are given may not have. */
  readonly declared: readonly Pool[]
  /** The prompt's key for choosing a replica; absent to choose the least busy one. */
  readonly balanced?: BalancedRequest
}

/** A request's attempts in one pool. */
interface PoolAttempts {
  readonly pool: Pool
  readonly state: PoolState
  readonly tried: Replica[]
  attempts: number
  /** Nothing more is tried here. */
  left: boolean
  /** Its last attempt failed early, in a way that may pass. */
  stumbled: boolean
  /** The replicas that are not behind with their work had no room: the others are asked once no other pool is left. */
  spills: boolean
  /** Its queue is waited in once no other pool is left. */
  isDeferred: boolean
  /** How the replica that is asked was chosen, where that was by the prompt. */
  pick?: ReplicaPick | undefined
}

/** The way of one request through the pools of its model: which replica comes next, and when to give up. */
export class AttemptPlanner {
  readonly #ports: AttemptPlannerPorts
  readonly #inPools: readonly PoolAttempts[]
  #attempts = 0
  #fresh: NextAttempt | undefined
  #over = false
  #resorted = false

  constructor(ports: AttemptPlannerPorts, pools: readonly Pool[]) {
    this.#ports = ports
    this.#inPools = pools.map(pool => ({
      pool,
      state: ports.pools.of(pool.name),
      tried: [],
      attempts: 0,
      left: false,
      stumbled: false,
      spills: false,
      isDeferred: false,
    }))
  }

  next(now: EpochMs): Step {
    const fresh = this.#fresh
    this.#fresh = undefined
    if (fresh) return fresh
    if (this.#over || this.#attempts >= MAX_ATTEMPTS) return { kind: 'give-up' }
    for (const inPool of this.#candidates(now)) {
      const step = this.#nextIn(inPool, now)
      if (step) return step
    }
    return this.#lastResort(now)
  }

  /** The pools to choose from. The last attempt is kept for a healthy pool that was not asked, where there is one. */
  #candidates(now: EpochMs): readonly PoolAttempts[] {
    if (this.#attempts < MAX_ATTEMPTS - 1) return this.#spilledLast
    const unasked = this.#spilledLast.filter(
      ({ attempts, left, state, pool }) => attempts === 0 && !left && state.isUp(pool, now, 0, this.#ports.account),
    )
    return unasked.length > 0 ? unasked : this.#spilledLast
  }

  /** Nearly always no pool has spilled. */
  get #spilledLast(): readonly PoolAttempts[] {
    if (!this.#inPools.some(({ spills, isDeferred }) => spills || isDeferred)) return this.#inPools
    const rank = ({ spills, isDeferred }: PoolAttempts) => Number(spills || isDeferred)
    return [...this.#inPools].sort((a, b) => rank(a) - rank(b))
  }

  /** Another replica had room for it. */
  moved(step: NextAttempt, replica: Replica): NextAttempt {
    const inPool = this.#inPool(step.pool)
    this.#chosen(inPool, [replica])
    return { ...step, replica, pick: inPool.pick }
  }

  /**
   * Counts an attempt that is to be made now. False, and nothing counted, when since it was chosen the replica became
   * unfit, or there were too many retries in its pool: then another is to be chosen.
   */
  begin(step: NextAttempt, now: EpochMs): boolean {
    if (step.fresh || step.isRepeated) return true
    const { pool, replica, isRetry } = step
    const inPool = this.#inPool(pool)
    const isOut = !step.isLastResort && !replica.breaker.admits(now)
    if (inPool.state.drained || replica.drained || isOut || replica.cooling(now, this.#ports.account) > 0) {
      return false
    }
    if (!inPool.state.allows(isRetry, now)) {
      inPool.left = true
      return false
    }
    inPool.tried.push(replica)
    inPool.attempts++
    this.#attempts++
    return true
  }

  /** An attempt failed, after so much time. */
  failed(pool: Pool, replica: Replica, failure: Failed, took: Millis): void {
    const inPool = this.#inPool(pool)
    inPool.stumbled = failure.again === true && took <= EARLY
    if (failure.next === 'pool') inPool.left = true
    else if (failure.next === 'nothing') this.#over = true
    else if (failure.next === 'fresh') this.#fresh = { ...attemptIn(inPool, replica), fresh: true, isRetry: false }
  }

  /** Has a replica that refused a request asked again in other words. False where there were too many retries in its pool. */
  repeats({ pool, replica }: NextAttempt, now: EpochMs): boolean {
    const inPool = this.#inPool(pool)
    if (!inPool.state.allows(true, now)) return false
    this.#fresh = { ...attemptIn(inPool, replica), isRetry: true, isRepeated: true }
    return true
  }

  /** The pool is full, and a later one has room: this one is asked again once no other is left. */
  defer(pool: Pool): void {
    this.#inPool(pool).isDeferred = true
  }

  /** Whether a pool behind this one has room, and may serve the request; not where this one was passed over for that before. */
  hasRoomBehind(pool: Pool, now: EpochMs): boolean {
    const { isDeferred } = this.#inPool(pool)
    if (isDeferred) return false
    const { pools, settingsOf } = this.#ports
    return this.behind(pool, now).some(each => pools.of(each.name).slots.hasRoom(settingsOf(each)))
  }

  /** The pools behind this one that may serve the request once they have room. */
  behind(pool: Pool, now: EpochMs): readonly Pool[] {
    return this.#inPools
      .slice(this.#inPools.findIndex(each => each.pool === pool) + 1)
      .filter(
        each =>
          !each.left &&
          !each.state.drained &&
          each.attempts < MAX_ATTEMPTS_IN_POOL &&
          this.#untried(each, now).length > 0,
      )
      .map(each => each.pool)
  }

  /** Chooses a replica of the pool anew, after a wait. */
  rechoose(pool: Pool, now: EpochMs): NextAttempt | undefined {
    return this.#nextIn(this.#inPool(pool), now)
  }

  /** There is no room in the pool: nothing was sent. */
  full(pool: Pool): void {
    this.#inPool(pool).left = true
  }

  /** No replica had room that may be asked now: nothing was sent. Those that are passed over may still be asked, after other pools. */
  replicasFull(pool: Pool, now: EpochMs): void {
    const inPool = this.#inPool(pool)
    const untried = this.#untried(inPool, now)
    const behind = untried.filter(replica => this.#isBehind(pool, replica, now))
    if (inPool.spills || behind.length === 0 || behind.length === untried.length) inPool.left = true
    else inPool.spills = true
  }

  /** Whether there may be another attempt. */
  get goesOn(): boolean {
    return !this.#over && this.#attempts < MAX_ATTEMPTS
  }

  /** The request itself is at fault: every other backend would refuse it too. */
  refused(): void {
    this.#over = true
  }

  /** The prompt was too long for the pool: only those that declare to take more are left. `taken` is what others take. */
  tooLong(pool: Pool, taken: number): void {
    const contextOf = (each: Pool, otherwise: number) => this.#ports.settingsOf(each).context ?? otherwise
    const most = contextOf(pool, taken)
    for (const inPool of this.#inPools) inPool.left ||= contextOf(inPool.pool, 0) <= most
  }

  /** The pools before the one that answered, or all of them, that were skipped because none of their replicas was usable, and why. */
  skippedPools(now: EpochMs, answered?: Pool): readonly { readonly pool: Pool; readonly cause: string }[] {
    const { account, declared } = this.#ports
    const last = answered ? declared.indexOf(answered) : declared.length
    const passed: { readonly pool: Pool; readonly cause: string }[] = []
    for (const { attempts, left, state, pool } of this.#inPools) {
      if (attempts === 0 && !left && declared.indexOf(pool) < last && !state.isUp(pool, now, 0, account)) {
        passed.push({ pool, cause: state.whyUnusable(pool, now, account) })
      }
    }
    return passed
  }

  /** When every pool failed, and when one of them may be tried again. */
  denial(now: EpochMs): ExhaustedDenial {
    const met = this.#inPools.filter(({ attempts, left }) => attempts > 0 || left)
    // Where nothing could be tried, what is known of every pool has answered for it.
    const attempted = met.length > 0 ? met : this.#inPools
    const waits = this.#inPools
      .flatMap(({ state, pool }) => (state.drained ? [] : state.replicas(pool)))
      .map(replica => replica.wait(now, this.#ports.account))
    const soonest = Math.min(...waits)
    return {
      code: 'UPSTREAMS_EXHAUSTED',
      tier: attempted.at(-1)?.pool.site ?? '',
      attempted: attempted.map(({ pool }) => pool.name),
      ...(Number.isFinite(soonest) && { retryAfterMs: Math.max(soonest, 1000) }),
    }
  }

  #nextIn(inPool: PoolAttempts, now: EpochMs): NextAttempt | undefined {
    const { state } = inPool
    if (inPool.left || state.drained) return undefined
    if (inPool.attempts >= MAX_ATTEMPTS_IN_POOL) return undefined
    const fit = this.#fit(inPool, now)
    const replica = this.#chosen(inPool, fit)
    if (replica) return attemptIn(inPool, replica, fit)
    return this.#again(inPool, now) ?? this.#afterPause(inPool, now)
  }

  #untried({ pool, state, tried }: PoolAttempts, now: EpochMs): readonly Replica[] {
    return state
      .replicas(pool)
      .filter(replica => !tried.includes(replica) && replica.isUsable(now, 0, this.#ports.account))
  }

  /** The replicas to choose from: those that are behind with their work only where there are no others, or the others had no room. */
  #fit(inPool: PoolAttempts, now: EpochMs): readonly Replica[] {
    const untried = this.#untried(inPool, now)
    const ready = untried.filter(replica => this.#isBehind(inPool.pool, replica, now) === inPool.spills)
    return ready.length > 0 ? ready : untried
  }

  #isBehind(pool: Pool, replica: Replica, now: EpochMs): boolean {
    return replica.overload(this.#ports.settingsOf(pool).spill, now) !== undefined
  }

  /** Chooses by the prompt if the pool does, else the less busy one of two. */
  #chosen(inPool: PoolAttempts, untried: readonly Replica[]): Replica | undefined {
    const { pool, state } = inPool
    const { balanced, chance } = this.#ports
    inPool.pick = undefined
    if (!balanced || pool.balance === 'busy' || pool.replicas.length < 2 || untried.length === 0)
      return lessBusy(untried, chance)
    const chosen = state.balance.choose(pool, untried, balanced, state.pace.bytesPerToken)
    inPool.pick = chosen?.pick
    return chosen ? chosen.replica : lessBusy(untried, chance)
  }

  /** A lone replica that may only have stumbled. */
  #again(inPool: PoolAttempts, now: EpochMs): NextAttempt | undefined {
    const { pool, stumbled, tried } = inPool
    const [replica] = tried
    if (pool.replicas.length > 1 || !stumbled || !replica?.isUsable(now, 0, this.#ports.account)) return undefined
    const time = AGAIN_MIN + Math.floor(this.#ports.chance() * (AGAIN_MAX - AGAIN_MIN + 1))
    return { ...attemptIn(inPool, replica), after: time }
  }

  /** A replica that asked for a pause no longer than the operator would wait for it. A pause that is ours is not waited out. */
  #afterPause(inPool: PoolAttempts, now: EpochMs): NextAttempt | undefined {
    const { pool, state } = inPool
    const { account } = this.#ports
    const left = (each: Replica) => each.cooling(now, account)
    const [soonest] = state
      .replicas(pool)
      .filter(each => !each.drained && each.breaker.admits(now) && left(each) > 0 && each.askedForPause(now, account))
      .sort((a, b) => left(a) - left(b))
    const time = soonest ? left(soonest) : 0
    if (!soonest || time > this.#ports.settingsOf(pool).waitForRetryAfter) return undefined
    return { ...attemptIn(inPool, soonest), after: time }
  }

  /** Every replica is ejected: the one ejected longest ago is tried, since it may be well by now. */
  #lastResort(now: EpochMs): Step {
    if (this.#resorted) return { kind: 'give-up' }
    this.#resorted = true
    const { account } = this.#ports
    const inPools = this.#inPools.filter(
      ({ left, state, attempts }) => !left && !state.drained && attempts < MAX_ATTEMPTS_IN_POOL,
    )
    const [longest] = inPools
      .flatMap(inPool => inPool.state.replicas(inPool.pool).map(replica => ({ inPool, replica })))
      .filter(
        ({ inPool, replica }) =>
          !inPool.tried.includes(replica) && !replica.drained && replica.cooling(now, account) === 0,
      )
      .sort((a, b) => a.replica.breaker.openedAt - b.replica.breaker.openedAt)
    if (!longest) return { kind: 'give-up' }
    const { inPool, replica } = longest
    return { ...attemptIn(inPool, replica), isLastResort: true }
  }

  #inPool(pool: Pool): PoolAttempts {
    const inPool = this.#inPools.find(each => each.pool === pool)
    if (!inPool) throw new Error(`pool ${pool.name} is not on the way of this request`)
    return inPool
  }
}

const attemptIn = (
  { pool, attempts, pick }: PoolAttempts,
  replica: Replica,
  fit: readonly Replica[] = NONE,
): NextAttempt => ({
  kind: 'try',
  pick,
  pool,
  replica,
  isRetry: attempts > 0,
  after: 0,
  fresh: false,
  isLastResort: false,
  alternatives: fit,
})

const NONE: readonly Replica[] = []
