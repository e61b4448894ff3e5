import { addAllotment, type ChargedItems, type Charges, chargesOf } from '../../policy/billing/charges.ts'
import type { Pool } from '../../policy/config.ts'
import type { Mutable, Pieces } from '../../policy/decision.ts'
import { cacheTimeAt } from '../../policy/dialect.ts'
import type { ChatAsk } from '../../policy/facts.ts'
import { subtractNanoUsd } from '../../policy/nano-usd.ts'
import { watchesOf } from '../../policy/notices.ts'
import { TYPICAL } from '../../policy/pace.ts'
import { costOfTokens, paidPrice, savedByCache } from '../../policy/price.ts'
import { costsOfTools, toolsCost } from '../../policy/tools.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { LeastUsage, Usage } from '../../wire/usage/usage.ts'
import type { AnswerEnd, Work } from '../attempt/outcome.ts'
import { chargeOf, type HoldStore, type Settlement } from '../store/hold-store.ts'
import type { AdmittedCall, Spent } from './admit.ts'
import { emptyBill } from './bill.ts'
import type { LeasedCall } from './leases.ts'
import { type OverrunPorts, overrunOf, recordOverrun } from './overrun.ts'

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
    { store, alarm, settings }: SettlePorts,
    admitted: LeasedCall,
    { pool, attempt }: { readonly pool: Pool; readonly attempt: OpenAttempt },
  ) {
    this.#ports = { store, alarm, settings }
    this.#admitted = admitted
    this.#pool = pool
    this.#attempt = attempt
  }

  /** The answer has ended. Resolves once it is settled, durably. */
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

interface SettlePorts extends OverrunPorts {
  readonly store: OverrunPorts['store'] & { readonly holds: Pick<HoldStore, 'settle'> }
}

/** Settles what a request cost for the work of a pool. Resolves once that is durable. */
export async function settle(ports: SettlePorts, admitted: LeasedCall, pool: Pool, work: Work): Promise<Bill> {
  const { store, alarm } = ports
  recordOverrun(ports, admitted, pool, work)
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
  const { caller, request, decision, hold } = admitted
  const spent = spentWith(admitted, work)
  const { inputTokens, outputTokens, estimated, calls } = spent
  const { price, items } = decision.claims.spend
  const pieces = decision.tools ? toolsCost(decision.tools, calls) : (work.items ?? items)
  const paid = paidPrice(decision.model, price, cacheTimeAt(pool, request))
  const cost = costOfTokens(paid, spent, pieces)
  const bill = emptyBill(admitted, pool)
  bill.inputTokens = inputTokens
  bill.outputTokens = outputTokens
  bill.cost = cost
  bill.estimated = estimated
  bill.charges = withAllotment(chargesOf(paid, spent, itemsOf(admitted, pieces)), admitted)
  if (spent.cachedTokens) bill.cachedTokens = spent.cachedTokens
  const saved = savedByCache(paid, spent)
  if (saved > 0) bill.saved = saved
  if (spent.cacheWriteTokens) bill.cacheWriteTokens = spent.cacheWriteTokens
  if (decision.route) bill.rule = decision.route.name
  if (Object.keys(calls).length > 0) {
    bill.tools = calls
    bill.toolCosts = costsOfTools(decision.tools ?? [], calls)
  }
  if (caller.key) bill.key = caller.key.id
  // An image model's output is paid by the image; its tokens do not count in the minute.
  const settlement: Mutable<Settlement> = {
    hold,
    tokens: inputTokens + (request.kind === 'image' ? 0 : outputTokens),
    bill,
  }
  const made = piecesOf(admitted, work)
  if (made) settlement.pieces = made
  const watches = decision.notices && watchesOf({ notices: decision.notices, claims: decision.claims, hold })
  if (watches) settlement.watches = watches
  return settlement
}

/** Pieces that are paid for, other than calls of hosted tools, which the bill has apart. */
function itemsOf({ decision }: AdmittedCall, count: number): ChargedItems | undefined {
  if (decision.tools || count === 0) return undefined
  return { kind: decision.model.kind === 'image' ? 'image' : 'metered', count }
}

