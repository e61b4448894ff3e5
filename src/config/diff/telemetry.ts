import type { MetricsCollector, MetricsSettings, Secret, TraceSettings } from '../settings.ts'
import { plumbing, type Rules, type Said, type Sides } from './changes.ts'
import { optional, plain, SECTIONS, secretChange, setting } from './setting-rules.ts'
import { text } from './values.ts'

export const metricsRules = (sides: Sides): Rules<MetricsSettings> => ({
  ...SECTIONS.metrics,
  token: (from, to) => secretChange('metrics.token', 'the token that reads metrics', from, to, sides),
  otlp: optional<MetricsCollector>(collectorRules(sides), {
    gone: { ...plain('metrics.otlp', 'metrics are no longer sent to a collector'), from: 'metrics' },
    added: { ...plain('metrics.otlp', 'metrics are now sent to a collector'), to: 'metrics' },
  }),
})

const collectorRules = (sides: Sides): Rules<MetricsCollector> => ({
  endpoint: setting('metrics.otlp.endpoint', text, plumbing),
  ...SECTIONS.collector,
  headers: headersRule('metrics.otlp.headers', 'metrics', sides),
})

export const traceRules = (sides: Sides): Rules<TraceSettings> => ({
  endpoint: setting('traces.endpoint', text, plumbing),
  ...SECTIONS.traces,
  headers: headersRule('traces.headers', 'traces', sides),
})

/** The changes of headers that a collector is sent. */
const headersRule =
  (field: string, what: string, sides: Sides) =>
  (from: ReadonlyMap<string, Secret>, to: ReadonlyMap<string, Secret>): readonly Said[] =>
    [...new Set([...from.keys(), ...to.keys()])].flatMap(name =>
      secretChange(field, `the header ${name} of ${what}`, from.get(name), to.get(name), sides),
    )
