import type { EpochMs } from '../../policy/config.ts'
import type { Labels } from '../../policy/label-values.ts'
import { ruleName } from '../../policy/limits/rule.ts'
import { addNanoUsd, type NanoUsd } from '../../policy/nano-usd.ts'
import type { RequestEnd } from '../admin/event.ts'
import { usdText } from '../money.ts'
import type { Outcome, OwnRequest } from '../own-request.ts'

/** GET /v1/requests: what became of the newest requests of an account. Prompts and answers are kept nowhere. */
export interface OwnRequests {
  readonly object: 'list'
  readonly data: readonly OwnRequest[]
  /** Where older ones are: `before`. Null where there are none. */
  readonly next: string | null
  /** False where older rows of the ledger were not looked at. */
  readonly complete: boolean
  /** Refusals are known since then, and of this gateway alone. */
  readonly refusals_since: string
}

/** Failed is what neither the client nor its limits caused, and an answer that did not end well. */
export function outcomeOf({ status, interrupted }: Pick<RequestEnd, 'status' | 'interrupted'>): Outcome {
  if (status >= 499 || interrupted !== undefined) return 'failed'
  return status >= 400 ? 'refused' : 'ok'
}

export const rememberedRequest = (end: RequestEnd): OwnRequest => ({
  id: end.requestId,
  at: iso(end.at),
  path: end.path,
  status: end.status,
  outcome: outcomeOf(end),
  ms: end.ms,
  key: end.key ?? null,
  asked: end.asked || null,
  model: end.model ?? null,
  route: end.rule ?? null,
  upstream: end.pool ?? null,
  input_tokens: end.inputTokens ?? null,
  output_tokens: end.outputTokens ?? null,
  usd: end.cost === undefined ? null : usdText(end.cost),
  estimated: end.estimated ?? null,
  tools: end.tools ?? null,
  ...namesOf(end),
  code: end.code ?? null,
  type: end.type ?? null,
  limit: end.limit ? ruleName(end.limit) : null,
  message: end.message ?? null,
  from: 'memory',
})

/** One row of a ledger. */
interface Row {
  readonly requestId: string
  readonly key?: string
  readonly asked: string
  readonly model: string
  readonly rule?: string
  readonly pool: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
  readonly estimated: boolean
  readonly tools?: Readonly<Record<string, number>>
  readonly labels?: Labels
  readonly session?: string
  readonly admittedAt: EpochMs
  readonly settledAt: EpochMs
}

const namesOf = ({
  labels,
  session,
}: Pick<RequestEnd, 'labels' | 'session'>): Pick<OwnRequest, 'labels' | 'session'> => ({
  ...(labels && { labels }),
  ...(session !== undefined && { session }),
})

/** Joins all rows of one request: late rows add to the first charge. */
export function settledRequest(row: Row, more: readonly Row[]): OwnRequest {
  const all = [row, ...more]
  const sum = (count: (row: Row) => number) => all.reduce((total, each) => total + count(each), 0)
  return {
    id: row.requestId,
    at: iso(row.admittedAt),
    path: null,
    status: null,
    outcome: 'ok',
    ms: Math.max(...all.map(({ settledAt }) => settledAt)) - row.admittedAt,
    key: row.key ?? null,
    asked: row.asked || null,
    model: row.model,
    route: row.rule ?? null,
    upstream: row.pool,
    input_tokens: sum(({ inputTokens }) => inputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    usd: usdText(more.reduce((total, { cost }) => addNanoUsd(total, cost), row.cost)),
    estimated: row.estimated,
    tools: row.tools ?? null,
    ...namesOf(row),
    code: null,
    type: null,
    limit: null,
    message: null,
    from: 'ledger',
  }
}

const iso = (at: EpochMs): string => new Date(at).toISOString()