function withAllotment(charges: Record<string, number>, { decision }: AdmittedCall): Charges {
  const { plan, claims } = decision
  return addAllotment(charges, plan.monthlyNanoUsd, subtractNanoUsd(claims.spend.allotment, plan.monthlyNanoUsd))
}

/** The images that were made, or the seconds that a backend worked. */
function piecesOf({ decision }: AdmittedCall, { items, seconds }: Work): Pieces | undefined {
  const { pieces, spend } = decision.claims
  if (pieces?.images !== undefined) return { images: items ?? spend.items }
  return pieces?.seconds === undefined ? undefined : { seconds: seconds ?? pieces.seconds }
}

/** A request's weight with the work of its present round. */
export function spentWith(admitted: AdmittedCall, work: Work): Spent {
  const { usage } = work
  const before = admitted.spent ?? NOTHING_SPENT
  const present = usageOf(admitted, work)
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

/** A client's charge for the work of one round: as its backend reported it, as far as it was granted, or else an estimate. */
export function usageOf(admitted: AdmittedCall, work: Work): Usage {
  const { usage, least } = work
  if (!usage) return least ? leastOf(admitted, least) : estimateOf(admitted, work)
  const beyond = overrunOf(admitted, work)
  return beyond === 0 ? usage : { ...usage, outputTokens: usage.outputTokens - beyond }
}

const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, estimated: false, calls: {} }

/** Bytes per token of a whole answer without usage: most texts have more, so that its backend is paid for all tokens. */
const BYTES_PER_TOKEN = 3

/** Tokens of an answer whose backend did not report them, at the most, and never more than are held. */
export function estimateOf({ request, decision, hold }: AdmittedCall, { outputBytes, tokens = 0 }: Work): Usage {
  const { input } = decision.claims
  const held = hold.tokens - input
  // A prompt with a file holds the whole context: of that, all but the file is known.
  const isUnbounded = request.kind === 'chat' && request.native?.isUnbounded === true
  const inputTokens = isUnbounded ? Math.min(input, bytesOf(request)) : input
  const said = outputBytes === undefined ? held : Math.max(tokens, Math.ceil(outputBytes / BYTES_PER_TOKEN))
  return { inputTokens, outputTokens: Math.min(held, said) }
}

/** Tokens of an answer that was cut and whose usage nobody told: what was seen of it, and never more than is held. */
function leastOf(admitted: AdmittedCall, least: LeastUsage): Usage {
  const { decision, hold } = admitted
  const { input } = decision.claims
  const { hiddenTokens = 0, bytesPerToken = TYPICAL.bytesPerToken, promptBytes, ...counted } = least
  const outputTokens = Math.min(hold.tokens - input, least.outputTokens + hiddenTokens)
  if (counted.inputTokens !== undefined) return { ...counted, inputTokens: counted.inputTokens, outputTokens }
  return { inputTokens: Math.min(input, promptTokensOf(admitted, bytesPerToken, promptBytes)), outputTokens }
}

/** Tokens of a prompt by its bytes. */
function promptTokensOf({ request, decision }: AdmittedCall, bytesPerToken: number, promptBytes?: number): number {
  if (promptBytes !== undefined) return Math.ceil(promptBytes / bytesPerToken)
  const { input } = decision.claims
  // An id of a token is a token.
  if (request.kind === 'embedding' && request.tokenIds) return request.textBytes
  if (request.kind !== 'chat' || decision.model.kind !== 'chat') return Math.ceil(request.textBytes / bytesPerToken)
  const images = request.images * decision.model.imageTokens
  const known = bytesOf(request)
  // The text of later rounds is in their claims alone, which a file fills to the context.
  const bytes = request.native?.isUnbounded ? known : Math.max(known, input - images)
  return images + Math.ceil(bytes / bytesPerToken)
}

/** Bytes of what a chat has a model read, in whatever dialect it is sent. */
const bytesOf = ({ textBytes, native }: ChatAsk): number => Math.max(textBytes, native?.bytes ?? 0)
