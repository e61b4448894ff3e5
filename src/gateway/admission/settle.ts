import type { Pool } from '../../policy/config.ts'
import type { Gateway } from '../request.ts'
import { type Bill, chargeOf } from '../store/hold-store.ts'
import type { InFlightAttempt } from '../upstream/in-flight-attempt.ts'
import type { AnswerEnd, Work } from '../upstream/outcome.ts'
import type { AdmittedCall } from './admit.ts'
import type { LeasedCall } from './leases.ts'
import { settlementOf } from './settlement.ts'

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
  end(how: AnswerEnd, work: Work): Promise<Bill> {
    this.#attempt.end(how, work)
    return this.settle(work)
  }

  /** Settles before the end, where what was done is known before: its end settles nothing more. */
  settle(work: Work): Promise<Bill> {
    this.#bill ??= settle(this.#gateway, this.#admitted, this.#pool, work).finally(() => this.#admitted.lease.end())
    return this.#bill
  }
}

export async function settle(
  gateway: Pick<Gateway, 'store' | 'alarm'>,
  admitted: AdmittedCall,
  pool: Pool,
  work: Work,
): Promise<Bill> {
  const settlement = settlementOf(admitted, pool, work)
  const { bill } = settlement
  if (chargeOf(settlement).tokens > admitted.hold.tokens + admitted.hold.spent.tokens) {
    // The bound should hold; the truth is recorded all the same.
    gateway.alarm('a backend counted more tokens than were reserved', { requestId: bill.requestId, pool: bill.pool })
  }
  await gateway.store.holds.settle(settlement)
  return bill
}
