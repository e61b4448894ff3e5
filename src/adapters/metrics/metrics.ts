import { Registry } from 'prom-client'
import type { AttemptCounter, AttemptResult } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import { LedgerMetrics } from './ledger.ts'
import { Spread } from './spread.ts'
import { type StatePorts, stateMetrics } from './state.ts'
import { Sums } from './sums.ts'

/** What is counted of a request that is over. Names are those of the files, and none that a client made up. */
export interface CountedRequest {
  readonly status: number
  readonly ms: Millis
  /** Of an inference request what its client asked for, which is counted nowhere. */
  readonly asked?: string | undefined
  readonly plan?: string | undefined
  readonly pool?: string | undefined
  readonly rule?: string | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
  readonly firstMs?: Millis | undefined
  readonly overheadMs?: Millis | undefined
  /** Why the answer did not end well. */
  readonly interrupted?: string | undefined
}

/** Seconds. */
const DURATIONS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640]
const FIRST_TOKENS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80]
const OVERHEADS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** Limits that have a name of their own; whatever else stands beside a code is left out. */
const TYPES = new Set(['requests', 'tokens', 'concurrency', 'daily_limit', 'quota_hold', 'guest_keys', 'plan_limit'])

/**
 * What this process counts since its start. Labels are names of the files and of the code, so that there are as many
 * series as those allow: none is of a key, an account, or a name that a client made up.
 */
export class Metrics implements AttemptCounter {
  readonly #registry = new Registry()
  readonly #ledger = new LedgerMetrics(this.#registry)
  readonly #requests: Sums
  readonly #denied: Sums
  readonly #routes: Sums
  readonly #interrupted: Sums
  readonly #attempts: Sums
  readonly #alarms: Sums
  readonly #durations: Spread
  readonly #firstTokens: Spread
  readonly #overheads: Spread

  constructor() {
    const sums = (name: string, help: string, labels: readonly string[]) =>
      new Sums(this.#registry, { name, help, labels })
    this.#requests = sums('svc_requests_total', 'Requests of clients that are over.', ['model', 'plan', 'code'])
    this.#denied = sums('svc_denied_total', 'Requests of clients that were not served.', ['reason'])
    this.#routes = sums('svc_smart_routes_total', 'Requests served by the model that a route chose.', ['route'])
    this.#interrupted = sums('svc_interrupted_total', 'Answers that had begun and did not end well.', ['model'])
    const where = ['pool', 'replica', 'outcome']
    this.#attempts = sums('svc_upstream_attempts_total', 'Attempts at backends that are over.', where)
    this.#alarms = sums('svc_alarms_total', 'Alarms that were logged.', [])
    this.#durations = new Spread(this.#registry, {
      name: 'svc_request_duration_seconds',
      help: 'From the arrival of an inference request to the end of its answer.',
      labels: ['model'],
      buckets: DURATIONS,
    })
    this.#firstTokens = new Spread(this.#registry, {
      name: 'svc_time_to_first_token_seconds',
      help: 'From the arrival of a streamed request to the first content of its answer.',
      labels: ['model', 'pool'],
      buckets: FIRST_TOKENS,
    })
    this.#overheads = new Spread(this.#registry, {
      name: 'svc_gateway_overhead_seconds',
      help: 'From the arrival of an inference request to its first attempt at a backend, but for the wait for its body.',
      labels: [],
      buckets: OVERHEADS,
    })
    this.#alarms.add(0)
  }

  readonly wrote: Wrote = (row, requests) => this.#ledger.wrote(row, requests)

  alarm(): void {
    this.#alarms.add(1)
  }

  attempt(pool: string, replica: string, result: AttemptResult): void {
    this.#attempts.add(1, pool, replica, result)
  }

  /** `model` is absent where it asked for none, or for one that there is not. */
  request(request: CountedRequest, model: string | undefined): void {
    const { status, ms, asked, plan = 'none', rule, code, type, pool, firstMs, overheadMs, interrupted } = request
    const isInference = asked !== undefined
    const named = model ?? (isInference ? 'other' : 'none')
    this.#requests.add(1, named, plan, String(status))
    if (code !== undefined) this.#denied.add(1, reasonOf(code, type))
    if (rule !== undefined) this.#routes.add(1, rule)
    if (interrupted !== undefined) this.#interrupted.add(1, named)
    if (isInference) this.#durations.add(ms / 1000, named)
    if (firstMs !== undefined && pool !== undefined) this.#firstTokens.add(firstMs / 1000, named, pool)
    if (overheadMs !== undefined) this.#overheads.add(Math.max(0, overheadMs) / 1000)
  }

  /** Also has what is looked at told. To be called once. */
  watch(ports: StatePorts): void {
    stateMetrics(this.#registry, ports)
  }

  /** In the text format of Prometheus, with the metrics of the whole process where there are any. */
  async exposition(process?: Registry): Promise<{ readonly type: string; readonly text: string }> {
    const parts = await Promise.all([this.#registry.metrics(), process?.metrics() ?? ''])
    return { type: this.#registry.contentType, text: parts.filter(part => part !== '').join('\n') }
  }
}

const reasonOf = (code: string, type: string | undefined): string =>
  type !== undefined && TYPES.has(type) ? `${code}:${type}` : code
