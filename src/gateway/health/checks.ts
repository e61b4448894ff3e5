import type { EpochMs, Kind, Millis } from '../../policy/config.ts'
import { reportPool } from '../pools/alarms.ts'
import type { Ejection } from '../pools/breaker.ts'
import type { Replica } from '../pools/replica.ts'
import type { PoolState } from '../pools/state.ts'
import type { Alarm, Cancel, Clock, Probe, SendPassthrough } from '../ports.ts'
import {
  type CheckPorts,
  type CheckResult,
  checkReplica,
  generates,
  type HealthCheck,
  type HealthVerdict,
} from './check.ts'
import { type EmptyRequest, sendEmptyRequests } from './empty-requests.ts'

/** How long a verdict holds: a replica is checked once in this time, however many requests fail there. */
export const HOLDS: Millis = 5000
/** After a pause a client's request goes first: where it is answered, no check is needed. */
const AFTER_PAUSE: Millis = 1000
/** The longest that pauses, one after the other, delay a check. */
const LONGEST_DELAY: Millis = 60_000
/** How long a replica that worked on an empty request gets no other. */
const REST: Millis = 3_600_000

/** A replica that failed a request in a way that the request may have provoked. */
export interface Suspect extends Omit<HealthCheck, 'replica'> {
  readonly replica: Replica
  readonly state: PoolState
  readonly ejection: Ejection
  readonly send: CheckPorts['send']
  readonly sendPassthrough: SendPassthrough
  /** For pools where models are listed, which works without money: requests that find an account without money. */
  readonly emptyRequests?: readonly EmptyRequest[]
  /** Whether the attempt was given up because nothing came for too long. */
  readonly isSilent: boolean
  /** Runs the check only where the pool's budget has room for its cost, and records what it cost. */
  readonly paid: (check: () => Promise<CheckResult>) => Promise<HealthVerdict>
}

interface RecentCheck {
  readonly at: EpochMs
  readonly verdict: Promise<HealthVerdict>
}

export interface HealthChecksPorts {
  readonly clock: Clock
  readonly probe: Probe
  readonly alarm: Alarm
  /** Set where several processes of a gateway send to the same replicas: one of them checks a replica for all. */
  readonly others?: OtherHealthChecks | undefined
}

/** The health checks of the other processes. */
export interface OtherHealthChecks {
  /** Resolves with undefined where this process is to run the check, and else with the verdict of another one. */
  claim(check: string): Promise<HealthVerdict | undefined>
  /** Shares the verdict of a check that was claimed. */
  found(check: string, verdict: HealthVerdict): void
}

/**
 * Finds out whether a replica fails for all clients, or only for what one sent, by a request of the gateway's own.
 * It reports the verdict to the breakers. A process has one, as it has one set of breakers.
 *
 * A replica that asked for a pause is checked only after the pause. One that fell silent is checked only once it is
 * about to be ejected for that, or was: a check would be one more request that it does not answer.
 */
export class HealthChecks {
  readonly #ports: HealthChecksPorts
  readonly #recent = new WeakMap<Replica, Map<CheckMethod, RecentCheck>>()
  /** When a replica worked on an empty request. */
  readonly #workedAt = new WeakMap<Replica, EpochMs>()
  /** Checks that wait for the end of a pause. */
  readonly #waiting = new Map<string, Cancel>()
  #stopped = false

  constructor(ports: HealthChecksPorts) {
    this.#ports = ports
  }

  /** For good: checks that end from now on end because of us. */
  stop(): void {
    this.#stopped = true
    for (const cancel of this.#waiting.values()) cancel()
    this.#waiting.clear()
  }

  /** The health of the replica, by a check where it may be checked now and was not checked recently. Never rejects. */
  verdict(suspect: Suspect): Promise<HealthVerdict> {
    const { replica, ejection, isSilent } = suspect
    const now = this.#ports.clock.now()
    if (isSilent && !replica.breaker.isSuspected(now, ejection)) return NOT_CHECKED
    if (replica.longestPause(now) === 0) return this.#recentOrNew(suspect)
    if (!this.#waiting.has(nameOf(suspect))) this.#checkAfterPause(suspect, now)
    return NOT_CHECKED
  }

  /** `since` is when the replica failed. */
  #checkAfterPause(suspect: Suspect, since: EpochMs): void {
    const { clock } = this.#ports
    const { replica } = suspect
    const name = nameOf(suspect)
    const isDue = () => clock.now() - since >= LONGEST_DELAY
    const run = () => {
      this.#waiting.delete(name)
      if (replica.breaker.servedAt > since) return
      if (replica.longestPause(clock.now()) > 0 && !isDue()) this.#checkAfterPause(suspect, since)
      else void this.#recentOrNew(suspect)
    }
    this.#waiting.set(name, clock.after(replica.longestPause(clock.now()) + AFTER_PAUSE, run))
  }

  #recentOrNew(suspect: Suspect): Promise<HealthVerdict> {
    const { replica, kind, emptyRequests } = suspect
    const now = this.#ports.clock.now()
    const recent = this.#recent.get(replica) ?? new Map<CheckMethod, RecentCheck>()
    this.#recent.set(replica, recent)
    const last = recent.get(emptyRequests ? 'empty-requests' : methodOf(kind))
    if (last && isWithin(HOLDS, last.at, now)) return this.#again(last, suspect)
    const verdict = this.#check(suspect)
    recent.set(methodOf(kind), { at: now, verdict })
    if (emptyRequests) recent.set('empty-requests', { at: now, verdict })
    return verdict
  }

