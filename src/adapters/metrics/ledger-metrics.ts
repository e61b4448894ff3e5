import type { Registry } from 'prom-client'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { type LedgerRow, shownKind } from '../../records/ledger-row.ts'
import { CounterSeries, type CounterSum, SeriesByLabels } from './series.ts'

/**
 * Counters of the ledger rows that this process wrote, also for requests that another gateway left behind: over all
 * gateways each row is counted once. A late row may take back a part of an orphan's charge; since a counter never
 * falls, returned amounts have counters of their own.
 */
export class LedgerMetrics {
  readonly #rows: CounterSeries
  readonly #requests: CounterSeries
  readonly #tokens: CounterSeries
  readonly #cached: CounterSeries
  readonly #spend: CounterSeries
  readonly #tokensBack: CounterSeries
  readonly #spendBack: CounterSeries
  readonly #tools: CounterSeries
  readonly #wasted: CounterSeries
  readonly #wastedTokens: CounterSeries
  readonly #wastedUsd: CounterSeries
  readonly #mirroredTokens: CounterSeries
  readonly #mirroredUsd: CounterSeries
  /** The counters that most rows add to, by model and plan. */
  readonly #settled: SeriesByLabels<Settled>

  constructor(registry: Registry) {
    const sums = (name: string, help: string, labels: readonly string[], per = 1) =>
      new CounterSeries(registry, { name, help, labels, per })
    const who = ['model', 'plan']
    this.#rows = sums('svc_ledger_rows_total', 'Rows written to the ledger.', [...who, 'kind'])
    this.#requests = sums('svc_charged_requests_total', 'Requests that were charged.', who)
    this.#tokens = sums('svc_tokens_total', 'Tokens charged.', [...who, 'type'])
    this.#cached = sums('svc_cached_tokens_total', 'Input tokens read from a cache, or written into one.', [
      ...who,
      'type',
    ])
    this.#spend = sums('svc_spend_usd_total', 'US dollars charged.', who, NANO)
    this.#tokensBack = sums('svc_tokens_returned_total', 'Tokens of svc_tokens_total taken back.', [...who, 'type'])
    this.#spendBack = sums('svc_spend_returned_usd_total', 'US dollars of svc_spend_usd_total taken back.', who, NANO)
    this.#tools = sums('svc_tool_calls_total', 'Hosted tool calls that were answered.', ['tool'])
    this.#wasted = sums('svc_wasted_attempts_total', 'Failed attempts with a cost to the operator.', ['pool'])
    this.#wastedTokens = sums('svc_wasted_tokens_total', 'Tokens of failed attempts.', ['pool', 'type'])
    this.#wastedUsd = sums(
      'svc_wasted_usd_total',
      'Cost of failed attempts to the operator, in US dollars.',
      ['pool'],
      NANO,
    )
    this.#mirroredTokens = sums('svc_mirror_tokens_total', 'Tokens of copies of requests.', ['model', 'pool', 'type'])
    this.#mirroredUsd = sums(
      'svc_mirror_usd_total',
      'Cost of copies of requests to the operator, in US dollars.',
      ['model', 'pool'],
      NANO,
    )
    this.#settled = new SeriesByLabels(who, ({ model = '', plan = '' }) => ({
      rows: this.#rows.of(model, plan, 'settle'),
      requests: this.#requests.of(model, plan),
      input: this.#tokens.of(model, plan, 'input'),
      output: this.#tokens.of(model, plan, 'output'),
      spend: this.#spend.of(model, plan),
    }))
  }

  readonly wrote: Wrote = (row, requests) => {
    if (shownKind(row) === 'mirror') this.#mirror(row)
    else if (row.kind === 'waste') this.#waste(row)
    else if (row.kind === 'settle' && requests > 0) this.#settle(row)
    else this.#other(row, requests)
  }

  #settle(row: LedgerRow): void {
    const { model, plan, inputTokens, outputTokens, cost, tools } = row
    const settled = this.#settled.of([model, plan])
    settled.rows.sum += 1
    settled.requests.sum += 1
    settled.input.sum += inputTokens
    settled.output.sum += outputTokens
    settled.spend.sum += cost
    if (tools) this.#addTools(tools)
    this.#addCached(row)
  }

  #other(row: LedgerRow, requests: 0 | 1): void {
    const { model, plan, kind } = row
    this.#rows.add(1, model, plan, kind)
    if (requests > 0) this.#requests.add(requests, model, plan)
    this.#change(this.#tokens, this.#tokensBack, row.inputTokens, model, plan, 'input')
    this.#change(this.#tokens, this.#tokensBack, row.outputTokens, model, plan, 'output')
    this.#change(this.#spend, this.#spendBack, row.cost, model, plan)
    // The values that a late row repeats were counted with its orphan.
    if (kind === 'late' && requests === 0) return
    if (row.tools) this.#addTools(row.tools)
    this.#addCached(row)
  }

  #addCached({ model, plan, cachedTokens, cacheWriteTokens }: LedgerRow): void {
    if (cachedTokens !== undefined) this.#cached.add(cachedTokens, model, plan, 'read')
    if (cacheWriteTokens !== undefined) this.#cached.add(cacheWriteTokens, model, plan, 'written')
  }

  #addTools(tools: Readonly<Record<string, number>>): void {
    for (const [tool, calls] of Object.entries(tools)) this.#tools.add(calls, tool)
  }

  #mirror({ model, plan, pool, inputTokens, outputTokens, cost }: LedgerRow): void {
    this.#rows.add(1, model, plan, 'mirror')
    this.#mirroredTokens.add(inputTokens, model, pool, 'input')
    this.#mirroredTokens.add(outputTokens, model, pool, 'output')
    this.#mirroredUsd.add(cost, model, pool)
  }

  #waste({ model, plan, pool, inputTokens, outputTokens, cost }: LedgerRow): void {
    this.#rows.add(1, model, plan, 'waste')
    this.#wasted.add(1, pool)
    this.#wastedTokens.add(inputTokens, pool, 'input')
    this.#wastedTokens.add(outputTokens, pool, 'output')
    this.#wastedUsd.add(cost, pool)
  }

  #change(up: CounterSeries, back: CounterSeries, amount: number, ...values: readonly string[]): void {
    if (amount < 0) back.add(-amount, ...values)
    else up.add(amount, ...values)
  }
}

interface Settled {
  readonly rows: CounterSum
  readonly requests: CounterSum
  readonly input: CounterSum
  readonly output: CounterSum
  readonly spend: CounterSum
}

/** Nano-USD in one US dollar. */
const NANO = 1e9
