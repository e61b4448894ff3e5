import type { EpochMs } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Mutable } from '../policy/decision.ts'
import type { Health } from '../policy/facts.ts'
import type { StreamWanted, WireRequest } from '../wire/openai/request.ts'
import { signalsOf } from '../wire/openai/signals.ts'
import { type Applicant, admit } from './admission/admit.ts'
import { decisionNote } from './admission/decisions.ts'
import { type LeasedCall, leased } from './admission/leases.ts'
import { Ending, settlementOf } from './admission/settlement.ts'
import type { AnswerStream } from './answer/stream.ts'
import { drawn } from './balance/draw.ts'
import type { Call } from './call.ts'
import { mirroringOf } from './mirror/mirroring.ts'
import { namedRequest } from './named-request.ts'
import type { Pools } from './pools/pools.ts'
import type { Client } from './ports.ts'
import type { InferencePorts, Served, ServingPorts } from './request.ts'
import { StoreUnavailable } from './store/store.ts'
import { type LearntTools, learnTools } from './tools/learn.ts'
import { Rounds } from './tools/rounds.ts'
import { serveToolStream } from './tools/stream.ts'
import { serveToolAnswer } from './tools/whole.ts'
import type { Answered } from './upstream/failover.ts'
import { BufferedInference, forward, StreamedInference } from './upstream/inference.ts'
import { stayingOf } from './upstream/staying.ts'
import { unanswered } from './upstream/unanswered.ts'

/**
 * The life of one inference request, in the order it happens. Before it, the client was identified (accounts/identify.ts)
 * and the body read (http/public/receive.ts).
 */
export async function infer(gateway: InferencePorts, call: Call): Promise<Served> {
  const { config, settings, store, clock } = gateway
  const { requestId, keyHash, caller, confirm, wire } = call
  const at = clock.now()
  const staying = stayingOf(gateway, call)
  const health = { ...healthAt(gateway, at, caller.account), ...staying?.at(at) }
  const signals = signalsOf(config, call)
  const named = namedRequest(config, wire.request, { headers: call.headers, session: wire.session })
  const request = drawn({ config, domains: gateway.pools.domains }, named, call)
  const facts = { at, caller, request, health, signals }
  const note = decisionNote(gateway, requestId)
  const tools = wire.hosted && (await learnTools(gateway, facts, call.client))
  if (hasLeft(wire, call.client)) return { kind: 'left', failures: [] }
  if (tools && 'denial' in tools) {
    note?.(facts, decide(config, facts), tools, { tool: tools.denial.tool })
    return { denial: tools.denial, failures: [] }
  }
  const applicant: Mutable<Applicant> = {
    requestId,
    facts: tools ? { ...facts, request: tools.request } : facts,
  }
  if (keyHash !== undefined) applicant.keyHash = keyHash
  if (confirm) applicant.confirm = confirm
  if (settings.guests) applicant.guestsNanoUsdPerDay = settings.guests.guestsNanoUsdPerDay
  const admitted = await admit(config, store, applicant, note)
  if ('denial' in admitted) return { ...admitted, failures: [] }

  const lease = gateway.leases.open(admitted.hold)
  try {
    const served = await serve(gateway, call, leased(admitted, lease), tools)
    // A stream goes on; any other answer is settled.
    if ('denial' in served || served.kind !== 'stream') lease.end()
    return served
  } catch (error) {
    lease.end()
    await store.holds.refund(admitted.hold)
    throw error
  }
}

/** The pools that no request of an account should be sent to now. */
export function healthAt({ config, settings, pools }: ServingPorts, at: EpochMs, account: string): Health {
  return healthOf(pools, { config, settings }, at, account)
}

/** The health of all pools; of an account, or of all. */
export function healthOf(
  pools: Pools,
  { config, settings }: Pick<ServingPorts, 'config' | 'settings'>,
  at: EpochMs,
  account?: string,
): Health {
  const patienceOf = (pool: string) => settings.backends.get(pool)?.waitForRetryAfter ?? 0
  const down = pools.down(config.pools.values(), at, patienceOf, account)
  const busy = pools.busy(config.pools.values(), at, pool => settings.backends.get(pool)?.spill, account)
  return busy.length > 0 ? { down, busy } : { down }
}

/** Whether the client left while its tools were learnt: nothing is reserved yet. */
const hasLeft = ({ hosted }: WireRequest, { gone }: Client): boolean => hosted !== undefined && gone

function serve(
  gateway: InferencePorts,
  call: Call,
  admitted: LeasedCall,
  tools: LearntTools | undefined,
): Promise<Served> {
  const { stream, hosted } = call.wire
  // The decision before admission refused the request, so that its tools were not read; the account's terms changed since.
  if (hosted && !tools) throw new StoreUnavailable(`terms of ${call.caller.account} changed during an admission`)
  if (!tools || !hosted)
    return stream ? serveStream(gateway, call, admitted, stream) : serveWhole(gateway, call, admitted)
  const rounds = new Rounds(gateway, call, admitted, { hosted, definitions: tools.definitions })
  return stream ? serveToolStream(gateway, rounds, stream) : serveToolAnswer(gateway, rounds)
}

async function serveWhole(gateway: InferencePorts, call: Call, admitted: LeasedCall): Promise<Served> {
  const mirroring = mirroringOf(gateway, call, admitted)
  const outbound = new BufferedInference(gateway, call, admitted, mirroring?.original)
  const attempted = await forward(gateway, call, admitted, outbound)
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures } = attempted
  mirroring?.servedWhole(pool, answer)
  const bill = await new Ending(gateway, admitted, attempted).end('well', answer)
  const { bytes, isNative, skippedEvents } = answer
  const passed = { ...(isNative && { isNative }), ...(skippedEvents !== undefined && { skippedEvents }) }
  return { kind: 'whole', admitted, pool, failures, bytes, bill, ...passed }
}

async function serveStream(
  gateway: InferencePorts,
  call: Call,
  admitted: LeasedCall,
  wanted: StreamWanted,
): Promise<Served> {
  const mirroring = mirroringOf(gateway, call, admitted)
  const outbound = new StreamedInference(gateway, call, admitted, wanted, mirroring?.original)
  const attempted = await forward(gateway, call, admitted, outbound)
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  mirroring?.served(attempted.pool)
  return streamed(gateway, admitted, attempted)
}

/** A function of its own, so that its closure does not keep the request alive while the stream runs. */
function streamed(gateway: InferencePorts, admitted: LeasedCall, answered: Answered<AnswerStream>): Served {
  const { answer, pool, failures } = answered
  admitted.lease.speaking(() => settlementOf(admitted, pool, answer.work()))
  return { kind: 'stream', admitted, pool, failures, stream: answer, ending: new Ending(gateway, admitted, answered) }
}
