import type { Buffer } from 'node:buffer'
import type { EngineName } from '../../policy/engines.ts'
import type { EngineReport } from '../../policy/replica-load.ts'
import type { EpochMs } from '../../policy/time.ts'
import { MalformedSample, PrometheusText, type Sample } from '../../wire/prometheus-text.ts'

/** The names of an engine's metrics; of several, the first that is there counts, since engines have renamed some. */
interface EngineMetrics {
  readonly title: string
  readonly running: readonly string[]
  readonly waiting: readonly string[]
  readonly kvUsage: readonly string[]
  /** Switch by which the engine serves its metrics. */
  readonly hint: string
}

export const ENGINES: Readonly<Record<EngineName, EngineMetrics>> = {
  vllm: {
    title: 'vLLM',
    running: ['vllm:num_requests_running'],
    waiting: ['vllm:num_requests_waiting'],
    // Until 0.9 it was named after the GPU.
    kvUsage: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
    hint: 'vLLM serves /metrics unless it runs with --disable-log-stats.',
  },
  sglang: {
    title: 'SGLang',
    running: ['sglang:num_running_reqs'],
    waiting: ['sglang:num_queue_reqs'],
    kvUsage: ['sglang:token_usage'],
    hint: 'Start SGLang with --enable-metrics.',
  },
  llamacpp: {
    title: 'llama.cpp',
    running: ['llamacpp:requests_processing'],
    waiting: ['llamacpp:requests_deferred'],
    // Newer builds no longer have it.
    kvUsage: ['llamacpp:kv_cache_usage_ratio'],
    hint: 'Start llama-server with --metrics.',
  },
  tgi: {
    title: 'TGI',
    running: ['tgi_batch_current_size'],
    waiting: ['tgi_queue_size'],
    kvUsage: [],
    hint: 'TGI serves /metrics on the port of its API, or on the one of --prometheus-port.',
  },
  trtllm: {
    title: 'TensorRT-LLM',
    running: ['trtllm_num_requests_running'],
    waiting: ['trtllm_num_requests_waiting'],
    kvUsage: ['trtllm_kv_cache_utilization'],
    hint: 'trtllm-serve serves /prometheus/metrics with `return_perf_metrics: true` among its LLM options.',
  },
}

const STARTED = 'process_start_time_seconds'
/** vLLM says here whether it keeps prefixes. */
const CACHE_CONFIG = 'vllm:cache_config_info'
/** No engine works on more requests: a larger figure is a fault. */
const MOST_REQUESTS = 1_000_000_000
/** Rounding may lift a full cache above 1. */
const MOST_USAGE = 1.001

/** Load of a server by its metrics. */
export type EngineReading = Omit<EngineReport, 'at'> & {
  /** Whether the engine keeps the prefixes of prompts in its cache; absent where it does not say so. */
  readonly cachesPrefixes?: boolean
}

/**
 * Adds up the metrics of one server, piece by piece. Engines that share a server have series of their own, which are added
 * up. The ranks of one engine each report the same requests, which count once.
 */
export class EngineMetricsReader {
  readonly #engine: EngineMetrics
  readonly #text: PrometheusText
  /** Values by metric and engine. */
  readonly #values = new Map<string, Map<string, number>>()
  #cachesPrefixes: boolean | undefined

  constructor(engine: EngineName) {
    this.#engine = ENGINES[engine]
    const { running, waiting, kvUsage } = this.#engine
    const wanted = new Set([...running, ...waiting, ...kvUsage, STARTED, CACHE_CONFIG])
    this.#text = new PrometheusText(wanted, sample => this.#take(sample))
  }

  /** Throws MalformedSample where the text cannot be read. */
  read(bytes: Buffer): void {
    this.#text.read(bytes)
  }

  /** The text is over. Throws MalformedSample where a figure is missing or impossible. */
  end(): EngineReading {
    this.#text.end()
    const { running, waiting, kvUsage } = this.#engine
    const usage = this.#first(kvUsage)
    const started = this.#first([STARTED])
    return {
      running: sum(this.#needed(running)),
      waiting: sum(this.#needed(waiting)),
      ...(usage && { kvUsage: Math.min(1, sum(usage) / usage.length) }),
      ...(started && { startedAt: Math.round(Math.max(...started) * 1000) satisfies EpochMs }),
      ...(this.#cachesPrefixes !== undefined && { cachesPrefixes: this.#cachesPrefixes }),
    }
  }

  #take({ name, labels, value }: Sample): void {
    if (name === CACHE_CONFIG) {
      const caches = labels.get('enable_prefix_caching')
      if (caches !== undefined) this.#cachesPrefixes = caches.toLowerCase() === 'true'
      return
    }
    const most = this.#engine.kvUsage.includes(name) ? MOST_USAGE : name === STARTED ? MOST_SECONDS : MOST_REQUESTS
    // Written so that NaN fails too.
    if (!(value >= 0 && value <= most)) throw new MalformedSample(`${name} is ${value}`)
    // SGLang breaks its counts down by priority, beside the series of them all, whose priority is empty.
    if (labels.get('priority')) return
    const values = this.#values.get(name) ?? new Map<string, number>()
    this.#values.set(name, values)
    const engine = engineOf(labels)
    values.set(engine, Math.max(values.get(engine) ?? 0, value))
    if (values.size > MOST_ENGINES) throw new MalformedSample(`${name} has more than ${MOST_ENGINES} series`)
  }

  #first(names: readonly string[]): readonly number[] | undefined {
    for (const name of names) {
      const values = this.#values.get(name)
      if (values) return [...values.values()]
    }
    return undefined
  }

  #needed(names: readonly string[]): readonly number[] {
    const values = this.#first(names)
    if (values) return values
    throw new MalformedSample(`${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not among its metrics`)
  }
}

/** A time that a date can hold. */
const MOST_SECONDS = 8_000_000_000_000
/** Engines and models of one server. */
const MOST_ENGINES = 4096
/** Labels of the ranks that run one engine together. */
const RANKS: ReadonlySet<string> = new Set(['tp_rank', 'pp_rank', 'moe_ep_rank'])

/** Tells the engines of one server apart, by all labels but those of its ranks. */
const engineOf = (labels: Sample['labels']): string =>
  JSON.stringify([...labels].filter(([name]) => !RANKS.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
