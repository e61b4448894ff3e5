import type { Millis, Pool } from '../../policy/config.ts'
import type { Claims } from '../../policy/decision.ts'
import { type Denial, invalid } from '../../policy/denial.ts'
import { hiddenTokens, learned } from '../../policy/pace.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { RunningResponses } from '../../wire/session/running-responses.ts'
import { MOST_RESPONSES, type ResponseUsage, SessionUsage } from '../../wire/session/usage.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { settlementOf, spentWith } from '../admission/settlement.ts'
import type { Paced } from '../attempt/measure.ts'
import type { Work } from '../attempt/outcome.ts'
import type { Alarm, Clock } from '../ports.ts'
import type { HoldStore } from '../store/hold-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { UsageMeter } from './usage-meter.ts'

/** The work of a finished response, or of one that has not begun. */
const NO_WORK: Work = { usage: { inputTokens: 0, outputTokens: 0 } }

export interface SessionBillTerms {
  readonly holds: Pick<HoldStore, 'extend'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly alarm: Alarm
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly usageMeter: UsageMeter
  /** Whether the usage that the backend reports is charged. */
  readonly byUsage: boolean
  /** The pace of the pool. */
  readonly paced: Paced
  /** Called when no further reservation is possible. */
  readonly refused: (reason: Denial['code'] | 'store') => void
}

/**
 * The running bill of a session. If usage is charged, each response of the backend is a round, like the rounds of an
 * answer with hosted tools: it is charged at its reported usage, or at a lower bound if none is reported, and the
 * reservation for what follows is judged anew by the account's limits at that time. Reserves for as many responses as
 * are running, and for at least one.
 */
export class SessionBill {
  readonly #terms: SessionBillTerms
  readonly #usage: SessionUsage | undefined
  readonly #running = new RunningResponses()
  #admitted: LeasedCall
  /** The number of responses that are reserved. */
  #held = 1
  /** The last call to the store; calls are made one after another. */
  #asking: Promise<unknown> | undefined
  #isDue = false
  #isOver = false

  constructor(terms: SessionBillTerms) {
    this.#terms = terms
    this.#admitted = terms.admitted
    this.#usage = terms.byUsage ? new SessionUsage() : undefined
    this.#checkpoint()
  }

  get isByUsage(): boolean {
    return this.#usage !== undefined
  }

  /** The session's hold and the weight of its rounds. */
  get admitted(): LeasedCall {
    return this.#admitted
  }

