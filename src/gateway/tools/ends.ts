import type { Pool } from '../../policy/config.ts'
import { settle } from '../admission/settlement.ts'
import type { Failure } from '../attempt/outcome.ts'
import type { InferencePorts, Served } from '../request.ts'
import type { Unanswered } from '../upstream/failover.ts'
import { unanswered } from '../upstream/unanswered.ts'
import { NO_WORK, type Rounds } from './rounds.ts'

/** Whether an answer that has begun ends here: what tools said made it longer than the model takes. */
export const endsEarly = (attempted: Unanswered): boolean => attempted.kind === 'refused' && attempted.tooLong

/** No backend could answer a round of which the client has seen nothing. `pool` answered the one before. */
export async function roundFailed(
  gateway: InferencePorts,
  rounds: Rounds,
  attempted: Unanswered,
  pool: Pool | undefined,
): Promise<Served> {
  if (attempted.kind === 'left' && !attempted.dispatched && pool)
    return leftAlone(gateway, rounds, pool, attempted.failures)
  if (attempted.kind !== 'left') rounds.wasted(attempted.failures.length)
  return unanswered(gateway, rounds.admitted, attempted)
}

/** The client left between two rounds, or while tools ran: what was spent is charged, unless the gateway is shutting down. */
export async function leftAlone(
  gateway: InferencePorts,
  rounds: Rounds,
  pool: Pool,
  failures: readonly Failure[],
): Promise<Served> {
  const { admitted } = rounds
  if (rounds.call.client.wasCut) {
    rounds.wasted(failures.length)
    await gateway.store.holds.refund(admitted.hold)
    return { kind: 'left', failures }
  }
  const bill = await settle(gateway, admitted, pool, NO_WORK)
  return { kind: 'left', bill, failures }
}
