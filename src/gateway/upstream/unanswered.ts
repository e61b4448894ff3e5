import type { Denial } from '../../policy/denial.ts'
import { BACKEND } from '../../wire/errors/reason-phrase.ts'
import { scrub } from '../../wire/errors/scrub.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import { settle } from '../admission/settlement.ts'
import { isOwnFault } from '../own-faults.ts'
import type { Gateway, Unserved } from '../request.ts'
import type { Unanswered } from './failover.ts'
import type { BackendMessage } from './outcome.ts'

/** No answer: the client is charged nothing, unless it left while a backend worked for it. */
export async function unanswered(gateway: Gateway, admitted: AdmittedCall, attempted: Unanswered): Promise<Unserved> {
  const { failures } = attempted
  if (attempted.kind === 'left' && attempted.dispatched) {
    const { pool, work } = attempted.dispatched
    const bill = await settle(gateway, admitted, pool, work)
    return { kind: 'left', bill, failures }
  }
  await gateway.store.holds.refund(admitted.hold)
  if (attempted.kind === 'left') return { kind: 'left', failures }
  const denial = attempted.kind === 'exhausted' ? exhausted(gateway, attempted) : refusal(gateway, attempted)
  return { denial, failures }
}

type Exhausted = Extract<Unanswered, { kind: 'exhausted' }>
type Refused = Extract<Unanswered, { kind: 'refused' }>

function exhausted(gateway: Gateway, { denial, message, failures }: Exhausted): Denial {
  if (failures.length > 0 && failures.every(({ cause }) => isOwnFault(cause)))
    return { code: 'OVERLOADED', of: 'process' }
  if (!message) return denial
  const { problem, reason } = scrubbed(gateway, message)
  return { ...denial, problem, ...(reason !== undefined && { reason }) }
}

function refusal(gateway: Gateway, refused: Refused): Denial {
  const said = scrubbed(gateway, refused)
  const problem = `${BACKEND}: ${said.problem}`
  const reason = said.reason === undefined ? {} : { reason: said.reason }
  if (refused.as === 'not-found') return { code: 'NOT_FOUND', problem, ...reason }
  if (refused.as === 'forbidden') return { code: 'FORBIDDEN', problem, ...reason }
  return { code: 'VALIDATION_ERROR', field: '', problem, ...reason }
}

/** As a client may read it. A word that is not as it was says nothing any more. */
function scrubbed(gateway: Gateway, { problem, reason }: BackendMessage): BackendMessage {
  const secrets = privateWords(gateway)
  const isFine = reason !== undefined && scrub(reason, secrets) === reason
  return { problem: scrub(problem, secrets), ...(isFine && { reason }) }
}

/** What no client may read: our keys at backends, and where they stand. */
function privateWords({ config, settings }: Gateway): readonly string[] {
  const keys = [...settings.backends.values()].flatMap(({ key }) => (key ? [key.reveal()] : []))
  const places = [...config.pools.values()].flatMap(({ replicas }) => replicas.map(url => new URL(url)))
  return [...keys, ...places.flatMap(({ host, hostname }) => [host, hostname])]
}
