import { type HrTime, ValueType } from '@opentelemetry/api'
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import { JsonMetricsSerializer, MetricsExporterMetricsHelper } from '@opentelemetry/otlp-transformer'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { MetricsCollector } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { headersOf, lossReport, resourceOf, type SendingService } from './collector.ts'

/** Metrics as prom-client has them, of all processes of the gateway. */
export type CountedMetrics = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * Sends what `/metrics` shows to a collector, by OTLP over HTTP, again and again and once more when it is closed. One that
 * hangs or is not there costs nothing but what it does not get: the next sums hold the same.
 */
export function sendMetrics(
  { endpoint, every, headers }: MetricsCollector,
  service: SendingService,
  counted: () => Promise<CountedMetrics>,
  alarm: Alarm,
): { close(): Promise<void> } {
  const exporter = new OTLPExporterBase<ResourceMetrics>(
    createOtlpHttpExportDelegate(
      convertLegacyHttpOptions(
        {
          url: `${endpoint}/v1/metrics`,
          headers: headersOf(headers),
          timeoutMillis: Math.min(EXPORT_MS, every),
          concurrencyLimit: 1,
        },
        'METRICS',
        'v1/metrics',
        { 'Content-Type': 'application/json' },
      ),
      JsonMetricsSerializer,
      'otlp_http_json_metric_exporter',
      MetricsExporterMetricsHelper,
      undefined,
    ),
  )
  const report = lossReport(endpoint, alarm, {
    lost: 'metrics cannot be sent: the collector misses them, requests go on',
    again: 'metrics are sent again',
  })
  const reporting: PushMetricExporter = {
    export: (metrics, done) =>
      exporter.export(metrics, result => {
        report(1, result)
        done(result)
      }),
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
  const resource = resourceOf(service)
  const began = hrTime(Date.now())
  const scope = { name: service.name, version: service.version }
  const collect = async () => {
    const now = hrTime(Date.now())
    const metrics = (await counted()).flatMap(each => dataOf(each, began, now))
    return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] }
  }
  const provider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: reporting,
        exportIntervalMillis: every,
        exportTimeoutMillis: Math.min(EXPORT_MS, every),
        metricProducers: [{ collect }],
      }),
    ],
  })
  return { close: () => provider.shutdown().catch(() => {}) }
}

const EXPORT_MS = 10_000

const hrTime = (epochMs: number): HrTime => [Math.floor(epochMs / 1000), (epochMs % 1000) * 1e6]

/** A metric by its name and unit of OpenTelemetry; none where nothing was counted yet. */
function dataOf(
  { name, help, type, values }: CountedMetrics[number],
  startTime: HrTime,
  endTime: HrTime,
): readonly MetricData[] {
  if (values.length === 0) return []
  const kind = String(type)
  const point = (attributes: Readonly<Record<string, string>>) => ({ attributes, startTime, endTime })
  const base = {
    descriptor: { ...namedByUnit(name), description: help, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  if (kind === 'histogram') {
    const dataPoints = histogramsOf(values).map(({ labels, value }) => ({ ...point(labels), value }))
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
  }
  const dataPoints: DataPoint<number>[] = values.map(({ labels, value }) => ({ ...point(textsOf(labels)), value }))
  return kind === 'counter'
    ? [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
    : [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }]
}

/** Prometheus says units and sums by the end of a name; a collector that shows Prometheus the metric writes them there again. */
function namedByUnit(name: string): { readonly name: string; readonly unit: string } {
  const plain = name.replace(/_total$/, '')
  const [, stem = plain, end = ''] = /^(.+)_(seconds|bytes)$/.exec(plain) ?? []
  return { name: stem, unit: { seconds: 's', bytes: 'By' }[end] ?? '' }
}

type Labels = Readonly<Record<string, string>>

const textsOf = (labels: object): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))

/** prom-client counts in a bucket all that is in those below it; OpenTelemetry counts each value once. */
function histogramsOf(
  values: CountedMetrics[number]['values'],
): readonly { readonly labels: Labels; readonly value: Histogram }[] {
  const series = new Map<
    string,
    { labels: Labels; buckets: [bound: number, upTo: number][]; sum: number; count: number }
  >()
  for (const { labels, value, metricName } of values as readonly (MetricValue<string> & { metricName?: string })[]) {
    const { le, ...rest } = textsOf(labels)
    const key = JSON.stringify(Object.entries(rest).sort())
    const own = series.get(key) ?? { labels: rest, buckets: [], sum: 0, count: 0 }
    series.set(key, own)
    if (metricName?.endsWith('_sum')) own.sum = value
    else if (metricName?.endsWith('_count')) own.count = value
    else if (le !== undefined && le !== '+Inf') own.buckets.push([Number(le), value])
  }
  return Array.from(series.values(), ({ labels, buckets, sum, count }) => {
    const ordered = buckets.sort(([a], [b]) => a - b)
    const upTo = [...ordered.map(([, each]) => each), count]
    const counts = upTo.map((each, index) => each - (upTo[index - 1] ?? 0))
    return { labels, value: { buckets: { boundaries: ordered.map(([bound]) => bound), counts }, sum, count } }
  })
}
