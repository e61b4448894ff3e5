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

/** The work of a response that is over, or not yet begun. */
const NO_WORK: Work = { usage: { inputTokens: 0, outputTokens: 0 } }

export interface SessionBillTerms {
  readonly holds: Pick<HoldStore, 'extend'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly alarm: Alarm
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly usageMeter: UsageMeter
  /** Set where it is paid by the usage that its backend reports. */
  readonly byUsage: boolean
  /** The pace of the pool. */
  readonly paced: Paced
  /** Nothing more can be held for it. */
  readonly refused: (reason: Denial['code'] | 'store') => void
}

/**
 * The bill of a session as it goes on. Where it is paid by usage, each response of its backend is a round, as those of an
 * answer with hosted tools are: with its usage, or with what it said where none is reported, what follows is held anew, by the
 * limits of the account as they are then. It holds as many responses as are running, and one at the least.
 */
export class SessionBill {
  readonly #terms: SessionBillTerms
  readonly #usage: SessionUsage | undefined
  readonly #running = new RunningResponses()
  #admitted: LeasedCall
  /** So many responses are held. */
  #held = 1
  /** The last of what is asked of the store, one after the other. */
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

  /** The session's hold, and the weight of its rounds. */
  get admitted(): LeasedCall {
    return this.#admitted
  }

  /** The work of the present round. */
  get work(): Work {
    if (!this.#usage) return this.#terms.usageMeter.work()
    const since = this.#running.since(this.#terms.clock.elapsed())
    const least = since === undefined ? this.#usage.least : this.#usage.leastOfRunning
    return least ? { least: this.#paced(least, since) } : NO_WORK
  }

  /** The work of the present round that was seen: nobody pays for more of a backend that failed. */
  get seenWork(): Work {
    if (!this.#usage) return this.work
    const { least } = this.#usage
    return least ? { least: this.#paced(least, undefined) } : NO_WORK
  }

  /** Whether a response is running whose usage its backend has not reported. */
  get awaitsUsage(): boolean {
    return this.#usage !== undefined && (this.#count > 0 || this.#usage.tokens > 0)
  }

  /** With what a running response may have made that nothing was seen of: reasoning, or calls of tools. */
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
   * The client asks for a response, by an event with this id. Undefined once it is held, which it mostly is already; or why
   * it is not.
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
    // It also answers what it hears, without being asked.
    const isHeld = Math.max(1, this.#count) === this.#held
    if (this.#isDue || (!round && isHeld)) return
    this.#isDue = true
    this.#inTurn(() => this.#goOn())
  }

  /** The work of a response or a transcription that is over; `since` is when it was asked for. */
  #workOf(told: ResponseUsage, since: Millis | undefined): Work {
    if ('usage' in told) return told
    return { least: this.#paced(told.least, told.isCancelled ? since : undefined) }
  }

  #learn({ inputTokens, outputTokens }: Usage, millis: Millis): void {
    const { paced } = this.#terms
    paced.pace = learned(paced.pace, { inputTokens, outputTokens, millis })
  }

  /** Holds nothing more. Resolves once what was asked for is known. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#asking
  }

  get #count(): number {
    return this.#running.count(this.#terms.clock.elapsed())
  }

  /** The work of responses that are not done, once it fills what is held for them. */
  #full(usage: SessionUsage): Work | undefined {
    if (usage.tokens < this.#admitted.hold.output) return undefined
    const least = usage.cut()
    return least && { least }
  }

  async #askMore(eventId: string | undefined): Promise<Denial | undefined> {
    if (this.#count >= MOST_RESPONSES)
      return invalid('event', `asks for more than ${MOST_RESPONSES} responses at once`).denial
    const refused = this.#count < this.#held ? undefined : await this.#hold(this.#count + 1)
    // A session that is over passes nothing on.
    if (refused === undefined && !this.#isOver) this.#running.ask(eventId, this.#terms.clock.elapsed())
    return refused
  }

  /** Holds anew what is still running, now that some of it is over. */
  async #goOn(): Promise<void> {
    this.#isDue = false
    const refused = await this.#hold(Math.max(1, this.#count))
    if (refused) this.#terms.refused(refused.code === 'STORE_UNAVAILABLE' ? 'store' : refused.code)
  }

  /** Holds so many responses from here on; or why that cannot be. */
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
      // A round that the store cannot admit is not spent.
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

  /** From here on a crash charges no less. */
  #checkpoint(): void {
    const { pool } = this.#terms
    this.#admitted.lease.speaking(() => settlementOf(this.#admitted, pool, this.work))
  }
}

const STORE_UNAVAILABLE: Denial = { code: 'STORE_UNAVAILABLE' }

/** The claims of so many responses, from those of one. */
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
