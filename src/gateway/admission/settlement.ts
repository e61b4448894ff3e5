import type { Pool } from '../../policy/config.ts'
import type { Mutable, Pieces } from '../../policy/decision.ts'
import { cacheTimeOf, type InferenceRequest } from '../../policy/facts.ts'
import { cheapestInput, costOfTokens, paidPrice } from '../../policy/price.ts'
import { costsOfTools, toolsCost } from '../../policy/tools.ts'
import type { LeastUsage, Usage } from '../../wire/openai/usage.ts'
import type { Alarm } from '../ports.ts'
import { type Bill, chargeOf, type HoldStore, type Settlement } from '../store/hold-store.ts'
import type { AnswerEnd, Work } from '../upstream/outcome.ts'
import type { AdmittedCall, Spent } from './admit.ts'
import type { LeasedCall } from './leases.ts'

/**
 * The end of an answer that goes to a client. It ends the attempt, settles what the request cost, and gives up the lease,
 * each of them once: a second end changes nothing, and has the same bill.
 */
export class Ending {
  readonly #ports: SettlePorts
  readonly #admitted: LeasedCall
  readonly #pool: Pool
  readonly #attempt: OpenAttempt
  #bill: Promise<Bill> | undefined

  constructor(
    { store, alarm }: SettlePorts,
    admitted: LeasedCall,
    { pool, attempt }: { readonly pool: Pool; readonly attempt: OpenAttempt },
  ) {
    this.#ports = { store, alarm }
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
    this.#bill ??= settle(this.#ports, this.#admitted, this.#pool, work).finally(() => this.#admitted.lease.end())
    return this.#bill
  }
}

/** The attempt that was answered, which ends with its answer. */
interface OpenAttempt {
  end(how: AnswerEnd, work: Work): void
}

interface SettlePorts {
  readonly store: { readonly holds: Pick<HoldStore, 'settle'> }
  readonly alarm: Alarm
}

/** Settles what a request cost for the work of a pool. Resolves once that is durable. */
export async function settle(
  { store, alarm }: SettlePorts,
  admitted: LeasedCall,
  pool: Pool,
  work: Work,
): Promise<Bill> {
  const joined = admitted.lease.joined(admitted)
  const made = settlementOf(admitted, pool, work)
  const settlement = joined ? { ...made, joined } : made
  const { bill } = settlement
  if (chargeOf(settlement).tokens > admitted.hold.tokens + admitted.hold.spent.tokens) {
    // The bound should hold; the truth is recorded all the same.
    alarm('a backend counted more tokens than were reserved', { requestId: bill.requestId, pool: bill.pool })
  }
  await store.holds.settle(settlement)
  return bill
}

/**
 * The settlement of a request for the work of a pool: at the backend's usage, else at an estimate that never passes the
 * hold: from below where the answer was cut.
 */
export function settlementOf(admitted: AdmittedCall, pool: Pool, work: Work): Settlement {
  const { caller, request, decision, hold, revision } = admitted
  const spent = spentWith(admitted, work)
  const { inputTokens, outputTokens, estimated, calls } = spent
  const { price, items } = decision.claims.spend
  const pieces = decision.tools ? toolsCost(decision.tools, calls) : (work.items ?? items)
  const cost = costOfTokens(paidPrice(decision.model, price, cacheTimeOf(request)), spent, pieces)
  const bill: Mutable<Bill> = {
    requestId: hold.requestId,
    account: caller.account,
    plan: decision.plan.name,
    asked: request.model ?? '',
    model: decision.model.name,
    pool: pool.name,
    inputTokens,
    outputTokens,
    cost,
    estimated,
    admittedAt: hold.at,
    revision,
  }
  if (spent.cachedTokens) bill.cachedTokens = spent.cachedTokens
  if (spent.cacheWriteTokens) bill.cacheWriteTokens = spent.cacheWriteTokens
  if (decision.route) bill.rule = decision.route.name
  if (Object.keys(calls).length > 0) {
    bill.tools = calls
    bill.toolCosts = costsOfTools(decision.tools ?? [], calls)
  }
  if (caller.key) bill.key = caller.key.id
  // What an image model calls output tokens is paid by the image, and no part of the minute.
  const settlement: Mutable<Settlement> = {
    hold,
    tokens: inputTokens + (request.kind === 'image' ? 0 : outputTokens),
    bill,
  }
  const made = piecesOf(admitted, work)
  if (made) settlement.pieces = made
  return settlement
}

