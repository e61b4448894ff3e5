import type { Pool } from '../policy/config.ts'
import type { Building } from '../policy/decision.ts'
import { costOf } from '../policy/price.ts'
import { toolsCost } from '../policy/tools.ts'
import type { Usage } from '../wire/usage.ts'
import type { AdmittedCall, Spent } from './admit.ts'
import type { Bill, Settlement } from './store.ts'

/** What is known of an answer when it is over. */
export interface Delivered {
  readonly pool: Pool
  /** As the backend reported it. */
  readonly usage?: Usage
  /** Bytes of what the model said; unknown when a whole answer never came. */
  readonly spoken?: number
  /** Images that came; all that were asked for when unknown. */
  readonly items?: number
}

/** No tokenizer in use makes more than a token of three bytes on average. */
const BYTES_PER_TOKEN = 3

/** The settlement of a request: at the backend's usage, else at an estimate that never passes the hold. */
export function settlementOf(admitted: AdmittedCall, delivered: Delivered): Settlement {
  const { caller, request, decision, hold, revision } = admitted
  const { inputTokens, outputTokens, estimated, calls } = spentWith(admitted, delivered)
  const { price, items } = decision.claims.spend
  const pieces = decision.tools ? toolsCost(decision.tools, calls) : (delivered.items ?? items)
  const cost = costOf(price, inputTokens, outputTokens, pieces)
  const bill: Building<Bill> = {
    requestId: hold.requestId,
    account: caller.account,
    plan: decision.plan.name,
    asked: request.model ?? '',
    model: decision.model.name,
    pool: delivered.pool.name,
    inputTokens,
    outputTokens,
    cost,
    estimated,
    admittedAt: hold.at,
    revision,
  }
  if (decision.route) bill.rule = decision.route.name
  if (Object.keys(calls).length > 0) bill.tools = calls
  // What an image model calls output tokens is paid by the image, and no part of the minute.
  return { hold, tokens: inputTokens + (request.kind === 'image' ? 0 : outputTokens), bill }
}

/** What a request weighed with what was delivered in its present round. */
export function spentWith(admitted: AdmittedCall, { usage, spoken }: Omit<Delivered, 'pool'>): Spent {
  const { inputTokens, outputTokens, estimated, calls } = admitted.spent ?? NOTHING_SPENT
  const present = usage ?? estimateOf(admitted, spoken)
  return {
    inputTokens: inputTokens + present.inputTokens,
    outputTokens: outputTokens + present.outputTokens,
    estimated: estimated || usage === undefined,
    calls,
  }
}

const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, estimated: false, calls: {} }

/** Tokens of an answer whose backend did not tell: never more than are held. */
export function estimateOf({ decision, hold }: AdmittedCall, spoken: number | undefined): Usage {
  const inputTokens = decision.claims.tokens.input
  const held = hold.tokens - inputTokens
  return {
    inputTokens,
    outputTokens: spoken === undefined ? held : Math.min(held, Math.ceil(spoken / BYTES_PER_TOKEN)),
  }
}
