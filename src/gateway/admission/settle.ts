import type { Pool } from '../../policy/config.ts'
import type { Building } from '../../policy/decision.ts'
import type { Gateway } from '../request.ts'
import { type Bill, chargeOf } from '../store/hold-store.ts'
import type { InFlightAttempt } from '../upstream/in-flight-attempt.ts'
import type { AnswerEnd, EndOfAnswer, Work } from '../upstream/outcome.ts'
import type { AdmittedCall } from './admit.ts'
import type { LeasedCall } from './leases.ts'
import { type Delivered, settlementOf } from './settlement.ts'

/**
 * The end of an answer that goes to a client. It ends the attempt, settles what the request cost, and gives up the lease,
 * each of them once: a second end changes nothing, and has the same bill.
 */
export class Ending {
  readonly #gateway: Pick<Gateway, 'store' | 'alarm'>
  readonly #admitted: LeasedCall
  readonly #pool: Pool
  readonly #attempt: InFlightAttempt
  #bill: Promise<Bill> | undefined

  constructor(
    { store, alarm }: Pick<Gateway, 'store' | 'alarm'>,
    admitted: LeasedCall,
    { pool, attempt }: { readonly pool: Pool; readonly attempt: InFlightAttempt },
  ) {
    this.#gateway = { store, alarm }
    this.#admitted = admitted
    this.#pool = pool
    this.#attempt = attempt
  }

  /** The answer is over. Resolves once it is settled, durably. */
  end(how: EndOfAnswer): Promise<Bill> {
    this.#attempt.end(endOf(how), how)
    return this.settle(how)
  }

  /** Settles before the end, where what was done is known before: its end settles nothing more. */
  settle(work: Work): Promise<Bill> {
    this.#bill ??= settle(this.#gateway, this.#admitted, delivered(this.#pool, work)).finally(() =>
      this.#admitted.lease.end(),
    )
    return this.#bill
  }
}

export async function settle(
  gateway: Pick<Gateway, 'store' | 'alarm'>,
  admitted: AdmittedCall,
  delivered: Delivered,
): Promise<Bill> {
  const settlement = settlementOf(admitted, delivered)
  const { bill } = settlement
  if (chargeOf(settlement).tokens > admitted.hold.tokens + admitted.hold.spent.tokens) {
    // The bound should hold; the truth is recorded all the same.
    gateway.alarm('a backend counted more tokens than were reserved', { requestId: bill.requestId, pool: bill.pool })
  }
  await gateway.store.holds.settle(settlement)
  return bill
}

/** What a backend did, as it is settled. */
export function delivered(pool: Pool, { usage, outputBytes, tokens, least, items }: Work): Delivered {
  const known: Building<Delivered> = { pool }
  if (usage) known.usage = usage
  if (outputBytes !== undefined) known.outputBytes = outputBytes
  if (tokens !== undefined) known.tokens = tokens
  if (least) known.least = least
  if (items !== undefined) known.items = items
  return known
}

export function endOf({ clean, isFault }: Pick<EndOfAnswer, 'clean' | 'isFault'>): AnswerEnd {
  if (clean) return 'well'
  return isFault ? 'failed' : 'left'
}
