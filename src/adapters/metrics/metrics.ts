import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import type { AttemptCounter, AttemptResult, PromptTokens, QueueEnd } from '../../gateway/ports.ts'
import { DURATIONS, FIRST_TOKENS } from '../../gateway/series/buckets.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Why } from '../../policy/balance/cost.ts'
import type { Millis } from '../../policy/config.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import { writtenWindow } from '../../policy/limits/zoned-window.ts'
import { rateTypes } from '../../wire/errors/codes.ts'
import { LedgerMetrics } from './ledger-metrics.ts'
import { CounterSeries, HistogramSeries } from './series.ts'
import { NO_POOL } from './series-counts.ts'
import { type GatewayState, gatewayMetrics, type ProcessState, stateMetrics } from './state-metrics.ts'

/** The facts that are counted of a request that ended. Names come from the configuration, never from a client. */
export interface CountedRequest {
  readonly status: number
  readonly ms: Millis
  /** The name that the client of an inference request asked for, which is counted nowhere. */
  readonly asked?: string | undefined
  readonly plan?: string | undefined
  readonly pool?: string | undefined
  readonly rule?: string | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
  /** The limit that refused it. */
  readonly limit?: LimitRule | undefined
  readonly limitShare?: number | undefined
  readonly firstMs?: Millis | undefined
  readonly overheadMs?: Millis | undefined
  /** Why the answer did not end well. */
  readonly interrupted?: string | undefined
}

/**
 * The metrics of this process since its start. Label values come from the configuration and the code, which bounds the
 * number of series: none is a key, an account, or a name that a client made up.
 */
export class Metrics implements AttemptCounter {
  readonly #registry = new Registry()
  readonly #ledger = new LedgerMetrics(this.#registry)
  readonly #requests: CounterSeries
  readonly #denied: CounterSeries
  readonly #limits: CounterSeries
  readonly #routes: CounterSeries
  readonly #interrupted: CounterSeries
  readonly #attempts: CounterSeries
  readonly #skipped: CounterSeries
  readonly #picks: CounterSeries
  readonly #queueEnds: CounterSeries
  readonly #copies: CounterSeries
  readonly #queueWaits: HistogramSeries
  readonly #prompts: CounterSeries
  readonly #expected: CounterSeries
  readonly #alarms: CounterSeries
  readonly #reads: CounterSeries
  readonly #strangers: CounterSeries
  readonly #durations: HistogramSeries
  readonly #firstTokens: HistogramSeries
  readonly #overheads: HistogramSeries
  readonly #limitShares: HistogramSeries