  /** A verdict of some seconds ago also holds for a replica that was ejected since. */
  async #again({ verdict }: RecentCheck, suspect: Suspect): Promise<HealthVerdict> {
    const found = await verdict
    const isOut = suspect.replica.breaker.state(this.#ports.clock.now()) !== 'closed'
    if (found.kind === 'unusable' || (found.kind === 'serves' && isOut)) this.#report(suspect, found)
    return found
  }

  async #check(suspect: Suspect): Promise<HealthVerdict> {
    const { others } = this.#ports
    const verdict = others ? await this.#checkForAll(suspect, others) : await this.#run(suspect)
    if (this.#stopped) return UNKNOWN
    this.#report(suspect, verdict)
    return verdict
  }

  async #checkForAll(suspect: Suspect, others: OtherHealthChecks): Promise<HealthVerdict> {
    const name = nameOf(suspect)
    const elsewhere = await others.claim(name)
    if (elsewhere) return elsewhere
    let verdict: HealthVerdict = UNKNOWN
    try {
      verdict = await this.#run(suspect)
    } finally {
      others.found(name, verdict)
    }
    return verdict
  }

  async #run(suspect: Suspect): Promise<HealthVerdict> {
    const { pool, replica, kind, settings, id, send } = suspect
    const check = { pool, replica: replica.url, kind, settings, id }
    const ports = { ...this.#ports, send }
    const verdict = await suspect.paid(() => checkReplica(ports, check))
    return verdict.kind === 'serves' ? this.#confirm(verdict, suspect) : verdict
  }

  /** A replica that lists its models serves, unless it refuses every request for want of the account or the model. */
  async #confirm(
    serves: HealthVerdict,
    { replica, emptyRequests: requests, ...suspect }: Suspect,
  ): Promise<HealthVerdict> {
    const { clock } = this.#ports
    const workedAt = this.#workedAt.get(replica)
    if (!requests || (workedAt !== undefined && isWithin(REST, workedAt, clock.now()))) return serves
    const ports = { clock, sendPassthrough: suspect.sendPassthrough }
    const found = await sendEmptyRequests(ports, { ...suspect, replica: replica.url, requests })
    if (found.kind === 'worked') this.#workedAt.set(replica, clock.now())
    return found.kind === 'unusable' ? found : serves
  }

  #report({ replica, state, pool, ejection }: Suspect, verdict: HealthVerdict): void {
    const now = this.#ports.clock.now()
    if (verdict.kind === 'serves') replica.breaker.cleared(now)
    else if (verdict.kind === 'paused') replica.cool(now, verdict.pause)
    else if (verdict.kind === 'fails') {
      replica.breaker.confirmed(now, ejection)
      if (verdict.pause) replica.cool(now, verdict.pause)
    } else if (verdict.kind === 'unusable') {
      reportPool(this.#ports.alarm, pool.name, state, verdict.cause)
      for (const { breaker } of state.replicas(pool)) if (breaker.state(now) !== 'open') breaker.open(now, ejection.for)
    }
  }
}

/** How a replica is checked: by a request of the kind, by its list of models, or by that and empty requests. */
type CheckMethod = Kind | 'empty-requests'

const UNKNOWN: HealthVerdict = { kind: 'unknown' }
const NOT_CHECKED: Promise<HealthVerdict> = Promise.resolve(UNKNOWN)

/** Names a check, the same in all processes of a gateway. */
const nameOf = ({ pool, replica, kind, emptyRequests }: Suspect): string =>
  [pool.name, replica.url, emptyRequests ? 'empty-requests' : methodOf(kind)].join(' ')

/** Models are listed alike for all kinds of requests that generate nothing. */
const methodOf = (kind: Kind): CheckMethod => (generates(kind) ? kind : 'passthrough')

const isWithin = (time: Millis, at: EpochMs, now: EpochMs): boolean => now >= at && now - at < time