/** The images that were made, or the seconds that a backend worked. */
function piecesOf({ decision }: AdmittedCall, { items, seconds }: Work): Pieces | undefined {
  const { pieces, spend } = decision.claims
  if (pieces?.images !== undefined) return { images: items ?? spend.items }
  return pieces?.seconds === undefined ? undefined : { seconds: seconds ?? pieces.seconds }
}

/** What a request weighed with the work of its present round. */
export function spentWith(admitted: AdmittedCall, work: Work): Spent {
  const { usage, least } = work
  const before = admitted.spent ?? NOTHING_SPENT
  const present = usage ?? (least ? leastOf(admitted, least) : estimateOf(admitted, work))
  const spent: Mutable<Spent> = {
    inputTokens: before.inputTokens + present.inputTokens,
    outputTokens: before.outputTokens + present.outputTokens,
    estimated: before.estimated || usage === undefined,
    calls: before.calls,
  }
  const cached = (before.cachedTokens ?? 0) + (present.cachedTokens ?? 0)
  const written = (before.cacheWriteTokens ?? 0) + (present.cacheWriteTokens ?? 0)
  if (cached > 0) spent.cachedTokens = cached
  if (written > 0) spent.cacheWriteTokens = written
  const kept = (before.cacheWrite1hTokens ?? 0) + (present.cacheWrite1hTokens ?? 0)
  if (kept > 0) spent.cacheWrite1hTokens = kept
  return spent
}

const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, estimated: false, calls: {} }

/** Of a whole answer without usage: most texts have more bytes for each token, so that its backend is paid for all of them. */
const BYTES_PER_TOKEN = 3

/** Tokens of an answer whose backend did not report them, at the most, and never more than are held. */
export function estimateOf({ request, decision, hold }: AdmittedCall, { outputBytes, tokens = 0 }: Work): Usage {
  const { input } = decision.claims
  const held = hold.tokens - input
  const inputTokens = Math.min(input, knownBytes(request) ?? input)
  const said = outputBytes === undefined ? held : Math.max(tokens, Math.ceil(outputBytes / BYTES_PER_TOKEN))
  return { inputTokens, outputTokens: Math.min(held, said) }
}

/** Of a prompt whose answer was cut: few texts have more bytes for each token, so that a part never costs more than all. */
const PROMPT_BYTES_PER_TOKEN = 8

/** What is known of a prompt with a file, which holds the whole context: all but the file. */
const knownBytes = (request: InferenceRequest): number | undefined =>
  request.kind === 'chat' && request.native?.isUnbounded ? Math.max(request.textBytes, request.native.bytes) : undefined

/** Tokens of an answer that was cut, at the least: no more than all of it would have had. */
function leastOf({ request, decision, hold }: AdmittedCall, least: LeastUsage): Usage {
  const { input, spend } = decision.claims
  const outputTokens = Math.min(hold.tokens - input, least.outputTokens)
  if (least.inputTokens !== undefined) return { ...least, inputTokens: least.inputTokens, outputTokens }
  const images =
    request.kind === 'chat' && decision.model.kind === 'chat' ? request.images * decision.model.imageTokens : 0
  const { promptBytes = knownBytes(request) ?? Math.max(0, input - images) } = least
  const prompt = images + Math.ceil(promptBytes / PROMPT_BYTES_PER_TOKEN)
  const inputTokens = Math.min(input, prompt)
  // All of the answer may have found the prompt in a cache.
  return { inputTokens, outputTokens, ...cheapestInput(paidPrice(decision.model, spend.price), inputTokens) }
}