  constructor() {
    const counter = (name: string, help: string, labels: readonly string[]) =>
      new CounterSeries(this.#registry, { name, help, labels })
    this.#requests = counter('svc_requests_total', 'Finished client requests.', ['model', 'plan', 'code'])
    this.#denied = counter('svc_denied_total', 'Client requests that were denied.', ['reason'])
    const which = ['measure', 'per', 'of']
    this.#limits = counter('svc_limit_refusals_total', 'Client requests refused by a limit.', which)
    this.#routes = counter('svc_smart_routes_total', 'Requests served by the model that a route chose.', ['route'])
    this.#interrupted = counter('svc_interrupted_total', 'Answers that started and then broke off.', ['model'])
    const where = ['pool', 'replica', 'outcome']
    this.#attempts = counter('svc_upstream_attempts_total', 'Finished attempts at backends.', where)
    this.#reads = counter('svc_reads_total', 'Finished client requests without a model.', ['route', 'outcome'])
    const strangers = 'Client requests without a valid key, or for an unknown endpoint.'
    this.#strangers = counter('svc_strangers_total', strangers, ['request', 'outcome'])
    const skipped = 'Unreadable events from backends, which were skipped.'
    this.#skipped = counter('svc_skipped_events_total', skipped, ['pool', 'replica'])
    this.#picks = counter('svc_pool_picks_total', 'Replicas that were chosen for chats, by what decided.', [
      'pool',
      'why',
    ])
    const copies = 'Copies of requests that ended at a mirror, or were left out, by how or why.'
    this.#copies = counter('svc_mirror_copies_total', copies, ['model', 'pool', 'outcome'])
    const ends = 'Requests that left the queue of a pool, or found no place in it.'
    this.#queueEnds = counter('svc_pool_queue_left_total', ends, ['pool', 'why'])
    this.#queueWaits = new HistogramSeries(this.#registry, {
      name: 'svc_pool_queue_wait_seconds',
      help: 'Time that requests waited in the queue of a pool until they got a slot.',
      labels: ['pool'],
      buckets: FIRST_TOKENS,
    })
    const prompts = 'Prompt tokens of chats, as backends counted them: cached ones they read from their caches.'
    this.#prompts = counter('svc_pool_prompt_tokens_total', prompts, ['pool', 'source'])
    const expected = 'Prompt tokens of chats that the chosen replica was expected to have in its cache.'
    this.#expected = counter('svc_pool_prefix_expected_tokens_total', expected, ['pool'])
    this.#alarms = counter('svc_alarms_total', 'Alarms that were logged.', [])
    this.#durations = new HistogramSeries(this.#registry, {
      name: 'svc_request_duration_seconds',
      help: 'Time from the arrival of an inference request to the end of its answer.',
      labels: ['model', 'pool'],
      buckets: DURATIONS,
    })
    this.#firstTokens = new HistogramSeries(this.#registry, {
      name: 'svc_time_to_first_token_seconds',
      help: 'Time from the arrival of a streamed request to the first content of its answer.',
      labels: ['model', 'pool'],
      buckets: FIRST_TOKENS,
    })
    this.#overheads = new HistogramSeries(this.#registry, {
      name: 'svc_gateway_overhead_seconds',
      help: 'Time from the arrival of an inference request to its first attempt at a backend, without the wait for its body.',
      labels: [],
      buckets: OVERHEADS,
    })
    this.#limitShares = new HistogramSeries(this.#registry, {
      name: 'svc_limit_share',
      help: 'Utilisation of the fullest limit when a request is admitted, including its reservation.',
      labels: [],
      buckets: SHARES,
    })
    this.#alarms.add(0)
  }

  readonly wrote: Wrote = (row, requests) => this.#ledger.wrote(row, requests)

  alarm(): void {
    this.#alarms.add(1)
  }

  /** `route` is the method and the path as the table of endpoints has it. */
  readonly read = (route: string, outcome: string): void => this.#reads.add(1, route, outcome)

  /** `request` is what a client without a valid key asked: with a wrong credential or none, for an unknown path, or as a preflight. */
  readonly stranger = (request: string, outcome: string): void => this.#strangers.add(1, request, outcome)

  attempt(pool: string, replica: string, result: AttemptResult): void {
    this.#attempts.add(1, pool, replica, result)
  }

  skippedEvents(pool: string, replica: string, count: number): void {
    this.#skipped.add(count, pool, replica)
  }

  picked(pool: string, why: Why): void {
    this.#picks.add(1, pool, why)
  }

  queued(pool: string, end: QueueEnd, waited: Millis): void {
    this.#queueEnds.add(1, pool, end)
    if (end === 'served') this.#queueWaits.add(waited / 1000, pool)
  }

  copied(model: string, pool: string, outcome: string): void {
    this.#copies.add(1, model, pool, outcome)
  }

  promptCounted(pool: string, { cached, computed, expected }: PromptTokens): void {
    this.#prompts.add(cached, pool, 'cached')
    this.#prompts.add(computed, pool, 'computed')
    this.#expected.add(expected, pool)
  }

  /** `model` is absent where the request asked for none, or for an unknown one. */
  request(request: CountedRequest, model: string | undefined): void {
    const { status, ms, asked, plan = 'none', rule, code, type, pool, firstMs, overheadMs, interrupted } = request
    const { limit, limitShare } = request
    const isInference = asked !== undefined
    const named = model ?? (isInference ? 'other' : 'none')
    this.#requests.add(1, named, plan, String(status))
    if (code !== undefined) this.#denied.add(1, reasonOf(code, type))
    if (limit) {
      const per = limit.per === undefined ? 'none' : writtenWindow(limit.per)
      this.#limits.add(1, limit.measure, per, limit.of ?? 'account')
    }
    if (limitShare !== undefined) this.#limitShares.add(limitShare)
    if (rule !== undefined) this.#routes.add(1, rule)
    if (interrupted !== undefined) this.#interrupted.add(1, named)
    if (isInference) this.#durations.add(ms / 1000, named, pool ?? NO_POOL)
    if (firstMs !== undefined && pool !== undefined) this.#firstTokens.add(firstMs / 1000, named, pool)
    if (overheadMs !== undefined) this.#overheads.add(Math.max(0, overheadMs) / 1000)
  }

  /** Adds the series of the present state. Call it once. A worker leaves the configuration to main. */
  watch(ports: ProcessState): void {
    stateMetrics(this.#registry, ports)
  }

  /** Shows the state of the whole gateway too. */
  watchGateway(ports: GatewayState): void {
    gatewayMetrics(this.#registry, ports)
  }

  /** As prom-client has it, to be added to that of other processes. */
  json(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return this.#registry.getMetricsAsJSON() as Promise<MetricObjectWithValues<MetricValue<string>>[]>
  }

  /** For what shows or sends them, with those of the whole process where there are any. */
  registries(process?: Registry): readonly Registry[] {
    return [this.#registry, ...(process ? [process] : [])]
  }
}

/** In the text format of Prometheus. */
export async function exposition(
  registries: readonly Registry[],
): Promise<{ readonly type: string; readonly text: string }> {
  const parts = await Promise.all(registries.map(registry => registry.metrics()))
  return { type: 'text/plain; version=0.0.4; charset=utf-8', text: parts.filter(part => part !== '').join('\n') }
}

/** Memory, processor time, garbage collection and the event loop of this process: `svc_process_…`, `svc_nodejs_…`. Call it once. */
export function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'svc_' })
  return registry
}

/** Upper bounds of buckets, in seconds. */
const OVERHEADS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** Shares of a limit. */
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1]

/** The types that are shown beside a code: limits with a name of their own. Any other type is not a label. */
const TYPES = new Set(rateTypes.map(({ type }) => type))

const reasonOf = (code: string, type: string | undefined): string =>
  type !== undefined && TYPES.has(type) ? `${code}:${type}` : code
