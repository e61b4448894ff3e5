import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { ExhaustedDenial } from '../../policy/denial.ts'
import type { Place } from './in-flight-attempt.ts'
import type { Failed } from './outcome.ts'
import { lessBusy, type PoolState, type Pools, type Replica } from './pools.ts'

const MAX_ATTEMPTS = 3
const MAX_ATTEMPTS_IN_POOL = 2
/** A replica that broke off later than this would take as long again: another one is asked in its place. */
const EARLY: Millis = 5000
/** The pause before a lone replica is tried once more, by chance between these. */
const AGAIN_MIN: Millis = 50
const AGAIN_MAX: Millis = 250

/** What a request does next. */
export type Step = Try | { readonly kind: 'give-up' }

export interface Try extends Place {
  readonly kind: 'try'
  /** To be waited first. */
  readonly after: Millis
  /** On a connection of its own. */
  readonly fresh: boolean
  /** Everything is left out: it is asked although it is. */
  readonly isLastResort: boolean
}

export interface CoursePorts {
  readonly pools: Pools
  readonly settingsOf: (pool: Pool) => BackendSettings
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** Whose request it is: a replica may have asked for a pause of that account alone. */
  readonly account: string
}

/** What happened to a request in one pool. */
interface Leg {
  readonly pool: Pool
  readonly state: PoolState
  readonly tried: Replica[]
  attempts: number
  /** Nothing more is tried here. */
  left: boolean
  /** Its last attempt failed early, in a way that may pass. */
  stumbled: boolean
}

/** The way of one request through the pools of its model: which replica comes next, and when to give up. */
export class Course {
  readonly #ports: CoursePorts
  readonly #legs: readonly Leg[]
  #attempts = 0
  #fresh: Try | undefined
  #over = false
  #resorted = false

