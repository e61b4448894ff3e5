import type { Registry } from 'prom-client'
import type { LedgerRow, Wrote } from '../../gateway/store/ledger-store.ts'
import { ByLabels } from './by-labels.ts'
import { type Sum, Sums } from './sums.ts'

const NANO = 1e9

/**
 * The rows of the ledger as this process wrote them, also of requests that another gateway left behind: over all
 * gateways each is counted once. A late row may take back a part of what an orphan was charged; since a counter never
 * falls, what is taken back has counters of its own.
 */
export class LedgerMetrics {
  readonly #rows: Sums
  readonly #requests: Sums
  readonly #tokens: Sums
  readonly #spend: Sums
  readonly #tokensBack: Sums
  readonly #spendBack: Sums
  readonly #tools: Sums
  readonly #wasted: Sums
  readonly #wastedTokens: Sums
  readonly #wastedUsd: Sums
  /** By model and plan: what most rows add to. */
  readonly #settled: ByLabels<Settled>

  constructor(registry: Registry) {
    const sums = (name: string, help: string, labels: readonly string[], per = 1) =>
      new Sums(registry, { name, help, labels, per })
    const who = ['model', 'plan']
    this.#rows = sums('svc_ledger_rows_total', 'Rows written to the ledger.', [...who, 'kind'])
    this.#requests = sums('svc_charged_requests_total', 'Requests that were charged.', who)
    this.#tokens = sums('svc_tokens_total', 'Tokens charged.', [...who, 'type'])
    this.#spend = sums('svc_spend_usd_total', 'US dollars charged.', who, NANO)
    this.#tokensBack = sums('svc_tokens_returned_total', 'Tokens of svc_tokens_total taken back.', [...who, 'type'])
    this.#spendBack = sums('svc_spend_returned_usd_total', 'US dollars of svc_spend_usd_total taken back.', who, NANO)
    this.#tools = sums('svc_tool_calls_total', 'Calls of hosted tools that were answered.', ['tool'])
    this.#wasted = sums('svc_wasted_attempts_total', 'Failed attempts that cost the operator.', ['pool'])
    this.#wastedTokens = sums('svc_wasted_tokens_total', 'Tokens of failed attempts.', ['pool', 'type'])
    this.#wastedUsd = sums('svc_wasted_usd_total', 'US dollars that failed attempts cost the operator.', ['pool'], NANO)
    this.#settled = new ByLabels(who, ({ model = '', plan = '' }) => ({
      rows: this.#rows.of(model, plan, 'settle'),
      requests: this.#requests.of(model, plan),
      input: this.#tokens.of(model, plan, 'input'),
      output: this.#tokens.of(model, plan, 'output'),
      spend: this.#spend.of(model, plan),
    }))
  }

  readonly wrote: Wrote = (row, requests) => {
    if (row.kind === 'waste') this.#waste(row)
    else if (row.kind === 'settle' && requests > 0) this.#settle(row)
    else this.#other(row, requests)
  }

  #settle({ model, plan, inputTokens, outputTokens, cost, tools }: LedgerRow): void {
    const settled = this.#settled.of([model, plan])
    settled.rows.sum += 1
    settled.requests.sum += 1
    settled.input.sum += inputTokens
    settled.output.sum += outputTokens
    settled.spend.sum += cost
    if (tools) this.#addTools(tools)
  }

  #other(row: LedgerRow, requests: 0 | 1): void {
    const { model, plan, kind } = row
    this.#rows.add(1, model, plan, kind)
    if (requests > 0) this.#requests.add(requests, model, plan)
    this.#change(this.#tokens, this.#tokensBack, row.inputTokens, model, plan, 'input')
    this.#change(this.#tokens, this.#tokensBack, row.outputTokens, model, plan, 'output')
    this.#change(this.#spend, this.#spendBack, row.cost, model, plan)
    // A late row tells again what its orphan told.
    if (row.tools && (kind !== 'late' || requests > 0)) this.#addTools(row.tools)
  }

  #addTools(tools: Readonly<Record<string, number>>): void {
    for (const [tool, calls] of Object.entries(tools)) this.#tools.add(calls, tool)
  }

  #waste({ model, plan, pool, inputTokens, outputTokens, cost }: LedgerRow): void {
    this.#rows.add(1, model, plan, 'waste')
    this.#wasted.add(1, pool)
    this.#wastedTokens.add(inputTokens, pool, 'input')
    this.#wastedTokens.add(outputTokens, pool, 'output')
    this.#wastedUsd.add(cost, pool)
  }

  #change(up: Sums, back: Sums, amount: number, ...values: readonly string[]): void {
    if (amount < 0) back.add(-amount, ...values)
    else up.add(amount, ...values)
  }
}

interface Settled {
  readonly rows: Sum
  readonly requests: Sum
  readonly input: Sum
  readonly output: Sum
  readonly spend: Sum
}
