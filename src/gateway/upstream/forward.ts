import type { Millis, Pool } from '../../policy/config.ts'
import type { Allowed, Building } from '../../policy/decision.ts'
import type { Denial } from '../../policy/denial.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { scrub } from '../../wire/errors/scrub.ts'
import type { AnswerTerms } from '../../wire/openai/answer.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { type Delivered, settlementOf } from '../admission/settlement.ts'
import type { StreamEnding } from '../answer/live-stream.ts'
import { answerId } from '../answer/stream.ts'
import type { Call, Gateway, Unserved } from '../request.ts'
import { type Bill, chargeOf } from '../store/hold-store.ts'
import type { Target } from './attempt.ts'
import { watchedFailover } from './attempt-watch.ts'
import type { AnswerEnd, Attempted, Unanswered } from './failover.ts'
import { isOwnFault, type Outcome, PROMPT_ONLY, type Told, type Work } from './outcome.ts'

/** What an answer that comes now is read by. */
export const answerTerms = (
  { clock }: Gateway,
  { requestId }: Call,
  { model, claims }: Allowed,
  backendModel: string,
): AnswerTerms => ({
  model,
  backendModel,
  inputTokens: claims.tokens.input,
  id: answerId(requestId),
  created: Math.floor(clock.now() / 1000),
})

/** Sends the request to one pool after the other, as `attempt` does for one replica. */
export function forward<A>(
  gateway: Gateway,
  call: Call,
  admitted: LeasedCall,
  bodyFor: (pool: Pool) => Buffer,
  attempt: (target: Target) => Promise<Outcome<A>>,
  { startedAt = gateway.clock.elapsed(), failures = 0 }: { startedAt?: Millis; failures?: number } = {},
): Promise<Attempted<A>> {
  const { clock } = gateway
  const { requestId, wire } = call
  const { kind } = wire.request
  const { decision } = admitted
  const context = 'context' in decision.model ? decision.model.context : 0
  return watchedFailover(gateway, call, admitted, { context, failures }, (place, traceparent) => {
    const { pool, replica, fresh, settings } = place
    const dialect = dialectOf(settings)
    const target: Building<Target> = {
      pool,
      replica,
      fresh,
      path: dialect.path(kind),
      kind,
      body: dialect.body(kind, bodyFor(pool)),
      requestId,
      settings,
      commit: decision.commit,
      streamTime: Math.max(0, settings.streamTimeout - (clock.elapsed() - startedAt)),
      // The prompt is read from here on; images are charged once they came.
      dispatched: () => admitted.lease.dispatched(() => settlementOf(admitted, { pool, least: PROMPT_ONLY, items: 0 })),
    }
    if (traceparent !== undefined) target.traceparent = traceparent
    return attempt(target)
  })
}

/** No answer: nobody pays, unless the client left while a backend worked for it. */
export async function unanswered(gateway: Gateway, admitted: AdmittedCall, attempted: Unanswered): Promise<Unserved> {
  const { failures } = attempted
  if (attempted.kind === 'left' && attempted.dispatched) {
    const { pool, work } = attempted.dispatched
    const bill = await settle(gateway, admitted, delivered(pool, work))
    return { kind: 'left', bill, failures }
  }
  await gateway.store.holds.refund(admitted.hold)
  if (attempted.kind === 'left') return { kind: 'left', failures }
  const denial = attempted.kind === 'exhausted' ? exhausted(gateway, attempted) : refusal(gateway, attempted)
  return { kind: 'denied', denial, failures }
}

type Exhausted = Extract<Unanswered, { kind: 'exhausted' }>
type Refused = Extract<Unanswered, { kind: 'refused' }>

function exhausted(gateway: Gateway, { denial, told, failures }: Exhausted): Denial {
  if (failures.length > 0 && failures.every(({ cause }) => isOwnFault(cause)))
    return { code: 'OVERLOADED', of: 'process' }
  if (!told) return denial
  const { problem, reason } = scrubbed(gateway, told)
  return { ...denial, problem, ...(reason !== undefined && { reason }) }
}

function refusal(gateway: Gateway, refused: Refused): Denial {
  const said = scrubbed(gateway, refused)
  const problem = `the backend refused the request: ${said.problem}`
  const reason = said.reason === undefined ? {} : { reason: said.reason }
  if (refused.as === 'not-found') return { code: 'NOT_FOUND', problem, ...reason }
  if (refused.as === 'forbidden') return { code: 'FORBIDDEN', problem, ...reason }
  return { code: 'VALIDATION_ERROR', field: '', problem, ...reason }
}

/** As a client may read it. A word that is not as it was says nothing any more. */
function scrubbed(gateway: Gateway, { problem, reason }: Told): Told {
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

export async function settle(gateway: Gateway, admitted: AdmittedCall, delivered: Delivered): Promise<Bill> {
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

export function endOf({ clean, isFault }: Pick<StreamEnding, 'clean' | 'isFault'>): AnswerEnd {
  if (clean) return 'well'
  return isFault ? 'failed' : 'left'
}