  constructor(ports: CoursePorts, pools: readonly Pool[]) {
    this.#ports = ports
    this.#legs = pools.map(pool => ({
      pool,
      state: ports.pools.of(pool.name),
      tried: [],
      attempts: 0,
      left: false,
      stumbled: false,
    }))
  }

  next(now: EpochMs): Step {
    const fresh = this.#fresh
    this.#fresh = undefined
    if (fresh) return fresh
    if (this.#over || this.#attempts >= MAX_ATTEMPTS) return { kind: 'give-up' }
    for (const leg of this.#candidates(now)) {
      const step = this.#nextIn(leg, now)
      if (step) return step
    }
    return this.#lastResort(now)
  }

  /** The pools to choose from. The last attempt is kept for a healthy pool that was not asked, where there is one. */
  #candidates(now: EpochMs): readonly Leg[] {
    if (this.#attempts < MAX_ATTEMPTS - 1) return this.#legs
    const unasked = this.#legs.filter(
      ({ attempts, left, state, pool }) => attempts === 0 && !left && state.isUp(pool, now, 0, this.#ports.account),
    )
    return unasked.length > 0 ? unasked : this.#legs
  }

  /**
   * Counts an attempt that is to be made now. False, and nothing counted, when since it was chosen the replica became
   * unfit, or there were too many retries in its pool: then another is to be chosen.
   */
  enter(step: Try, now: EpochMs): boolean {
    if (step.fresh) return true
    const { pool, replica, isRetry } = step
    const leg = this.#legOf(pool)
    const isOut = !step.isLastResort && !replica.breaker.admits(now)
    if (leg.state.drained || replica.drained || isOut || replica.cooling(now, this.#ports.account) > 0) {
      return false
    }
    if (!leg.state.allows(isRetry, now)) {
      leg.left = true
      return false
    }
    leg.tried.push(replica)
    leg.attempts++
    this.#attempts++
    return true
  }

  /** An attempt failed, after so much time. */
  failed(pool: Pool, replica: Replica, failure: Failed, took: Millis): void {
    const leg = this.#legOf(pool)
    leg.stumbled = failure.again === true && took <= EARLY
    if (failure.next === 'pool') leg.left = true
    else if (failure.next === 'nothing') this.#over = true
    else if (failure.next === 'fresh') this.#fresh = { ...tryIn(leg, replica), fresh: true, isRetry: false }
  }

  /** There is no room in the pool: nothing was sent. */
  full(pool: Pool): void {
    this.#legOf(pool).left = true
  }

  /** Whether there may be another attempt. */
  get goesOn(): boolean {
    return !this.#over && this.#attempts < MAX_ATTEMPTS
  }

  /** The request itself was refused, as any would. */
  refused(): void {
    this.#over = true
  }

  /** The prompt was too long for the pool: only those that declare to take more are left. `taken` is what others take. */
  tooLong(pool: Pool, taken: number): void {
    const contextOf = (each: Pool, otherwise: number) => this.#ports.settingsOf(each).context ?? otherwise
    const most = contextOf(pool, taken)
    for (const leg of this.#legs) leg.left ||= contextOf(leg.pool, 0) <= most
  }

  /** The pools that were not asked because they are not fit to be, and why. */
  passedOver(now: EpochMs): readonly { readonly pool: Pool; readonly cause: string }[] {
    const { account } = this.#ports
    const passed: { readonly pool: Pool; readonly cause: string }[] = []
    for (const { attempts, left, state, pool } of this.#legs) {
      if (attempts === 0 && !left && !state.isUp(pool, now, 0, account)) {
        passed.push({ pool, cause: state.whyUnfit(pool, now, account) })
      }
    }
    return passed
  }

  /** When every pool failed, and when one of them may be tried again. */
  denial(now: EpochMs): ExhaustedDenial {
    const met = this.#legs.filter(({ attempts, left }) => attempts > 0 || left)
    // Where nothing could be tried, what is known of every pool has answered for it.
    const attempted = met.length > 0 ? met : this.#legs
    const waits = this.#legs
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

  #nextIn(leg: Leg, now: EpochMs): Try | undefined {
    const { pool, state, tried } = leg
    if (leg.left || state.drained) return undefined
    if (leg.attempts >= MAX_ATTEMPTS_IN_POOL) return undefined
    const untried = state
      .replicas(pool)
      .filter(replica => !tried.includes(replica) && replica.isFit(now, 0, this.#ports.account))
    const replica = lessBusy(untried, this.#ports.chance)
    if (replica) return tryIn(leg, replica)
    return this.#again(leg, now) ?? this.#afterPause(leg, now)
  }

  /** A lone replica that may only have stumbled. */
  #again(leg: Leg, now: EpochMs): Try | undefined {
    const { pool, stumbled, tried } = leg
    const [replica] = tried
    if (pool.replicas.length > 1 || !stumbled || !replica?.isFit(now, 0, this.#ports.account)) return undefined
    const time = AGAIN_MIN + Math.floor(this.#ports.chance() * (AGAIN_MAX - AGAIN_MIN + 1))
    return { ...tryIn(leg, replica), after: time }
  }

  /** A replica that asked for a pause no longer than the operator would wait for it. A pause that is ours is not waited out. */
  #afterPause(leg: Leg, now: EpochMs): Try | undefined {
    const { pool, state } = leg
    const { account } = this.#ports
    const left = (each: Replica) => each.cooling(now, account)
    const [soonest] = state
      .replicas(pool)
      .filter(each => !each.drained && each.breaker.admits(now) && left(each) > 0 && each.askedForPause(now, account))
      .sort((a, b) => left(a) - left(b))
    const time = soonest ? left(soonest) : 0
    if (!soonest || time > this.#ports.settingsOf(pool).waitForRetryAfter) return undefined
    return { ...tryIn(leg, soonest), after: time }
  }

  /** Everything is left out: one that was left out longest is asked, since what is remembered may be wrong by now. */
  #lastResort(now: EpochMs): Step {
    if (this.#resorted) return { kind: 'give-up' }
    this.#resorted = true
    const { account } = this.#ports
    const legs = this.#legs.filter(
      ({ left, state, attempts }) => !left && !state.drained && attempts < MAX_ATTEMPTS_IN_POOL,
    )
    const [longest] = legs
      .flatMap(leg => leg.state.replicas(leg.pool).map(replica => ({ leg, replica })))
      .filter(
        ({ leg, replica }) => !leg.tried.includes(replica) && !replica.drained && replica.cooling(now, account) === 0,
      )
      .sort((a, b) => a.replica.breaker.openedAt - b.replica.breaker.openedAt)
    if (!longest) return { kind: 'give-up' }
    const { leg, replica } = longest
    return { ...tryIn(leg, replica), isLastResort: true }
  }

  #legOf(pool: Pool): Leg {
    const leg = this.#legs.find(each => each.pool === pool)
    if (!leg) throw new Error(`pool ${pool.name} is not on the way of this request`)
    return leg
  }
}

const tryIn = ({ pool, attempts }: Leg, replica: Replica): Try => ({
  kind: 'try',
  pool,
  replica,
  isRetry: attempts > 0,
  after: 0,
  fresh: false,
  isLastResort: false,
})
