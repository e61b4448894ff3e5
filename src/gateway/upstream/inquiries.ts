import type { EpochMs, Kind, Millis } from '../../policy/config.ts'
import type { Alarm, Clock, Probe, SendPassthrough } from '../ports.ts'
import type { Ejection } from './breaker.ts'
import { askWithoutContent, type ContentlessRequest } from './contentless.ts'
import { type PoolState, type Replica, reportPool } from './pools.ts'
import { askQuestion, type Found, generates, type Question, type QuestionPorts, type Verdict } from './question.ts'

/** How long an answer to a question stands: a replica is asked once in this time, however many requests fail there. */
const HOLDS: Millis = 5000
/** How long a replica that worked on a request without content gets no other. */
const REST: Millis = 3_600_000

/** A replica that failed a request in a way that the request may have provoked. */
export interface Suspect extends Omit<Question, 'replica'> {
  readonly replica: Replica
  readonly state: PoolState
  readonly ejection: Ejection
  readonly send: QuestionPorts['send']
  readonly sendPassthrough: SendPassthrough
  /** For pools where models are listed, which works without money: requests that find an account without money. */
  readonly contentless?: readonly ContentlessRequest[]
  /** Asks only where the pool's budget has room for the cost, and records what it took. */
  readonly paid: (ask: () => Promise<Found>) => Promise<Verdict>
}

interface Inquiry {
  readonly at: EpochMs
  readonly verdict: Promise<Verdict>
}

export interface InquiriesPorts {
  readonly clock: Clock
  readonly probe: Probe
  readonly alarm: Alarm
}

/**
 * Finds out whether a replica fails for all clients, or only for what one sent: it is asked a question of our own.
 * It reports the finding to the breakers. A process has one, as it has one set of breakers.
 */
export class Inquiries {
  readonly #ports: InquiriesPorts
  readonly #asked = new WeakMap<Replica, Map<Means, Inquiry>>()
  /** When a replica worked on a request without content. */
  readonly #workedAt = new WeakMap<Replica, EpochMs>()
  #stopped = false

  constructor(ports: InquiriesPorts) {
    this.#ports = ports
  }

  /** For good: what ends from now on is our doing. */
  stop(): void {
    this.#stopped = true
  }

  /** What is known of the replica now, asked first where that is not known yet. Never rejects. */
  verdict(suspect: Suspect): Promise<Verdict> {
    const { replica, kind, contentless } = suspect
    const now = this.#ports.clock.now()
    const asked = this.#asked.get(replica) ?? new Map<Means, Inquiry>()
    this.#asked.set(replica, asked)
    const last = asked.get(contentless ? 'contentless' : meansOf(kind))
    if (last && isWithin(HOLDS, last.at, now)) return this.#again(last, suspect)
    const verdict = this.#ask(suspect)
    asked.set(meansOf(kind), { at: now, verdict })
    if (contentless) asked.set('contentless', { at: now, verdict })
    return verdict
  }

  /** The answer to a question of some seconds ago also holds for a replica that was ejected since. */
  async #again({ verdict }: Inquiry, suspect: Suspect): Promise<Verdict> {
    const found = await verdict
    const isOut = suspect.replica.breaker.state(this.#ports.clock.now()) !== 'closed'
    if (found.kind === 'unusable' || (found.kind === 'serves' && isOut)) this.#report(suspect, found)
    return found
  }

  async #ask(suspect: Suspect): Promise<Verdict> {
    const { pool, replica, kind, settings, id, send } = suspect
    const question = { pool, replica: replica.url, kind, settings, id }
    const ports = { ...this.#ports, send }
    const found = await suspect.paid(() => askQuestion(ports, question))
    const verdict = found.kind === 'serves' ? await this.#confirm(found, suspect) : found
    if (this.#stopped) return { kind: 'unknown' }
    this.#report(suspect, verdict)
    return verdict
  }

  /** A replica that lists its models serves, unless it refuses every request for want of the account or the model. */
  async #confirm(serves: Verdict, { replica, contentless: requests, ...suspect }: Suspect): Promise<Verdict> {
    const { clock } = this.#ports
    const workedAt = this.#workedAt.get(replica)
    if (!requests || (workedAt !== undefined && isWithin(REST, workedAt, clock.now()))) return serves
    const ports = { clock, sendPassthrough: suspect.sendPassthrough }
    const found = await askWithoutContent(ports, { ...suspect, replica: replica.url, requests })
    if (found.kind === 'worked') this.#workedAt.set(replica, clock.now())
    return found.kind === 'unusable' ? found : serves
  }

  #report({ replica, state, pool, ejection }: Suspect, verdict: Verdict): void {
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

/** By what a replica is asked: a request of the kind, its list of models, or that and requests without content. */
type Means = Kind | 'contentless'

/** Models are listed alike for all kinds of requests that generate nothing. */
const meansOf = (kind: Kind): Means => (generates(kind) ? kind : 'passthrough')

const isWithin = (time: Millis, at: EpochMs, now: EpochMs): boolean => now >= at && now - at < time
