import { acceptsOf } from '../policy/accepts.ts'
import type { EpochMs, Pool } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Building } from '../policy/decision.ts'
import type { Health } from '../policy/facts.ts'
import { isDenial } from '../wire/openai/body.ts'
import type { BodyTerms, StreamWanted, WireRequest } from '../wire/openai/request.ts'
import { signalsOf } from '../wire/openai/signals.ts'
import { type AdmittedCall, type Applicant, admit } from './admission/admit.ts'
import { noteOf } from './admission/decisions.ts'
import { type LeasedCall, leased } from './admission/leases.ts'
import { settlementOf } from './admission/settlement.ts'
import { attemptBuffered } from './answer/buffered.ts'
import { type AnswerStream, attemptStream } from './answer/stream.ts'
import type { Client } from './ports.ts'
import type { Call, Gateway, Served } from './request.ts'
import { StoreUnavailable } from './store/store.ts'
import { type LearntTools, learnTools } from './tools/learn.ts'
import { Rounds } from './tools/rounds.ts'
import { serveToolStream } from './tools/tool-stream.ts'
import { serveToolAnswer } from './tools/whole.ts'
import type { Answered } from './upstream/failover.ts'
import { answerTerms, delivered, endOf, forward, settle, unanswered } from './upstream/forward.ts'

/** The life of one inference request, in the order it happens. */
export async function infer(gateway: Gateway, call: Call): Promise<Served> {
  const { config, settings, store, clock } = gateway
  const { requestId, keyHash, caller, wire } = call
  const at = clock.now()
  const health = healthAt(gateway, at, caller.account)
  const signals = signalsOf(config, call)
  const facts = { at, caller, request: wire.request, health, signals }
  const note = noteOf(gateway, requestId)
  const tools = wire.hosted && (await learnTools(gateway, facts, call.client))
  if (hasLeft(wire, call.client)) return { kind: 'left', failures: [] }
  if (tools && isDenial(tools)) {
    note?.(facts, decide(config, facts), { denial: tools }, { tool: tools.tool })
    return { kind: 'denied', denial: tools, failures: [] }
  }
  const applicant: Building<Applicant> = {
    requestId,
    facts: tools ? { ...facts, request: tools.request } : facts,
  }
  if (keyHash !== undefined) applicant.keyHash = keyHash
  if (settings.guests) applicant.guestsNanoUsdPerDay = settings.guests.guestsNanoUsdPerDay
  const admitted = await admit(config, store.holds, applicant, note)
  if ('denial' in admitted) return { kind: 'denied', ...admitted, failures: [] }

  const lease = gateway.leases.open(admitted.hold)
  try {
    const served = await serve(gateway, call, leased(admitted, lease), tools)
    // A stream goes on; whatever else was served is settled.
    if (served.kind !== 'stream') lease.end()
    return served
  } catch (error) {
    lease.end()
    await store.holds.refund(admitted.hold)
    throw error
  }
}

/** The pools that no request of an account should be sent to now. */
export function healthAt({ config, settings, pools }: Gateway, at: EpochMs, account: string): Health {
  const patienceOf = (pool: string) => settings.backends.get(pool)?.waitForRetryAfter ?? 0
  return { down: pools.down(config.pools.values(), at, patienceOf, account) }
}

/** Nothing is held yet, and nobody waits for it. */
const hasLeft = ({ hosted }: WireRequest, { gone }: Client): boolean => hosted !== undefined && gone

function serve(gateway: Gateway, call: Call, admitted: LeasedCall, tools: LearntTools | undefined): Promise<Served> {
  const { stream, hosted } = call.wire
  // It was refused when its tools were to be learnt, and no more when it was admitted.
  if (hosted && !tools) throw new StoreUnavailable(`terms of ${call.caller.account} changed during an admission`)
  if (!tools || !hosted)
    return stream ? serveStream(gateway, call, admitted, stream) : serveWhole(gateway, call, admitted)
  const rounds = new Rounds(gateway, call, admitted, { hosted, definitions: tools.definitions })
  return stream ? serveToolStream(gateway, rounds, stream) : serveToolAnswer(gateway, rounds)
}

async function serveWhole(gateway: Gateway, call: Call, admitted: LeasedCall): Promise<Served> {
  const { decision } = admitted
  const read = (backendModel: string) => (bytes: Buffer) =>
    call.wire.readAnswer(bytes, answerTerms(gateway, call, decision, backendModel))
  const attempted = await forward(gateway, call, admitted, bodyOf(call, admitted), target =>
    attemptBuffered(gateway, target, call.client, read(target.pool.model)),
  )
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures, over } = attempted
  over('well', answer)
  const bill = await settle(gateway, admitted, delivered(pool, answer))
  return { kind: 'whole', admitted, pool, failures, bytes: answer.bytes, bill }
}

function bodyOf({ wire }: Call, { hold, decision }: AdmittedCall): (pool: Pool) => Buffer {
  const terms: Building<BodyTerms> = {}
  const accepts = acceptsOf(decision.model)
  if (accepts) terms.accepts = accepts
  if (decision.imageSize !== undefined) terms.imageSize = decision.imageSize
  return ({ model }) => wire.bodyFor(model, hold.output, terms)
}

async function serveStream(gateway: Gateway, call: Call, admitted: LeasedCall, wanted: StreamWanted): Promise<Served> {
  const attempted = await forward(gateway, call, admitted, bodyOf(call, admitted), target =>
    attemptStream(gateway, target, wanted, call.client),
  )
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  return streamed(gateway, admitted, attempted)
}

/** By itself: what was asked need not be kept as long as the stream lives. */
function streamed(
  gateway: Gateway,
  admitted: LeasedCall,
  { answer, pool, failures, over }: Answered<AnswerStream>,
): Served {
  admitted.lease.speaking(() => settlementOf(admitted, delivered(pool, answer.work())))
  return {
    kind: 'stream',
    admitted,
    pool,
    failures,
    stream: answer,
    settle: ending => {
      over(endOf(ending), ending)
      return settle(gateway, admitted, delivered(pool, ending)).finally(() => admitted.lease.end())
    },
  }
}
