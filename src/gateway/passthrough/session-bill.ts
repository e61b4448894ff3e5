import type { Pool } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { SessionUsage } from '../../wire/event-usage.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { settlementOf, spentWith } from '../admission/settlement.ts'
import type { Alarm } from '../ports.ts'
import type { HoldStore } from '../store/hold-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Work } from '../upstream/outcome.ts'
import type { UsageMeter } from './usage-meter.ts'

/** Of a response that is over, or not yet begun. */
const NO_WORK: Work = { usage: { inputTokens: 0, outputTokens: 0 } }

export interface SessionBillTerms {
  readonly holds: Pick<HoldStore, 'extend'>
  readonly alarm: Alarm
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly usageMeter: UsageMeter
  /** Set where it is paid by the usage that its backend reports. */
  readonly byUsage: boolean
  /** Nothing more can be held for it. */
  readonly refused: (reason: Denial['code'] | 'store') => void
}

/**
 * What a session costs as it goes on. Where it is paid by usage, each response of its backend is a round, as those of an
 * answer with hosted tools are: with its usage, or with what it said where none is reported, the next one is held, by the
 * limits of the account as they are then.
 */
export class SessionBill {
  readonly #terms: SessionBillTerms
  readonly #usage: SessionUsage | undefined
  #admitted: LeasedCall
  #extending: Promise<void> | undefined
  #isDue = false
  #isOver = false

  constructor(terms: SessionBillTerms) {
    this.#terms = terms
    this.#admitted = terms.admitted
    this.#usage = terms.byUsage ? new SessionUsage() : undefined
    this.#checkpoint()
  }

  /** What the session holds, and what its rounds weighed. */
  get admitted(): LeasedCall {
    return this.#admitted
  }

  /** What was done in the present round. */
  get work(): Work {
    if (!this.#usage) return this.#terms.usageMeter.work()
    const { least } = this.#usage
    return least ? { least } : NO_WORK
  }

  /** Reads a message of the backend. */
  read(bytes: Buffer): void {
    const round = this.#usage?.read(bytes.toString('utf8')) ?? this.#full
    if (!round) return
    this.#admitted = { ...this.#admitted, spent: spentWith(this.#admitted, round) }
    this.#isDue = true
    this.#extending ??= this.#extend().finally(() => {
      this.#extending = undefined
    })
  }

  /** What was said in responses that are not done, once that is all that is held for a round. */
  get #full(): Work | undefined {
    if (!this.#usage || this.#usage.tokens < this.#admitted.hold.output) return undefined
    const least = this.#usage.cut()
    return least && { least }
  }

  /** Holds nothing more. Resolves once what was asked for is known. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#extending
  }

  async #extend(): Promise<void> {
    while (this.#isDue && !this.#isOver) {
      this.#isDue = false
      const { holds, pool, refused } = this.#terms
      const { hold, decision, lease } = this.#admitted
      const soFar = settlementOf(this.#admitted, pool, NO_WORK)
      try {
        const extended = await holds.extend({ hold, round: hold.round + 1, soFar, claims: decision.claims })
        if ('denial' in extended) return refused(extended.denial.code)
        if (extended.outcome === 'ended') return refused('store')
        this.#admitted = { ...this.#admitted, hold: extended.hold }
        lease.extended(extended.hold)
        this.#checkpoint()
      } catch (error) {
        // What cannot be asked for cannot be spent.
        if (!(error instanceof StoreUnavailable)) this.#terms.alarm('unexpected error', { error: String(error) })
        return refused('store')
      }
    }
  }

  /** From here on a crash charges no less. */
  #checkpoint(): void {
    const { pool } = this.#terms
    this.#admitted.lease.speaking(() => settlementOf(this.#admitted, pool, this.work))
  }
}
