import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Alarm } from '../../gateway/ports.ts'

/** An exporter that raises one alarm when spans cannot be sent, and one when they are sent again. */
export function reportingExporter(exporter: SpanExporter, endpoint: string, alarm: Alarm): SpanExporter {
  let lost = 0
  const report = (spans: number, error: string | undefined) => {
    if (error !== undefined) {
      if (lost === 0) alarm('traces cannot be sent: spans are lost, requests go on', { endpoint, error })
      lost += spans
    } else if (lost > 0) {
      alarm('traces are sent again', { endpoint, lost })
      lost = 0
    }
  }
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, result => {
        // 0 is success.
        report(spans.length, result.code === 0 ? undefined : (result.error?.message ?? 'unknown'))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
