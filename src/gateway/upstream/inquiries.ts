import type { EpochMs, Kind, Millis } from '../../policy/config.ts'
import type { Alarm, Cancel, Clock, Probe, SendPassthrough } from '../ports.ts'
import type { Ejection } from './breaker.ts'
import { askWithoutContent, type ContentlessRequest } from './contentless.ts'
import { type PoolState, type Replica, reportPool } from './pools.ts'
import { askQuestion, type Found, generates, type Question, type QuestionPorts, type Verdict } from './question.ts'

/** How long an answer to a question stands: a replica is asked once in this time, however many requests fail there. */
export const HOLDS: Millis = 5000
/** After a pause a request goes first: where it is answered, nothing has to be asked. */
const AFTER_PAUSE: Millis = 1000
/** The longest that pauses, one after the other, put a question off. */
const PUT_OFF: Millis = 60_000
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
  /** Whether the attempt was given up because nothing came for too long. */
  readonly isSilent: boolean
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
  /** Set where several processes of a gateway send to the same replicas: one of them asks for all. */
  readonly others?: OtherInquiries | undefined
}

/** The inquiries of the other processes. */
export interface OtherInquiries {
  /** Resolves with undefined where this process is to ask, and else with what another one finds. */
  claim(question: string): Promise<Verdict | undefined>
  /** Shares what was found after a claim. */
  found(question: string, verdict: Verdict): void
}

/**
 * Finds out whether a replica fails for all clients, or only for what one sent: it is asked a question of our own.
 * It reports the finding to the breakers. A process has one, as it has one set of breakers.
 *
 * A replica that asked for a pause is asked nothing before the pause is over. One that fell silent is asked only once it
 * is about to be ejected for that, or was: a question would be one more request that it does not answer.
 */
export class Inquiries {
  readonly #ports: InquiriesPorts
  readonly #asked = new WeakMap<Replica, Map<Means, Inquiry>>()
  /** When a replica worked on a request without content. */
  readonly #workedAt = new WeakMap<Replica, EpochMs>()
  /** Questions that wait for the end of a pause. */
  readonly #waiting = new Map<string, Cancel>()
  #stopped = false

  constructor(ports: InquiriesPorts) {
    this.#ports = ports
  }

  /** For good: what ends from now on is our doing. */
  stop(): void {
    this.#stopped = true
    for (const cancel of this.#waiting.values()) cancel()
    this.#waiting.clear()
  }

  /** What is known of the replica now, asked first where it may be asked and that is not known yet. Never rejects. */
  verdict(suspect: Suspect): Promise<Verdict> {
    const { replica, ejection, isSilent } = suspect
    const now = this.#ports.clock.now()
    if (isSilent && !replica.breaker.isSuspected(now, ejection)) return NOT_ASKED
    if (replica.longestPause(now) === 0) return this.#inquire(suspect)
    if (!this.#waiting.has(questionOf(suspect))) this.#askAfterPause(suspect, now)
    return NOT_ASKED
  }

  /** `since` is when the replica failed. */
  #askAfterPause(suspect: Suspect, since: EpochMs): void {
    const { clock } = this.#ports
    const { replica } = suspect
    const question = questionOf(suspect)
    const isDue = () => clock.now() - since >= PUT_OFF
    const ask = () => {
      this.#waiting.delete(question)
      if (replica.breaker.servedAt > since) return
      if (replica.longestPause(clock.now()) > 0 && !isDue()) this.#askAfterPause(suspect, since)
      else void this.#inquire(suspect)
    }
    this.#waiting.set(question, clock.after(replica.longestPause(clock.now()) + AFTER_PAUSE, ask))
  }

  #inquire(suspect: Suspect): Promise<Verdict> {
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
    const { others } = this.#ports
    const verdict = others ? await this.#askForAll(suspect, others) : await this.#find(suspect)
    if (this.#stopped) return UNKNOWN
    this.#report(suspect, verdict)
    return verdict
  }

  async #askForAll(suspect: Suspect, others: OtherInquiries): Promise<Verdict> {
    const question = questionOf(suspect)
    const elsewhere = await others.claim(question)
    if (elsewhere) return elsewhere
    let verdict: Verdict = UNKNOWN
    try {
      verdict = await this.#find(suspect)
    } finally {
      others.found(question, verdict)
    }
    return verdict
  }

  async #find(suspect: Suspect): Promise<Verdict> {
    const { pool, replica, kind, settings, id, send } = suspect
    const question = { pool, replica: replica.url, kind, settings, id }
    const ports = { ...this.#ports, send }
    const found = await suspect.paid(() => askQuestion(ports, question))
    return found.kind === 'serves' ? this.#confirm(found, suspect) : found
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

const UNKNOWN: Verdict = { kind: 'unknown' }
const NOT_ASKED: Promise<Verdict> = Promise.resolve(UNKNOWN)

/** Names a question, the same in all processes of a gateway. */
const questionOf = ({ pool, replica, kind, contentless }: Suspect): string =>
  [pool.name, replica.url, contentless ? 'contentless' : meansOf(kind)].join(' ')

/** Models are listed alike for all kinds of requests that generate nothing. */
const meansOf = (kind: Kind): Means => (generates(kind) ? kind : 'passthrough')

const isWithin = (time: Millis, at: EpochMs, now: EpochMs): boolean => now >= at && now - at < time
