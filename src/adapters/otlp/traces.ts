import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { TraceSettings } from '../../config/settings.ts'
import type {
  Alarm,
  AttemptTrace,
  RequestTrace,
  TracedAttempt,
  TracedEnd,
  TracedRequest,
  Traces,
} from '../../gateway/ports.ts'
import type { Kind } from '../../policy/config.ts'
import { headersOf, lossReport, resourceOf, type SendingService } from './collector.ts'

export interface OpenTraces {
  readonly traces: Traces
  /** Sends what waits. Resolves when it is sent, or given up; never rejects. */
  close(): Promise<void>
}

/** Sends spans to a collector, in batches behind the requests: one that hangs, or is not there, costs spans alone. */
export function openTraces(settings: TraceSettings, service: SendingService, alarm: Alarm): OpenTraces {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: headersOf(settings.headers),
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: 2,
  })
  const provider = new BasicTracerProvider({
    // Samples by trace id alone: a caller cannot choose which traces are kept here.
    sampler: new TraceIdRatioBasedSampler(settings.perMillion / 1_000_000),
    resource: resourceOf(service),
    spanProcessors: [
      new BatchSpanProcessor(reportingExporter(exporter, settings.endpoint, alarm), {
        maxQueueSize: MOST_SPANS,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer(service.name, service.version)
  return {
    traces: { begin: request => new RequestSpan(tracer, request) },
    close: () => provider.shutdown().catch(() => {}),
  }
}

/** The span of a request, by the conventions for generative AI; its attempts are spans below it. */
class RequestSpan implements RequestTrace {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #context: Context
  readonly #request: TracedRequest

  constructor(tracer: Tracer, request: TracedRequest) {
    const parent = readTraceparent(request.traceparent)
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const attributes: Attributes = {
      'gen_ai.operation.name': OPERATIONS[request.kind],
      'gen_ai.request.stream': request.stream,
      'http.request.method': request.method,
      'http.route': request.path,
      'svc.request_id': request.requestId,
    }
    this.#tracer = tracer
    this.#request = request
    this.#span = tracer.startSpan(OPERATIONS[request.kind], { kind: SpanKind.SERVER, attributes }, context)
    this.#context = trace.setSpan(context, this.#span)
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  attempt(attempt: TracedAttempt): AttemptTrace {
    const span = startAttempt(this.#tracer, this.#request.kind, attempt, this.#context)
    return {
      traceparent: traceparentOf(span.spanContext()),
      end: ({ result, status, usage }) => {
        span.setAttributes({
          'http.response.status_code': status,
          'gen_ai.usage.input_tokens': usage?.inputTokens,
          'gen_ai.usage.output_tokens': usage?.outputTokens,
        })
        if (status !== undefined && status < 300) span.setAttribute('gen_ai.response.model', attempt.backendModel)
        // A client that left, or asked for something impossible, is not an error of the backend.
        if (result !== 'ok' && result !== 'left') fail(span, result === 'status' ? String(status) : result)
        span.end()
      },
    }
  }

  end(end: TracedEnd): void {
    const { status, model, plan, rule, pool, code, inputTokens, outputTokens, firstMs, interrupted } = end
    const span = this.#span
    if (model !== undefined) span.updateName(`${OPERATIONS[this.#request.kind]} ${model}`)
    span.setAttributes({
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'gen_ai.response.time_to_first_chunk': firstMs === undefined ? undefined : firstMs / 1000,
      'http.response.status_code': status,
      'svc.plan': plan,
      'svc.route': rule,
      'svc.pool': pool,
      'svc.code': code,
    })
    if (status >= 500) fail(span, code ?? String(status))
    else if (interrupted) fail(span, 'interrupted')
    else if (code !== undefined) span.setAttribute('error.type', code)
    span.end()
  }
}

function startAttempt(tracer: Tracer, kind: Kind, attempt: TracedAttempt, context: Context): Span {
  const { model, pool, replica, backendModel, maxTokens } = attempt
  const { hostname, port, protocol } = new URL(replica)
  const attributes: Attributes = {
    'gen_ai.operation.name': OPERATIONS[kind],
    'gen_ai.provider.name': pool,
    'gen_ai.request.model': backendModel,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'svc.pool': pool,
    'svc.model': model,
    ...(kind === 'chat' && { 'gen_ai.request.max_tokens': maxTokens }),
  }
  return tracer.startSpan(`${OPERATIONS[kind]} ${backendModel}`, { kind: SpanKind.CLIENT, attributes }, context)
}

/** The name of each kind by the conventions for generative AI, which have no word for images and for pass-through. */
const OPERATIONS: Readonly<Record<Kind, string>> = {
  chat: 'chat',
  embedding: 'embeddings',
  image: 'image_generation',
  passthrough: 'passthrough',
}

/** Spans that wait for a collector; more are dropped. */
const MOST_SPANS = 4096
const BATCH = 512
const EVERY_MS = 1000
const EXPORT_MS = 10_000

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** An exporter that raises one alarm when spans cannot be sent, and one when they are sent again. */
function reportingExporter(exporter: SpanExporter, endpoint: string, alarm: Alarm): SpanExporter {
  const report = lossReport(endpoint, alarm, {
    lost: 'traces cannot be sent: spans are lost, requests go on',
    again: 'traces are sent again',
  })
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, result => {
        report(spans.length, result)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

/** The span that a client names as the parent of its request; undefined where the header is absent or not valid (W3C Trace Context). */
function readTraceparent(text: string | undefined): SpanContext | undefined {
  const { traceId = '', spanId = '' } =
    /^00-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '')?.groups ?? {}
  const context: SpanContext = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`