  /** The work of this round. */
  get work(): Work {
    if (!this.#usage) return this.#terms.usageMeter.work()
    const since = this.#running.since(this.#terms.clock.elapsed())
    const least = since === undefined ? this.#usage.least : this.#usage.leastOfRunning
    return least ? { least: this.#paced(least, since) } : NO_WORK
  }

  /** The observed work of this round: if a backend fails, its client pays no more than that. */
  get seenWork(): Work {
    if (!this.#usage) return this.work
    const { least } = this.#usage
    return least ? { least: this.#paced(least, undefined) } : NO_WORK
  }

  /** Whether a response is running whose usage its backend has not reported. */
  get awaitsUsage(): boolean {
    return this.#usage !== undefined && (this.#count > 0 || this.#usage.tokens > 0)
  }

  /** Adds hidden output that a running response may have generated: reasoning, or tool calls. */
  #paced(least: LeastUsage, since: Millis | undefined): LeastUsage {
    const { clock, paced, usageMeter } = this.#terms
    const { pace } = paced
    return {
      ...(least.inputTokens === undefined && { promptBytes: usageMeter.heard }),
      ...least,
      bytesPerToken: pace.bytesPerToken,
      ...(since !== undefined && { hiddenTokens: hiddenTokens(pace, clock.elapsed() - since, least.outputTokens) }),
    }
  }

  /**
   * The client requests a response with an event of this id. Undefined if it is already reserved, as it usually is;
   * otherwise resolves once it is, or to the denial.
   */
  ask(eventId: string | undefined): Promise<Denial | undefined> | undefined {
    if (!this.#usage) return undefined
    if (this.#asking || this.#count >= this.#held) return this.#inTurn(() => this.#askMore(eventId))
    this.#running.ask(eventId, this.#terms.clock.elapsed())
    return undefined
  }

  /** Reads an event of the backend. */
  read(event: JsonObject): void {
    if (!this.#usage) return
    const now = this.#terms.clock.elapsed()
    const since = this.#running.since(now)
    const endedSince = this.#running.read(event, now)
    const told = this.#usage.read(event)
    if (told && 'usage' in told && since !== undefined) this.#learn(told.usage, now - since)
    const round = (told && this.#workOf(told, endedSince)) ?? this.#full(this.#usage)
    if (round) this.#admitted = { ...this.#admitted, spent: spentWith(this.#admitted, round) }
    // The backend may also respond to audio without a request.
    const isHeld = Math.max(1, this.#count) === this.#held
    if (this.#isDue || (!round && isHeld)) return
    this.#isDue = true
    this.#inTurn(() => this.#goOn())
  }

  /** The work of a finished response or transcription; `since` is when it was requested. */
  #workOf(told: ResponseUsage, since: Millis | undefined): Work {
    if ('usage' in told) return told
    return { least: this.#paced(told.least, told.isCancelled ? since : undefined) }
  }

  #learn({ inputTokens, outputTokens }: Usage, millis: Millis): void {
    const { paced } = this.#terms
    paced.pace = learned(paced.pace, { inputTokens, outputTokens, millis })
  }

  /** Makes no further reservation. Resolves once pending ones are known. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#asking
  }

  get #count(): number {
    return this.#running.count(this.#terms.clock.elapsed())
  }

  /** The work of unfinished responses, once it exhausts their reservation. */
  #full(usage: SessionUsage): Work | undefined {
    if (usage.tokens < this.#admitted.hold.output) return undefined
    const least = usage.cut()
    return least && { least }
  }

  async #askMore(eventId: string | undefined): Promise<Denial | undefined> {
    if (this.#count >= MOST_RESPONSES)
      return invalid('event', `asks for more than ${MOST_RESPONSES} responses at once`).denial
    const refused = this.#count < this.#held ? undefined : await this.#hold(this.#count + 1)
    // A closed session passes nothing on.
    if (refused === undefined && !this.#isOver) this.#running.ask(eventId, this.#terms.clock.elapsed())
    return refused
  }

  /** Reserves again for what is still running, after a part was settled. */
  async #goOn(): Promise<void> {
    this.#isDue = false
    const refused = await this.#hold(Math.max(1, this.#count))
    if (refused) this.#terms.refused(refused.code === 'STORE_UNAVAILABLE' ? 'store' : refused.code)
  }

  /** Reserves this many responses from here on; resolves to a denial if that is impossible. */
  async #hold(responses: number): Promise<Denial | undefined> {
    if (this.#isOver) return undefined
    const { holds, pool, alarm, refused } = this.#terms
    const { hold, decision, lease } = this.#admitted
    const soFar = settlementOf(this.#admitted, pool, NO_WORK)
    const claims = claimsOf(decision.claims, responses)
    try {
      const extended = await holds.extend({ hold, round: hold.round + 1, soFar, claims })
      if ('denial' in extended) return extended.denial
      if (extended.outcome === 'ended') {
        refused('store')
        return STORE_UNAVAILABLE
      }
      this.#admitted = { ...this.#admitted, hold: extended.hold }
      this.#held = responses
      lease.extended(extended.hold)
      this.#checkpoint()
      return undefined
    } catch (error) {
      // A round that the store cannot admit has used nothing.
      if (!(error instanceof StoreUnavailable)) alarm('unexpected error', { error: String(error) })
      return STORE_UNAVAILABLE
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const asking = (this.#asking ?? Promise.resolve()).then(work)
    this.#asking = asking
    asking.then(() => {
      if (this.#asking === asking) this.#asking = undefined
    })
    return asking
  }

  /** After this, a crash charges at least this much. */
  #checkpoint(): void {
    const { pool } = this.#terms
    this.#admitted.lease.speaking(() => settlementOf(this.#admitted, pool, this.work))
  }
}

const STORE_UNAVAILABLE: Denial = { code: 'STORE_UNAVAILABLE' }

/** The claims of several responses, from those of one. */
function claimsOf(claims: Claims, responses: number): Claims {
  if (responses === 1) return claims
  const { input, output, spend } = claims
  return {
    ...claims,
    input: input * responses,
    output: { ...output, want: output.want * responses, min: output.min * responses },
    spend: { ...spend, items: spend.items * responses },
  }
}
