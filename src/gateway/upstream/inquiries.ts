import type { EpochMs, Kind, Millis } from '../../policy/config.ts'
import type { Alarm, Clock, Probe } from '../ports.ts'
import type { Ejection } from './breaker.ts'
import type { PoolState, Replica } from './pools.ts'
import { reportPool } from './pools.ts'
import { askQuestion, type Found, generates, type Question, type QuestionPorts, type Verdict } from './question.ts'

/** How long an answer to a question stands: a replica is asked once in this time, however many requests fail there. */
const HOLDS: Millis = 5000

/** A replica that failed a request in a way that the request may have provoked. */
export interface Suspect extends Omit<Question, 'replica'> {
  readonly replica: Replica
  readonly state: PoolState
  readonly ejection: Ejection
  readonly send: QuestionPorts['send']
  /** Asks only where what it may cost fits; hears what it took. */
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
 * Finds out whether a replica fails for everybody, or only for what a client sent: it is asked a question of our own.
 * It reports to the breakers what that proves. A process has one, as it has one set of breakers.
 */
export class Inquiries {
  readonly #ports: InquiriesPorts
  readonly #asked = new WeakMap<Replica, Map<Kind, Inquiry>>()
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
    const { replica, kind } = suspect
    const now = this.#ports.clock.now()
    const asked = this.#asked.get(replica) ?? new Map<Kind, Inquiry>()
    this.#asked.set(replica, asked)
    const last = asked.get(meansOf(kind))
    if (last && now >= last.at && now - last.at < HOLDS) return this.#again(last, suspect)
    const verdict = this.#ask(suspect)
    asked.set(meansOf(kind), { at: now, verdict })
    return verdict
  }

  /** The answer to a question of some seconds ago also holds for a replica that was ejected since. */
  async #again({ verdict }: Inquiry, suspect: Suspect): Promise<Verdict> {
    const found = await verdict
    const isOut = suspect.replica.breaker.state(this.#ports.clock.now()) !== 'closed'
    if (found.kind === 'unusable' || (found.kind === 'serves' && isOut)) this.#tell(suspect, found)
    return found
  }

  async #ask(suspect: Suspect): Promise<Verdict> {
    const { pool, replica, kind, settings, id, send } = suspect
    const question = { pool, replica: replica.url, kind, settings, id }
    const ports = { ...this.#ports, send }
    const verdict = await suspect.paid(() => askQuestion(ports, question))
    if (this.#stopped) return { kind: 'unknown' }
    this.#tell(suspect, verdict)
    return verdict
  }

  #tell({ replica, state, pool, ejection }: Suspect, verdict: Verdict): void {
    const now = this.#ports.clock.now()
    if (verdict.kind === 'serves') replica.breaker.cleared(now)
    else if (verdict.kind === 'paused') replica.cool(now, verdict.pause)
    else if (verdict.kind === 'fails') {
      replica.breaker.proved(now, ejection)
      if (verdict.pause) replica.cool(now, verdict.pause)
    } else if (verdict.kind === 'unusable') {
      reportPool(this.#ports.alarm, pool.name, state, verdict.cause)
      for (const { breaker } of state.replicas(pool)) if (breaker.state(now) !== 'open') breaker.open(now, ejection.for)
    }
  }
}

/** Models are listed alike for all kinds of requests that generate nothing. */
const meansOf = (kind: Kind): Kind => (generates(kind) ? kind : 'passthrough')
